/** Amount of a store that a backup reads: the entries written since its base, or all where these are unknown. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markCheckpoint, dropCheckpoint } from '../../../src/server/maintenance/checkpoints.js'
import { openArchive, type Archive } from '../../../src/store/backup/archive.js'
import { createArchive, type CreatedArchive } from '../../../src/store/backup/create.js'
import { verifyArchive } from '../../../src/server/maintenance/verifyArchive.js'
import { homes } from '../../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import type { HomePlaces } from '../../../src/server/launch/init.js'

const DAY = 86_400
const { folder, home } = homes()
let places: HomePlaces
let node: TestNode
let token: string
let backups: string
let made = 0
let now = 1_700_000_000

beforeAll(async () => {
  places = await home()
  backups = await folder()
  node = await startTestNode({}, { home: places.home })
  token = await registerUser(node, 'alice')
  await post('/streams', { id: 'diary', name: 'Diary' })
  // One event has keys in eight members of at most 1 MiB each, which is less than half of what 14,000 events take.
  for (let i = 0; i < 14; i++) await write(i, 1000)
})
afterAll(() => node.stop())

async function post(path: string, body: unknown): Promise<void> {
  const { status, body: answer } = await request(`${node.url}alice${path}`, { token, body })
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
}

const write = (part: number, count: number): Promise<void> =>
  post('', Array.from({ length: count }, (_, n) => ({
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content: `A note with the number ${n}.`, time: 1_600_000_000 + part * 1e6 + n * 60 },
  })))

async function backUp(base?: Archive): Promise<{ archive: Archive } & CreatedArchive> {
  const { mark, changed, ...checkpoint } = await markCheckpoint(node.node, process.pid, base?.manifest.mark)
  try {
    made += 1
    const path = join(backups, `${made}`)
    const options = { folder: path, now: () => now, product: '0', mark }
    const created = await createArchive(
      { ...checkpoint, home: { key: Buffer.from((await readFile(places.key, 'utf8')).trim(), 'hex') } },
      { ...options, ...(base === undefined ? {} : { base }), ...(changed === undefined ? {} : { changed: new Set(changed) }) },
    )
    return { ...created, archive: await openArchive(path, () => Promise.reject(new Error('asked for a passphrase'))) }
  } finally {
    await dropCheckpoint(node.places.store, checkpoint.id)
  }
}

/** Returns the bytes of the members of entries that `base` does not have. */
function newBytes({ members }: Archive, base: Archive): number {
  const known = new Set(base.members.map(({ file }) => file))
  return members.reduce((sum, { kind, file, bytes }) => (kind === 'entries' && !known.has(file) ? sum + bytes : sum), 0)
}

async function restart(between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  await node.stop()
  await between()
  node = await startTestNode({}, { home: places.home })
}

describe('an incremental backup', () => {
  it('reads the entries written since its base, also after a restart', async () => {
    const first = await backUp()
    await write(2, 1)
    const second = await backUp(first.archive)
    expect(second.readBytes).toBe(newBytes(second.archive, first.archive))
    expect(second.readBytes).toBeLessThan(first.readBytes / 2)
    expect(second.archive.manifest).toMatchObject({ readAll: now, base: '1' })
    expect(second.archive.manifest.counts['events']).toBe((first.archive.manifest.counts['events'] ?? 0) + 1)
    await restart()
    await write(4, 1)
    const third = await backUp(second.archive)
    expect(third.readBytes).toBeLessThan(first.readBytes * 0.8)
    await rm(first.archive.folder, { recursive: true })
    await expect(verifyArchive(third.archive, await folder())).resolves.toMatchObject({ differences: 0, damage: [] })
  })

  it('reads the whole store after a crash, and with an archive of another store as its base', async () => {
    const { archive, readBytes } = await backUp()
    await restart(() => rm(join(places.store, 'touched')))
    expect((await backUp(archive)).readBytes).toBeGreaterThan(readBytes * 0.9)
    const alien: Archive = { ...archive, manifest: { ...archive.manifest, mark: 'of another store' } }
    expect((await backUp(alien)).readBytes).toBeGreaterThan(readBytes * 0.9)
  })

  it('reads the whole store again after a week, even with backups in between', async () => {
    const first = await backUp()
    now += 5 * DAY
    const second = await backUp(first.archive)
    expect(second.readBytes).toBeLessThan(first.readBytes / 2)
    now += 3 * DAY
    const third = await backUp(second.archive)
    expect(third.readBytes).toBeGreaterThan(first.readBytes * 0.9)
    expect(third.archive.manifest.readAll).toBe(now)
  })

  it('reads again the entries of a member that its base has lost', async () => {
    const first = await backUp()
    const lost = first.archive.members.find(({ kind, counts }) => kind === 'entries' && (counts?.['events'] ?? 0) > 0)
    await rm(join(first.archive.folder, lost?.file ?? ''))
    const second = await backUp(first.archive)
    await expect(verifyArchive(second.archive, await folder())).resolves.toMatchObject({ differences: 0, damage: [] })
  })
})
