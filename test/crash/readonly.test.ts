/** Failing and full disks: error responses, remaining functions and stored data. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createControl } from '../../src/server/control/control.js'
import { statusOf } from '../../src/server/base/status.js'
import { methods } from '../../src/server/api/methods.js'
import { operatorMethods } from '../../src/server/control/operatorMethods.js'
import { reopenWhenSpaceFreed } from '../../src/server/launch/diskSpaceWatcher.js'
import { Account } from '../../src/store/engine/account.js'
import { createCommitter, type Committer } from '../../src/store/engine/commit.js'
import { openDatabase, type Database } from '../../src/store/engine/database.js'
import { Failure } from '../../src/store/model/failure.js'
import { createTree } from '../../src/store/model/tree.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../support/nodes/node.js'
import { injectFaults, type Faults } from './faults.js'

const { home, folder } = homes()

const errorOf = ({ status, body }: Answer): unknown => [status, (body['error'] as { id: string } | undefined)?.id]
const READ_ONLY = [503, 'read-only']
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30))

describe('a node whose disk fails', () => {
  let places: HomePlaces
  let node: TestNode
  let token: string
  let faults: Faults
  let before: unknown

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    request(`${node.url}alice${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  const event = { streamIds: ['a'], type: 'note/txt', content: 'x' }

  /** Returns the streams and events of read calls. */
  async function readAll(): Promise<unknown> {
    const streams = await call('GET', '/streams?state=all')
    const events = await call('GET', '/events?limit=1000&state=all')
    expect([streams.status, events.status]).toEqual([200, 200])
    return [streams.body['streams'], events.body['events']]
  }

  beforeEach(async () => {
    places = await home()
    node = await startTestNode({}, { home: places.home })
    token = await registerUser(node, 'alice')
    for (const id of ['a', 'b', 'c', 'trashed']) await call('POST', '/streams', { id, name: id })
    await call('DELETE', '/streams/trashed')
    for (let i = 0; i < 3; i++) await call('POST', '/events', event)
    before = await readAll()
    faults = injectFaults(node.node.store.db)
  })

  afterEach(() => node.stop())

  it('refuses the writer that hit the error and all waiting ones, and continues to serve reads until a restart', async () => {
    faults.hold()
    const first = call('POST', '/events', event)
    await later()
    expect(faults.writes).toBe(1)
    // These wait for the next commit, or for each other.
    const waiting = [
      call('POST', '/events', event),
      call('POST', '/streams', { id: 'd', name: 'd' }),
      call('PUT', '/streams/b', { name: 'B' }),
      call('PUT', '/streams/b', { name: 'BB', parentId: 'a' }),
      call('DELETE', '/streams/c'),
      call('DELETE', '/streams/trashed'),
      call('POST', '', [{ method: 'events.create', params: event }]),
      call('POST', '/events', { ...event, streamIds: ['b'] }),
    ]
    await later()
    faults.fail()
    faults.release()
    expect(errorOf(await first)).toEqual(READ_ONLY)
    for (const answer of await Promise.all(waiting)) {
      if ('results' in answer.body) expect(JSON.stringify(answer.body['results'])).toContain('"read-only"')
      else expect(errorOf(answer)).toEqual(READ_ONLY)
    }
    expect(await readAll()).toEqual(before)

    // Nothing is retried, also not by later writers.
    const { writes } = faults
    expect(errorOf(await call('POST', '/events', event))).toEqual(READ_ONLY)
    expect(errorOf(await call('POST', '/streams', { id: 'e', name: 'e' }))).toEqual(READ_ONLY)
    const body = { username: 'barbara', password: 'correct horse', email: 'b@example.org', appId: 'test-app' }
    expect(errorOf(await request(`${node.url}users`, { body }))).toEqual(READ_ONLY)
    expect(faults.writes).toBe(writes)
    expect(await readAll()).toEqual(before)

    await node.stop()
    await expectSound(places)
    node = await startTestNode({}, { home: places.home })
    expect(await readAll()).toEqual(before)
    expect((await call('POST', '/events', event)).status).toBe(201)
  })

  it('lets a read between a change and the error continue, without the change', async () => {
    faults.hold()
    const change = call('POST', '/streams', { id: 'd', name: 'd' })
    await later()
    const read = call('GET', '/streams?state=all')
    await later()
    faults.fail()
    faults.release()
    expect(errorOf(await change)).toEqual(READ_ONLY)
    const { status, body } = await read
    expect({ status, streams: body['streams'] }).toEqual({ status: 200, streams: (before as unknown[])[0] })
  })

  it('serves reads of a batch after the error from disk', async () => {
    faults.fail()
    const { body } = await call('POST', '', [
      { method: 'streams.update', params: { id: 'a', update: { name: 'A' } } },
      { method: 'streams.get', params: { state: 'all' } },
    ])
    const [refused, streams] = body['results'] as [{ error: { id: string } }, { streams: unknown }]
    expect(refused.error.id).toBe('read-only')
    expect(streams.streams).toEqual((before as unknown[])[0])
  })

  it('reports it in its status and log', async () => {
    const control = createControl(node.node, methods, operatorMethods)
    expect(await control.call('node.status', {}, {})).toMatchObject({ state: 'writable' })
    faults.fail()
    await call('POST', '/events', event)
    expect(await control.call('node.status', {}, {})).toMatchObject({ state: 'read-only' })
    expect(node.logged.filter((line) => line.includes('read-only'))).toHaveLength(1)
  })

  it('is full while the database has a full disk, and is reopened once there is space', async () => {
    let stopLooking = (): void => {}
    const reopened = new Promise<void>((resolve) => (stopLooking = reopenWhenSpaceFreed(node.node, resolve)))
    faults.fail('store/db/000012.ldb: No space left on device')
    expect(errorOf(await call('POST', '/events', event))).toEqual([507, 'storage-full'])
    const { writes } = faults
    expect(errorOf(await call('POST', '/streams', { id: 'e', name: 'e' }))).toEqual([507, 'storage-full'])
    // The database accepts no writes any more, even with free space.
    expect(faults.writes).toBe(writes)
    const control = createControl(node.node, methods, operatorMethods)
    expect(await control.call('node.status', {}, {})).toMatchObject({ state: 'full' })
    expect(await readAll()).toEqual(before)

    await reopened
    stopLooking()
    await node.stop()
    await expectSound(places)
    node = await startTestNode({}, { home: places.home })
    expect(await readAll()).toEqual(before)
    expect((await call('POST', '/events', event)).status).toBe(201)
  })
})

describe('a committer', () => {
  let db: Database
  let now: number
  let free: number
  let committer: Committer
  let account: Account

  const committerOf = (mark: () => void = () => {}): Committer =>
    createCommitter({
      db,
      head: { sequence: 0, hash: new Uint8Array(32) },
      now: () => now,
      mark,
      freeBytes: () => Promise.resolve(free),
    })

  function open(mark?: () => void): void {
    committer = committerOf(mark)
    account = new Account({ prefix: '1', db, committer, tree: createTree([]), sequence: 0 })
  }

  const write = (key: string): Promise<unknown> =>
    account.write((t) => {
      t.put(key, 'x')
      t.journal('event', 'create', key)
    })
  const failureOf = (writing: Promise<unknown>): Promise<unknown> =>
    writing.then(
      () => undefined,
      (error: unknown) => (error instanceof Failure ? error.id : error),
    )
  const PLENTY = 1e9

  beforeEach(async () => {
    db = await openDatabase(join(await folder(), 'db'), { create: true })
    now = 1000
    free = PLENTY
    open()
  })

  afterEach(() => db.close())

  it('refuses writes while the disk is nearly full, and accepts them again once there is space', async () => {
    await write('1/a')
    free = 1_000_000
    now += 2
    await write('1/b')
    await later()
    expect(committer.state).toBe('full')
    expect(await failureOf(write('1/c'))).toBe('storage-full')
    expect(await failureOf(account.exclusively((inside) => inside((t) => t.put('1/d', ''))))).toBe('storage-full')
    expect([db.get('1/a'), db.get('1/b'), db.get('1/c'), db.get('1/d')]).toEqual(['x', 'x', undefined, undefined])
    free = PLENTY
    now += 2
    expect(committer.state).toBe('full')
    await later()
    expect(committer.state).toBe('writable')
    await write('1/c')
    expect(db.get('1/c')).toBe('x')
  })

  it('detects a full disk before its first write', async () => {
    free = 0
    open()
    await later()
    expect(await failureOf(write('1/a'))).toBe('storage-full')
  })

  it('checks the free space again although the clock was set back', async () => {
    free = 0
    open()
    await later()
    expect(await failureOf(write('1/a'))).toBe('storage-full')
    free = PLENTY
    now -= 300_000
    expect(await failureOf(write('1/a'))).toBe('storage-full')
    await later()
    expect(await failureOf(write('1/a'))).toBeUndefined()
  })

  it('becomes read-only when writing the high-water mark fails', async () => {
    let marks = 0
    open(() => {
      marks += 1
      if (marks === 2) throw new Error('EIO')
    })
    await write('1/a')
    const writing = [write('1/b'), write('1/c')]
    for (const one of writing) expect(await failureOf(one)).toBe('read-only')
    expect(await failureOf(write('1/d'))).toBe('read-only')
    expect([committer.state, marks, committer.head.sequence]).toEqual(['read-only', 2, 2])
  })

  it.each([
    ['read-only', 503],
    ['storage-full', 507],
  ] as const)('answers %s as %i', (id, status) => {
    expect(statusOf(new Failure(id))).toBe(status)
  })
})
