/**
 * A disk that fills up while a node runs: reads continue, writes fail with storage-full, and resume without a restart once
 * there is space. Part of the long run: LONG=1.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import build from '../acceptance/support/build.js'
import { afterTheFile, coffer, errorOf, start, type Running } from '../acceptance/support/coffer.js'
import { expectSound } from '../support/store/check.js'
import { placesOf, request } from '../support/nodes/node.js'
import { LONG, lacks } from './support/needs.js'

const lack = LONG ? lacks('linux', 'root') : 'LONG=1 runs it'
const MB = 1024 * 1024
/** Larger than the reserve of the node, and small enough to fill quickly. */
const SIZE_MB = 80
const password = 'correct horse battery'
const later = afterTheFile()

describe.skipIf(lack !== undefined)(`a full disk${lack === undefined ? '' : `: ${lack}`}`, () => {
  let disk: string
  let home: string
  let node: Running
  let token = ''
  const acknowledged = new Set<string>()
  const requested = new Set<string>()

  beforeAll(async () => {
    build()
    disk = mkdtempSync(join(tmpdir(), 'coffer-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', disk])
    later(() => {
      execFileSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    })
    home = join(disk, 'home')
    const account = ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin']
    expect((await coffer(['init', '--home', home, ...account], { stdin: password })).code).toBe(0)
    await begin()
    const body = { username: 'ana-lovelace', password, appId: 'coffer-test' }
    const login = await request(`${node.url}ana-lovelace/auth/login`, { body, headers: { origin: node.url } })
    token = String(login.body['token'])
    expect((await call('/streams', { id: 's', name: 's' })).status).toBe(201)
  }, 120_000)
  afterAll(() => node.stop())

  const begin = async (): Promise<void> => {
    node = await start(home, {}, later)
  }
  const call = (path: string, body?: unknown): ReturnType<typeof request> =>
    request(`${node.url}ana-lovelace${path}`, { token, ...(body === undefined ? {} : { body }) })
  const filler = (): string => join(disk, 'filler')
  const free = (): number => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize
  }
  /** Fills the disk except for `left` bytes. */
  const fill = (left: number): void => writeFileSync(filler(), Buffer.alloc(Math.max(0, free() - left)))
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

  let made = 0
  /** Writes an event with content of a size; returns the id of the failure, or undefined. */
  async function write(bytes: number): Promise<string | undefined> {
    const id = `c${String((made += 1)).padStart(24, '0')}`
    requested.add(id)
    const { status, body } = await call('/events', { id, streamIds: ['s'], type: 'test/text', content: 'x'.repeat(bytes) })
    if (status === 201) {
      acknowledged.add(id)
      return undefined
    }
    return (body['error'] as { id: string }).id
  }
  async function writeUntilRefused(bytes: number): Promise<string> {
    for (;;) {
      const refused = await write(bytes)
      if (refused !== undefined) return refused
    }
  }
  /** Checks for a refused connection: after a failed write of a table, the node reopens its store without listening. */
  const isReopening = (error: unknown): boolean =>
    error instanceof Error && error.cause instanceof Error && 'code' in error.cause && ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(String(error.cause.code))
  async function writeUntilAccepted(): Promise<void> {
    for (let tries = 0; tries < 50; tries++) {
      const refused = await write(10).catch((error: unknown) => {
        if (isReopening(error)) return 'reopening'
        throw error
      })
      if (refused === undefined) return
      await pause(200)
    }
    throw new Error('Writes did not resume in time.')
  }
  /** Checks that the node shows all acknowledged writes and no others than the requested ones. */
  async function expectAll(): Promise<void> {
    const { status, body } = await call('/events?limit=100000&streams=s')
    expect(status).toBe(200)
    const ids = new Set((body['events'] as { id: string }[]).map(({ id }) => id))
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([])
    expect([...ids].filter((id) => !requested.has(id))).toEqual([])
  }

  it.each([1, 2, 3])('is reported, readable, and writable again once there is space: round %i', { timeout: 120_000 }, async () => {
    fill(34 * MB)
    expect(await writeUntilRefused(100_000)).toBe('storage-full')
    await expectAll()
    const line = ['api', 'events.create', '{"streamIds":["s"],"type":"note/txt","content":"x"}', '--user', 'ana-lovelace']
    const refused = await coffer([...line, '--home', home, '--json'])
    expect(refused).toMatchObject({ code: 75, out: '' })
    expect(errorOf(refused)).toMatchObject({ id: 'storage-full' })
    // The node no longer writes, so filling the disk completely has no effect.
    writeFileSync(join(disk, 'rest'), Buffer.alloc(free()))
    for (let n = 0; n < 5; n++) expect(await write(10)).toBe('storage-full')
    await expectAll()
    rmSync(filler())
    rmSync(join(disk, 'rest'))
    await writeUntilAccepted()
    await expectAll()
  })

  it('that fills up suddenly causes documented failures, and no acknowledged write is lost in a restart', { timeout: 120_000 }, async () => {
    const writers = Promise.all([1, 2, 3, 4].map(() => writeUntilRefused(20_000)))
    fill(0)
    for (const refused of await writers) expect(['storage-full', 'read-only']).toContain(refused)
    await expectAll()
    await node.stop('SIGKILL')
    rmSync(filler())
    await expectSound(placesOf(home))
    await begin()
    await expectAll()
    await writeUntilAccepted()
  })
})
