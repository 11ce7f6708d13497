/** Archives of whole stores: restored, compared, and refused when incomplete or altered. */
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archivesIn, dropUnfinished, openArchive, type Archive } from '../../../src/store/backup/archive.js'
import { createArchive, type CreatedArchive } from '../../../src/store/backup/create.js'
import { readManifest } from '../../../src/store/backup/manifest.js'
import { compareStore, writeStore } from '../../../src/store/backup/restore.js'
import { openDatabase, each } from '../../../src/store/engine/database.js'
import { Secret } from '../../../src/store/model/secret.js'
import { dropCheckpoint, writeCheckpoint } from '../../../src/server/maintenance/checkpoints.js'
import { restoreHome } from '../../../src/server/maintenance/restoreHome.js'
import { verifyArchive } from '../../../src/server/maintenance/verifyArchive.js'
import { expectSound } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { download, eventPart, filePart, sendParts } from '../../support/http/multipart.js'
import { placesOf, registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

const { folder } = homes()
const PASSPHRASE = new Secret('a passphrase of several words')
const promptPassphrase = (): Promise<Secret<string>> => Promise.resolve(PASSPHRASE)
const refusePrompt = (): Promise<Secret<string>> => Promise.reject(new Error('asked for a passphrase'))

let node: TestNode
let token: string
let backups: string
let made = 0

beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
  backups = await folder()
  await post('/streams', { id: 'diary', name: 'Diary' })
})
afterAll(() => node.stop())

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, body: answer } = await request(`${node.url}alice${path}`, { token, body })
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}

const writeEvents = (contents: string[]): Promise<unknown> =>
  post('', contents.map((content) => ({ method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content } })))

async function backUp(options: { passphrase?: Secret<string>; base?: Archive } = {}): Promise<CreatedArchive & { path: string }> {
  const checkpoint = await writeCheckpoint(node.node, process.pid)
  try {
    made += 1
    const path = join(backups, `backup-${made}`)
    const key = Buffer.from((await readFile(node.places.key, 'utf8')).trim(), 'hex')
    const created = await createArchive(
      { ...checkpoint, home: { key, config: await readFile(node.places.config) } },
      { folder: path, now: () => Date.now() / 1000, product: '0', ...options },
    )
    return { ...created, path }
  } finally {
    await dropCheckpoint(node.places.store, checkpoint.id)
  }
}

/** Restores into a new home and returns the notes in it. */
async function notesIn(path: string): Promise<string[]> {
  const places = placesOf(await folder())
  const comparison = await restoreHome(await openArchive(path, promptPassphrase), places)
  expect(comparison).toMatchObject({ differences: 0, problems: [] })
  expect(comparison.restored).toEqual(comparison.asked)
  await expectSound(places)
  const db = await openDatabase(join(places.store, 'db'))
  const notes: string[] = []
  for await (const [key, text] of each(db.entries({}))) {
    if (/^[1-9a-z]+\/e\//.test(key)) {
      const { type, content } = JSON.parse(text) as { type: string; content: string }
      if (type === 'note/txt') notes.push(content)
    }
  }
  await db.close()
  return notes
}

describe('a backup', () => {
  it('holds attached files, the key and the settings', async () => {
    const bytes = randomBytes(300_000)
    const answer = await sendParts(
      { node, username: 'alice', owner: token },
      '/events',
      [eventPart({ streamIds: ['diary'], type: 'file/attached' }), filePart('a.bin', bytes)],
    )
    expect(answer.status).toBe(201)
    const { path, manifest } = await backUp({ passphrase: PASSPHRASE })
    expect(manifest.counts).toMatchObject({ users: 1, attachments: 1, files: 1 })
    const places = placesOf(await folder())
    await restoreHome(await openArchive(path, promptPassphrase), places)
    expect(await readFile(places.key, 'utf8')).toBe(await readFile(node.places.key, 'utf8'))
    expect((await stat(places.key)).mode & 0o777).toBe(0o600)
    expect(await readFile(places.config, 'utf8')).toBe(await readFile(node.places.config, 'utf8'))
    const second = await startTestNode({}, { home: places.home })
    try {
      const { body: got } = await request(`${second.url}alice/events?types[]=file/attached`, { token })
      const [event] = got['events'] as { id: string; attachments: { id: string }[] }[]
      const stage = { node: second, username: 'alice', owner: token }
      const file = await download(stage, `/events/${event?.id}/${event?.attachments[0]?.id}`)
      expect(Buffer.compare(file.bytes, bytes)).toBe(0)
    } finally {
      await second.stop()
    }
  })

  it('reuses unchanged members of its base, and stays complete without it', async () => {
    const first = await backUp({ passphrase: PASSPHRASE })
    await writeEvents(['one more note'])
    const base = await openArchive(first.path, promptPassphrase)
    const second = await backUp({ base })
    expect(second.manifest.base).toBe(first.manifest.name)
    expect(second.manifest.newBytes).toBeLessThan(second.manifest.storedBytes / 2)
    await rm(first.path, { recursive: true })
    expect(await notesIn(second.path)).toContain('one more note')
    const third = await backUp({ base: await openArchive(second.path, promptPassphrase) })
    await expect(verifyArchive(await openArchive(third.path, promptPassphrase), await folder())).resolves.toMatchObject({ differences: 0, damage: [] })
  })

  it('is not restored over an existing home', async () => {
    const { path } = await backUp()
    const archive = await openArchive(path, refusePrompt)
    await expect(restoreHome(archive, node.places)).rejects.toThrow('already exists')
    const places = placesOf(await folder())
    await mkdir(places.files, { recursive: true })
    await writeFile(join(places.files, 'something'), '')
    await expect(restoreHome(archive, places)).rejects.toThrow('already exist')
    expect(await readdir(places.home)).toEqual(['files'])
  })

  it('that is sealed reveals no names and no content, and opens with its passphrase only', async () => {
    const { path } = await backUp({ passphrase: PASSPHRASE })
    const digests = new Set((await openArchive(path, promptPassphrase)).members.map(({ digest }) => digest))
    for (const name of await readdir(path, { recursive: true, withFileTypes: true })) {
      expect(digests.has(name.name)).toBe(false)
      if (!name.isFile()) continue
      const bytes = await readFile(join(name.parentPath, name.name))
      for (const word of ['alice', 'diary', token]) expect(bytes.includes(word), `${word} in ${name.name}`).toBe(false)
    }
    await expect(openArchive(path, () => Promise.resolve(new Secret('another')))).rejects.toThrow('passphrase')
  })
})

describe('an archive that was altered', () => {
  it.each<[string, (path: string) => Promise<void>, string]>([
    ['without its manifest', (path) => rm(join(path, 'manifest.json')), 'no archive'],
    ['with other counts', (path) => edit(path, (all) => ({ ...all, counts: { ...Object(all['counts']), events: 0 } })), 'was modified'],
    ['with another position', (path) => edit(path, (all) => ({ ...all, position: { commit: 0, hash: '' } })), 'was modified'],
    ['with a cheaper key', (path) => edit(path, ({ sealing, ...all }) => ({ ...all, sealing: { ...Object(sealing), passes: 1 } })), 'passphrase'],
    ['with a key that costs too much', (path) => edit(path, ({ sealing, ...all }) => ({ ...all, sealing: { ...Object(sealing), memory: 2 ** 30 } })), 'lacks sealing.memory'],
    ['that claims not to be sealed', (path) => edit(path, ({ sealing: _, ...all }) => all), 'was modified'],
    ['of a newer coffer', (path) => edit(path, (all) => ({ ...all, version: 99 })), 'newer coffer'],
    ['with a manifest that is no JSON', (path) => writeFile(join(path, 'manifest.json'), '{'), 'cannot be read'],
    ['with an index that ends early', async (path) => writeFile(join(path, 'index'), (await readFile(join(path, 'index'))).subarray(0, -1)), 'index ends too early'],
    ['without its index', (path) => rm(join(path, 'index')), 'index is missing'],
  ])('%s is not opened', async (_, alter, message) => {
    const { path } = await backUp({ passphrase: PASSPHRASE })
    await alter(path)
    await expect(openArchive(path, promptPassphrase)).rejects.toThrow(message)
  })

  it('in a member is not restored', async () => {
    const { path } = await backUp()
    const archive = await openArchive(path, refusePrompt)
    for (const kind of ['entries', 'file', 'key']) {
      const member = archive.members.find((each_) => each_.kind === kind)
      const file = join(path, member?.file ?? '')
      const bytes = await readFile(file)
      // Breaks the hard links that other archives may share.
      await rename(file, `${file}.kept`)
      await writeFile(file, Buffer.concat([bytes.subarray(0, 3), Buffer.from([(bytes[3] ?? 0) ^ 1]), bytes.subarray(4)]))
      const places = placesOf(await folder())
      await expect(restoreHome(archive, places), kind).rejects.toThrow('is damaged')
      expect(await readdir(places.home), kind).toEqual([])
      await rename(`${file}.kept`, file)
    }
    await expect(restoreHome(archive, placesOf(await folder()))).resolves.toMatchObject({ differences: 0 })
  })
})

describe('a store that differs from its archive', () => {
  it('is reported with each differing entry and file', async () => {
    const { path } = await backUp()
    const archive = await openArchive(path, refusePrompt)
    const at = await folder()
    const target = { store: join(at, 'store'), files: join(at, 'files') }
    await writeStore(archive, target)
    await expect(compareStore(archive, target)).resolves.toMatchObject({ differences: 0 })
    const db = await openDatabase(join(target.store, 'db'))
    const batch = db.batch()
    batch.put('1/t/another', '{}')
    await batch.write({ sync: true })
    await db.close()
    const member = archive.members.find(({ kind }) => kind === 'file')
    const file = join(target.files, member?.about?.['account'] ?? '', member?.digest.slice(0, 2) ?? '', member?.digest ?? '')
    await writeFile(file, 'other bytes')
    await copyFile(file, `${file.slice(0, -1)}${file.endsWith('0') ? '1' : '0'}`)
    const { problems } = await compareStore(archive, target)
    expect(problems).toEqual([
      expect.stringContaining('of entries is not in the archive'),
      expect.stringContaining('was not restored'),
      expect.stringMatching(/(has other content|is not in the archive)/),
      expect.stringMatching(/(has other content|is not in the archive)/),
      expect.stringMatching(/^streams: 2 where the archive has 1/),
      expect.stringMatching(/^entries: /),
      expect.stringMatching(/^files: 2 where/),
    ])
  })
})

describe('a folder of archives', () => {
  it('lists complete archives, and drops unfinished ones of processes that no longer run', async () => {
    const at = await folder()
    await mkdir(join(at, '.old.999999999@nobody.unfinished'))
    const { hostname } = await import('node:os')
    await mkdir(join(at, `.gone.999999999@${hostname()}.unfinished`))
    await mkdir(join(at, `.going.${process.pid}@${hostname()}.unfinished`))
    await mkdir(join(at, 'something else'))
    expect(await archivesIn(at)).toEqual([])
    await dropUnfinished(at, Date.now() / 1000)
    expect((await readdir(at)).sort()).toEqual([`.going.${process.pid}@${hostname()}.unfinished`, '.old.999999999@nobody.unfinished', 'something else'])
    await dropUnfinished(at, Date.now() / 1000 + 3 * 86_400)
    expect(await readdir(at)).not.toContain('.old.999999999@nobody.unfinished')
  })
})

async function edit(path: string, change: (manifest: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
  const manifest = (await readManifest(path)) as unknown as Record<string, unknown>
  await writeFile(join(path, 'manifest.json'), JSON.stringify(change(manifest)))
}
