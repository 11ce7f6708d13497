/**
 * Backups while clients write: each is a snapshot at one journal position, restored and compared with the acknowledged and
 * requested writes. Killed and interrupted backups leave no archive. Scheduled backups run in their own processes.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, coffer, folder, spawnCoffer, start, type Running } from '../acceptance/support/coffer.js'
import { restoreHome } from '../../src/server/maintenance/restoreHome.js'
import { writeCheckpoint } from '../../src/server/maintenance/checkpoints.js'
import { archivesIn, openArchive } from '../../src/store/backup/archive.js'
import { each, openDatabase } from '../../src/store/engine/database.js'
import { expectSound } from '../support/store/check.js'
import { placesOf, registerUser, request, startTestNode } from '../support/nodes/node.js'
import { LONG } from './support/needs.js'

const later = afterTheFile()
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const noPassphrase = (): Promise<never> => Promise.reject(new Error('A passphrase was requested.'))

describe('a checkpoint', () => {
  it('of a process that has ended is removed by the next', async () => {
    const node = await startTestNode()
    try {
      const checkpoints = join(node.places.home, 'checkpoints')
      // Higher than any PID.
      const abandoned = await writeCheckpoint(node.node, 2 ** 30)
      expect(readdirSync(checkpoints)).toEqual([abandoned.id])
      const next = await writeCheckpoint(node.node, process.pid)
      expect(readdirSync(checkpoints)).toEqual([next.id])
    } finally {
      await node.stop()
    }
  })
})

describe('unreferenced files of a store', () => {
  it('are removed only after a checkpoint has linked the files', async () => {
    const node = await startTestNode()
    let finish = (): void => {}
    try {
      const { blobs } = node.node.store
      await registerUser(node, 'alice')
      const bytes = async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(Buffer.from('bytes that nobody needs'))
      }
      const received = await blobs.receive(bytes(), 1, 'sha256')
      await blobs.keep('1', received)
      const linking = blobs.withoutRemovals(() => new Promise<void>((resolve) => (finish = resolve)))
      // The file is unreferenced and would be removed immediately.
      const released = blobs.release('1', received.digest)
      await pause(50)
      expect(existsSync(blobs.pathOf('1', received.digest))).toBe(true)
      finish()
      await linking
      await released
      expect(existsSync(blobs.pathOf('1', received.digest))).toBe(false)
    } finally {
      finish()
      await node.stop()
    }
  })
})

describe.runIf(LONG)('backups of a node under load', () => {
  let home: string
  let node: Running
  let token = ''
  let isOver = false
  let isPaused = false
  let writers: Promise<unknown>
  const acknowledged = new Set<string>()
  const requested = new Set<string>()
  const filler = 'a note that takes its room '.repeat(200)

  beforeAll(async () => {
    build()
    home = join(folder(later), 'home')
    const account = ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin']
    expect((await coffer(['init', '--home', home, ...account], { stdin: 'correct horse battery' })).code).toBe(0)
    node = await start(home, {}, later)
    const body = { username: 'ana-lovelace', password: 'correct horse battery', appId: 'coffer-test' }
    token = String((await request(`${node.url}ana-lovelace/auth/login`, { body, headers: { origin: node.url } })).body['token'])
    await call('/streams', { id: 'diary', name: 'Diary' })
    writers = Promise.all(['p', 'q'].map(write))
  }, 120_000)
  afterAll(async () => {
    isOver = true
    await writers
    await node.stop()
    await expectSound(placesOf(home))
  })

  const call = (path: string, body: unknown): ReturnType<typeof request> => request(`${node.url}ana-lovelace${path}`, { token, body })

  /** Writes in order, so that a snapshot contains a prefix of the writes of each writer. */
  async function write(name: string): Promise<void> {
    for (let n = 0; !isOver; n++) {
      while (isPaused && !isOver) await pause(20)
      const mark = `${name} ${n}`
      requested.add(mark)
      const { status } = await call('/events', { streamIds: ['diary'], type: 'note/txt', content: filler, description: mark })
      expect(status).toBe(201)
      acknowledged.add(mark)
    }
  }

  async function marksIn(store: string): Promise<Set<string>> {
    const db = await openDatabase(join(store, 'db'))
    const found = new Set<string>()
    for await (const text of each(db.values({ gte: '1/e/', lt: '1/e0' }))) {
      const mark = /"description":"([^"]*)"/.exec(text)?.[1]
      if (mark !== undefined) found.add(mark)
    }
    await db.close()
    return found
  }

  const line = (to: string): string[] => ['backup', 'create', '--to', to, '--unsealed', '--home', home, '--json', '--no-input']

  it('are snapshots at one journal position, 20 times', { timeout: 600_000 }, async () => {
    const to = folder()
    for (let n = 0; n < 20; n++) {
      const before = new Set(acknowledged)
      const made = await coffer(line(to))
      expect(made.code, made.err).toBe(0)
      const until = new Set(requested)
      // Pauses the writers, to limit the data to compare.
      isPaused = true
      const path = String((JSON.parse(made.out.trimEnd().split('\n').at(-1) ?? '') as { path: string }).path)
      const places = placesOf(join(folder(), 'home'))
      expect(await restoreHome(await openArchive(path, noPassphrase), places)).toMatchObject({ differences: 0, problems: [] })
      await expectSound(places)
      const found = await marksIn(places.store)
      expect([...before].filter((mark) => !found.has(mark))).toEqual([])
      expect([...found].filter((mark) => !until.has(mark))).toEqual([])
      // A prefix of each writer, because each write waits for the previous one.
      for (const name of ['p', 'q']) {
        const numbers = [...found].filter((mark) => mark.startsWith(name)).map((mark) => Number(mark.slice(2)))
        expect(Math.max(...numbers)).toBe(numbers.length - 1)
      }
      isPaused = false
    }
    expect(await archivesIn(to)).toHaveLength(20)
  })

  it.each(['SIGKILL', 'SIGINT'] as const)('interrupted by %s leave no archive, and the next one removes the remains', { timeout: 120_000 }, async (signal) => {
    const to = folder()
    const checkpoints = join(home, 'checkpoints')
    let caught = 0
    for (let n = 0; n < 12; n++) {
      const child = spawnCoffer(line(to))
      const ended = new Promise((resolve) => child.on('close', resolve))
      const count = (): number => readdirSync(to).length
      const before = count()
      // Waits until the backup has started.
      while (count() === before && child.exitCode === null) await pause(2)
      await pause(n * 3)
      child.kill(signal)
      await ended
      if (readdirSync(to).some((name) => name.endsWith('.unfinished')) || child.exitCode !== 0) caught += 1
      for (const { name } of await archivesIn(to)) {
        const verified = await coffer(['backup', 'verify', join(to, name), '--home', home, '--json', '--no-input'])
        expect(verified.code, verified.err).toBe(0)
      }
    }
    expect(caught).toBeGreaterThan(0)
    expect((await coffer(line(to))).code).toBe(0)
    expect(readdirSync(to).filter((name) => name.startsWith('.'))).toEqual([])
    expect(existsSync(checkpoints) ? readdirSync(checkpoints) : []).toEqual([])
  })

  it('are created by the schedule of a node, in a separate process', { timeout: 120_000 }, async () => {
    const at = folder()
    const to = join(at, 'backups')
    const there = join(at, 'home')
    mkdirSync(there)
    writeFileSync(join(at, 'passphrase'), 'a passphrase of several words\n', { mode: 0o600 })
    writeFileSync(
      join(there, 'config.toml'),
      `[backup]\nto = ${JSON.stringify(to)}\neverySeconds = 60\nkeepLast = 3\npassphraseFile = ${JSON.stringify(join(at, 'passphrase'))}\n`,
    )
    const scheduled = await start(there)
    while (!existsSync(to) || (await archivesIn(to)).length === 0) await pause(100)
    const [archive] = await archivesIn(to)
    expect(archive?.sealing).toBeDefined()
    const verified = await coffer(['backup', 'verify', join(to, archive?.name ?? ''), '--passphrase-file', join(at, 'passphrase'), '--home', there, '--json', '--no-input'])
    expect(verified.code, verified.err).toBe(0)
    expect((await scheduled.stop()).code).toBe(0)
    expect(readdirSync(to)).toHaveLength(1)
  })
})
