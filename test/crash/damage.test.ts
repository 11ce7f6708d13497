/** Stores damaged while their node is stopped: opening reports the damage, and never returns less than was stored. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/server/config/config.js'
import { openNode } from '../../src/server/index.js'
import { initialise, StoreMissing, type HomePlaces } from '../../src/server/launch/init.js'
import { createLog } from '../../src/server/base/log.js'
import { checkStore } from '../../src/store/check/index.js'
import { NodeKeyUnusable } from '../../src/store/keyring/nodeKeyUnusable.js'
import { NoStore, openStore, StoreDamaged, type OpenedStore } from '../../src/store/engine/open.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { expectSound, markOf } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { placesOf, registerUser, request, startTestNode, type TestNode } from '../support/nodes/node.js'

const PAGE = 4096
const SEED = Number(process.env['SEED'] ?? 7)
const next = seeded(SEED)
const { home, folder } = homes()
/** Usage counters are logged without a commit; without them, every byte of the log belongs to a commit. */
const settings = { 'accessTracking.isActive': false }

let sound: HomePlaces
/** Copy of the store from some commits before. */
let older: string
let log = ''
let table = ''
let manifest = ''

async function writeEvents(node: TestNode, token: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) => {
    const content = Array.from({ length: 60 }, () => next(36).toString(36)).join('') + 'x'.repeat(next(500))
    return { method: 'events.create', params: { streamIds: ['a'], type: 'test/text', content, time: i } }
  })
  // Several commits of several events each.
  for (let at = 0; at < count; at += 10) {
    const { body } = await request(`${node.url}alice`, { token, body: events.slice(at, at + 10) })
    expect(JSON.stringify(body)).not.toContain('"error"')
  }
}

const filesIn = (store: string): string[] => readdirSync(join(store, 'db')).sort()

beforeAll(async () => {
  sound = await home()
  let node = await startTestNode(settings, { home: sound.home })
  const token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'a', name: 'A' } })
  await writeEvents(node, token, 300)
  await node.stop()
  older = await folder()
  cpSync(sound.store, older, { recursive: true })
  node = await startTestNode(settings, { home: sound.home })
  await writeEvents(node, token, 100)
  const { db } = node.node.store
  await db.compact({ gte: '', lt: '~' })
  await writeEvents(node, token, 100)
  await node.stop()
  const files = filesIn(sound.store)
  log = files.find((file) => file.endsWith('.log')) ?? ''
  table = files.find((file) => file.endsWith('.ldb')) ?? ''
  manifest = files.find((file) => file.startsWith('MANIFEST')) ?? ''
  // Checks that there is something to damage.
  expect(readFileSync(join(sound.store, 'db', log)).length).toBeGreaterThan(20 * PAGE)
  expect(readFileSync(join(sound.store, 'db', table)).length).toBeGreaterThan(20 * PAGE)
})

/** Copies a store. */
async function copyOf(store = sound.store): Promise<string> {
  const path = await folder()
  cpSync(store, path, { recursive: true })
  return path
}

const open = (store: string): Promise<OpenedStore> => openStore({ folder: store, now: () => 1_700_000_000 })

/** Opens a damaged store; returns the reason of the refusal. */
async function damageOf(store: string): Promise<string> {
  try {
    const opened = await open(store)
    await opened.close()
  } catch (error) {
    expect(error).toBeInstanceOf(StoreDamaged)
    return error instanceof Error ? error.message : ''
  }
  throw new Error('the damaged store opened without an error')
}

/** Returns digests of the files of a store, without those that LevelDB writes on opening. */
function contentOf(store: string): Record<string, string> {
  const names = existsSync(join(store, 'db')) ? filesIn(store).map((name) => join('db', name)) : []
  const files = [...names, 'HEAD'].filter((name) => !/LOG|LOCK/.test(name) && existsSync(join(store, name)))
  return Object.fromEntries(
    files.map((name) => [name, createHash('sha256').update(readFileSync(join(store, name))).digest('hex')]),
  )
}

/** Damages copies of a file in the database at each offset; each must be refused with the name of the file. */
async function damagedAt(
  file: string,
  places: readonly number[],
  change: (bytes: Buffer, at: number) => Buffer,
  pattern: RegExp,
): Promise<void> {
  const store = await copyOf()
  const bytes = readFileSync(join(store, 'db', file))
  for (const at of places) {
    writeFileSync(join(store, 'db', file), change(Buffer.from(bytes), at))
    const before = contentOf(store)
    const message = await damageOf(store)
    expect(message, `${file} at ${at} (seed ${SEED})`).toMatch(pattern)
    expect(message).toContain(file)
    expect(contentOf(store), `${file} at ${at}`).toEqual(before)
  }
}

/** Returns a random offset in every `every` bytes of a file. */
function placesIn(file: string, every = PAGE): number[] {
  const { length } = readFileSync(join(sound.store, 'db', file))
  const pages = Array.from({ length: Math.ceil(length / every) }, (_, i) => i * every)
  return pages.map((from) => from + next(Math.min(every, length - from)))
}

/** Messages for damage of a table. */
const IN_TABLES = /checksum|not a valid table|belong to no block/
const flip = (bytes: Buffer, at: number): Buffer => {
  bytes[at] = (bytes[at] ?? 0) ^ (1 + next(255))
  return bytes
}
const zeroPage = (bytes: Buffer, at: number): Buffer => bytes.fill(0, at, Math.min(at + PAGE, bytes.length))

describe('a sound store', () => {
  it('opens', async () => {
    // Opens a copy, because opening a store changes its files.
    const { checked } = await expectSound(await copyHome())
    expect(checked['events']).toBeGreaterThan(500)
  })
})

describe('a truncated log', () => {
  it('is refused at any cut, with the number of lost commits', async () => {
    const bytes = readFileSync(join(sound.store, 'db', log))
    const last = bytes.length
    const cuts = [...placesIn(log), 0, last - 1, last - 2, last - 7, last - 8, last - 100]
    const acknowledged = (await markOf(sound.store))?.sequence ?? 0
    const remaining: number[] = []
    for (const at of cuts.sort((a, b) => a - b)) {
      const store = await copyOf()
      writeFileSync(join(store, 'db', log), bytes.subarray(0, at))
      const message = await damageOf(store)
      const [, end = '', marked] = /it ends at commit (\d+), and (\d+) were acknowledged/.exec(message) ?? []
      expect(Number(marked), message).toBe(acknowledged)
      remaining.push(Number(end))
      // Recovery by LevelDB changes nothing.
      expect(await damageOf(store)).toBe(message)
      rmSync(store, { recursive: true })
    }
    expect(remaining).toEqual([...remaining].sort((a, b) => a - b))
    expect(remaining.every((end) => end < acknowledged)).toBe(true)
    expect(remaining.at(-1)).toBe(acknowledged - 1)
  })
})

describe('a crash', () => {
  it('leaves an unfinished tail after the mark, which opens normally with its complete commits', async () => {
    const places = await home()
    const node = await startTestNode(settings, { home: places.home })
    const token = await registerUser(node, 'alice')
    await request(`${node.url}alice/streams`, { token, body: { id: 'a', name: 'A' } })
    await writeEvents(node, token, 20)
    const head = node.node.store.commits
    const store = await copyOf(places.store)
    const file = filesIn(store).find((name) => name.endsWith('.log')) ?? ''
    const { length } = readFileSync(join(store, 'db', file))
    await writeEvents(node, token, 40)
    const later = readFileSync(join(places.store, 'db', file))
    const last = node.node.store.commits
    await node.stop()
    const found = new Set<number>()
    const cuts = Array.from({ length: 30 }, () => length + next(later.length - length))
    for (const at of [length, ...cuts, later.length].sort((a, b) => a - b)) {
      const crashed = await copyOf(store)
      rmSync(join(crashed, 'owner'), { force: true })
      writeFileSync(join(crashed, 'db', file), later.subarray(0, at))
      const opened = await open(crashed)
      const { sequence } = opened.committer.head
      found.add(sequence)
      const { problems } = await checkStore(opened.db, { head: opened.committer.head })
      expect({ at, problems }).toEqual({ at, problems: [] })
      await opened.close()
      // Recovered commits are acknowledged: losing them later is damage.
      expect((await markOf(crashed))?.sequence).toBe(sequence)
      rmSync(crashed, { recursive: true })
    }
    // At least one commit for each of four calls; more where the machine is slow.
    expect(last).toBeGreaterThanOrEqual(head + 4)
    expect([[...found][0], [...found].at(-1)]).toEqual([head, last])
    expect([...found].every((sequence) => sequence >= head && sequence <= last)).toBe(true)
    expect(found.size).toBeGreaterThan(2)
  })
})

describe('a flipped byte', () => {
  it('in the log is refused', () => damagedAt(log, placesIn(log), flip, /at byte \d+/))
  it('in a table is refused', () => damagedAt(table, placesIn(table), flip, IN_TABLES))
  it('in the MANIFEST is refused', () => damagedAt(manifest, placesIn(manifest, 40), flip, /at byte \d+/))
  it('in CURRENT is refused', async () => {
    const store = await copyOf()
    const bytes = readFileSync(join(store, 'db', 'CURRENT'))
    for (let at = 0; at < bytes.length; at++) {
      writeFileSync(join(store, 'db', 'CURRENT'), flip(Buffer.from(bytes), at))
      // A flipped digit names a missing MANIFEST.
      expect(await damageOf(store)).toMatch(/CURRENT does not name a MANIFEST|MANIFEST-\d+ is missing/)
    }
  })
  it('in one slot of HEAD leaves the other; in both slots it is refused', async () => {
    const store = await copyOf()
    const bytes = readFileSync(join(store, 'HEAD'))
    for (const at of [0, 20, 70, 127]) {
      writeFileSync(join(store, 'HEAD'), flip(Buffer.from(bytes), at))
      const opened = await open(store)
      await opened.close()
    }
    writeFileSync(join(store, 'HEAD'), flip(flip(Buffer.from(bytes), 30), 90))
    expect(await damageOf(store)).toMatch(/HEAD has no valid mark/)
  })
})

describe('a zeroed page', () => {
  const starts = (file: string): number[] => placesIn(file).map((at) => at - (at % PAGE))
  it('in the log is refused', () => damagedAt(log, starts(log), zeroPage, /at byte \d+/))
  it('in a table is refused', () => damagedAt(table, starts(table), zeroPage, IN_TABLES))
  it('in the MANIFEST is refused', () => damagedAt(manifest, [0], zeroPage, /zeros/))
})

describe('a store without a part', () => {
  const missing: [name: string, damage: (store: string) => void, pattern: RegExp][] = [
    ['CURRENT', (store) => rmSync(join(store, 'db', 'CURRENT')), /CURRENT is missing/],
    ['the content of CURRENT', (store) => writeFileSync(join(store, 'db', 'CURRENT'), ''), /CURRENT is empty/],
    ['the MANIFEST', (store) => rmSync(join(store, 'db', manifest)), /MANIFEST-\d+ is missing/],
    ['the log', (store) => rmSync(join(store, 'db', log)), /\d+\.log is missing/],
    ['a table', (store) => rmSync(join(store, 'db', table)), /\d+\.ldb is missing/],
    ['the end of a table', (store) => cutFile(join(store, 'db', table)), /has \d+ bytes in place of \d+/],
    ['the folder of the database', (store) => rmSync(join(store, 'db'), { recursive: true }), /is missing/],
    ['every file of the database', (store) => emptyFolder(join(store, 'db')), /CURRENT is missing/],
    ['HEAD', (store) => rmSync(join(store, 'HEAD')), /HEAD is missing/],
    ['the content of HEAD', (store) => writeFileSync(join(store, 'HEAD'), ''), /HEAD has 0 bytes/],
    ['everything', (store) => emptyFolder(store), /is missing/],
  ]
  const cutFile = (path: string): void => writeFileSync(path, readFileSync(path).subarray(0, PAGE))
  const emptyFolder = (path: string): void => {
    rmSync(path, { recursive: true })
    mkdirSync(path)
  }

  it.each(missing)('that lacks %s is refused, and nothing is created in its place', async (_, damage, pattern) => {
    const store = await copyOf()
    damage(store)
    const before = contentOf(store)
    expect(await damageOf(store)).toMatch(pattern)
    expect(contentOf(store)).toEqual(before)
    expect(existsSync(join(store, 'db', 'CURRENT'))).toBe('db/CURRENT' in before)
  })

  it('is not found when it is missing as a whole, and none is created', async () => {
    const store = join(await folder(), 'store')
    await expect(open(store)).rejects.toThrow(NoStore)
    expect(existsSync(store)).toBe(false)
  })
})

describe('a store with the files of another', () => {
  const replaceDb = async (from: string): Promise<string> => {
    const store = await copyOf()
    rmSync(join(store, 'db'), { recursive: true })
    cpSync(join(from, 'db'), join(store, 'db'), { recursive: true })
    return store
  }

  it('is refused with an older copy of the database, with the number of lost commits', async () => {
    const [then, now] = [(await markOf(older))?.sequence, (await markOf(sound.store))?.sequence]
    expect(then).toBeLessThan(now ?? 0)
    expect(await damageOf(await replaceDb(older))).toContain(`it ends at commit ${then}, and ${now} were acknowledged`)
  })

  it('is refused with an empty database', async () => {
    const empty = await home()
    expect(await damageOf(await replaceDb(empty.store))).toMatch(/it ends at commit 0, and \d+ were acknowledged/)
  })

  it('is refused with the database of another node, even a longer one', async () => {
    const store = await copyOf(older)
    rmSync(join(store, 'db'), { recursive: true })
    const other = await home()
    const node = await startTestNode(settings, { home: other.home })
    const token = await registerUser(node, 'alice')
    await request(`${node.url}alice/streams`, { token, body: { id: 'a', name: 'A' } })
    // How many writes a commit groups depends on the machine.
    const shorter = (await markOf(older))?.sequence ?? Infinity
    while (node.node.store.commits <= shorter) await writeEvents(node, token, 100)
    await node.stop()
    expect((await markOf(other.store))?.sequence).toBeGreaterThan(shorter)
    cpSync(join(other.store, 'db'), join(store, 'db'), { recursive: true })
    expect(await damageOf(store)).toMatch(/has another commit \d+ than the one that was acknowledged/)
  })

  it('is not initialised again when its store is missing', async () => {
    const places = await copyHome()
    rmSync(places.store, { recursive: true })
    await expect(initialise(places)).rejects.toThrow(StoreMissing)
    expect(existsSync(places.store)).toBe(false)
  })
})

async function copyHome(): Promise<HomePlaces> {
  const places = placesOf(await folder())
  cpSync(sound.home, places.home, { recursive: true })
  return places
}

function openHome(places: HomePlaces): ReturnType<typeof openNode> {
  const log = createLog('error', () => 0, () => {})
  return openNode({ store: places.store, key: places.key, config: loadConfig({ file: places.config }), log })
}

describe('a node', () => {
  it('refuses a damaged store as openStore does', async () => {
    const places = await copyHome()
    rmSync(join(places.store, 'db', 'CURRENT'))
    await expect(openHome(places)).rejects.toThrow(StoreDamaged)
  })

  it('does not open without its key, creates none, and opens with the restored key', async () => {
    const places = await copyHome()
    renameSync(places.key, `${places.key}.away`)
    await expect(openHome(places)).rejects.toThrow(NodeKeyUnusable)
    expect(existsSync(places.key)).toBe(false)
    renameSync(`${places.key}.away`, places.key)
    await (await openHome(places)).close()
    await expectSound(places)
  })
})
