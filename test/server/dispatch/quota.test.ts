/** Storage limits of an account: docs/interface/limits.md#sizes (402). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { putUser, readUser, type User } from '../../../src/store/accounts/users.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { eventPart, filePart, sendParts } from '../../support/http/multipart.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { callThrough } from '../../support/http/methodTable.js'

const clock = fakeClock()
let node: TestNode
const LIMITS = { 'limits.account.dbDocuments': 200_000, 'limits.account.attachedFiles': 1000 }
beforeAll(async () => {
  node = await startTestNode(LIMITS, { clock })
})
afterAll(() => node.stop())

let count = 0
interface Stage {
  username: string
  owner: string
  call(method: string, params: unknown, transport?: 'http' | 'batch'): Promise<{ status: number; body: Record<string, unknown> }>
}

async function stage(quota?: User['quota'], on = node): Promise<Stage> {
  const username = `holder-${(count += 1)}`
  const owner = await registerUser(on, username)
  const made: Stage = { username, owner, call: (method, params, transport = 'http') => callThrough(transport, { node: on, username }, owner, method, params) }
  expect((await made.call('streams.create', { id: 'diary', name: 'Diary' })).status).toBe(201)
  if (quota !== undefined) await setQuota(username, quota, on)
  return made
}

async function setQuota(username: string, quota: NonNullable<User['quota']>, on = node): Promise<void> {
  const loaded = await on.node.accounts.find(username)
  await loaded?.account.write((t) => {
    const user = readUser(t, t.account)
    if (user !== undefined) putUser(t, { ...user, quota }, 'update')
  })
}

const note = (content: string, more: object = {}): object => ({ streamIds: ['diary'], type: 'note/txt', content, ...more })
const over = (exceeded: string, limit: number): object => ({
  error: { id: 'user-intervention-required', data: { exceeded, limit, used: expect.any(Number) as number } },
})
/** Returns random text, which does not compress. */
const noise = (length: number): string => Array.from({ length: Math.ceil(length / 24) }, () => node.node.newId()).join('').slice(0, length)

/** Waits for a background task. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let n = 0; !(await isSo()); n++) {
    if (n > 100) throw new Error('The condition was not met in time.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('an account over its record limit', () => {
  let s: Stage
  const ids: string[] = []
  let shared: { id: string }
  let app: { id: string }
  beforeAll(async () => {
    s = await stage()
    const permissions = [{ streamId: 'diary', level: 'read' }]
    shared = (await s.call('accesses.create', { name: 'shared', permissions })).body['access'] as typeof shared
    app = (await s.call('accesses.create', { name: 'app', type: 'app', permissions })).body['access'] as typeof app
    for (let n = 0; n < 12; n++) {
      const { status, body } = await s.call('events.create', note(noise(20_000)))
      if (status !== 201) break
      ids.push((body['event'] as { id: string }).id)
    }
  })

  it('reached it after approximately as many bytes', () => {
    expect(ids.length).toBeGreaterThanOrEqual(4)
    expect(ids.length).toBeLessThanOrEqual(10)
  })

  it.each<[string, (s: Stage) => [string, unknown]]>([
    ['events.create', () => ['events.create', note('x')]],
    ['events.update', () => ['events.update', { id: ids[0], update: { content: 'y' } }]],
    ['streams.create', () => ['streams.create', { name: 'More' }]],
    ['streams.update', () => ['streams.update', { id: 'diary', update: { clientData: { a: 'b' } } }]],
    ['accesses.create', () => ['accesses.create', { name: 'more', permissions: [] }]],
    ['profile.updatePublic', () => ['profile.updatePublic', { update: { a: 'b' } }]],
    ['followedSlices.create', () => ['followedSlices.create', { name: 'n', url: 'https://x.example/', accessToken: 't' }]],
  ])('refuses %s', async (_, call) => {
    for (const transport of ['http', 'batch'] as const) {
      const { status, body } = await s.call(...call(s), transport)
      expect([status, body]).toMatchObject([402, over('dbDocuments', 200_000)])
    }
  })

  it.each<[string, () => [string, unknown], number]>([
    ['reading', () => ['events.get', { limit: 1 }], 200],
    ['trashing', () => ['events.update', { id: ids[1], update: { trashed: true } }], 200],
    ['trashing a stream', () => ['streams.update', { id: 'diary', update: { trashed: false } }], 200],
    ['removing profile keys', () => ['profile.updatePublic', { update: { a: null } }], 200],
    ['reducing the permissions of an access', () => ['accesses.update', { id: app.id, update: { permissions: [] } }], 200],
    ['revoking an access', () => ['accesses.delete', { id: shared.id }], 200],
    ['changing the e-mail address', () => ['events.update', { id: ':system:email', update: { content: `${s.username}@other.example` } }], 200],
  ])('accepts %s', async (_, call, expected) => {
    expect((await s.call(...call())).status).toBe(expected)
  })

  it('accepts login and logout', async () => {
    const body = { username: s.username, password: 'correct horse', appId: 'other-app' }
    const { status, body: answer } = await request(`${node.url}${s.username}/auth/login`, { body, headers: { origin: 'http://localhost' } })
    expect(status).toBe(200)
    const token = String(answer['token'])
    expect((await request(`${node.url}${s.username}/auth/logout`, { method: 'POST', token })).status).toBe(200)
  })

  it('accepts records again once enough was deleted', async () => {
    for (const id of ids.slice(0, -1)) {
      await s.call('events.delete', { id })
      expect((await s.call('events.delete', { id })).status).toBeLessThan(410)
    }
    await until(async () => {
      clock.pass(10)
      return (await s.call('events.create', note('small'))).status === 201
    })
  })

  it('accepts records again once it has a higher limit of its own, or none', async () => {
    const full = await stage({ dbDocuments: 0 })
    expect((await full.call('events.create', note('x'))).body).toMatchObject(over('dbDocuments', 0))
    await setQuota(full.username, { dbDocuments: 10_000_000 })
    expect((await full.call('events.create', note('x'))).status).toBe(201)
    await setQuota(full.username, { dbDocuments: null })
    expect((await full.call('events.create', note('x'))).status).toBe(201)
    // The limits of the settings apply to accounts without their own.
    await setQuota(full.username, {})
    expect((await full.call('events.create', note('x'))).status).toBe(201)
  })
})

describe('the first change under a limit', () => {
  let free: TestNode
  beforeAll(async () => {
    free = await startTestNode({}, { clock })
  })
  afterAll(() => free.stop())

  /** Creates an account with 60 KB of records on a node without limits. */
  const filled = async (): Promise<Stage> => {
    const s = await stage(undefined, free)
    for (let n = 0; n < 3; n++) expect((await s.call('events.create', note(noise(20_000)))).status).toBe(201)
    return s
  }

  it.each(['http', 'batch'] as const)('is refused if the account already exceeds it (%s)', async (transport) => {
    const s = await filled()
    await setQuota(s.username, { dbDocuments: 30_000 }, free)
    const { status, body } = await s.call('events.create', note('x'), transport)
    expect([status, body]).toMatchObject([402, over('dbDocuments', 30_000)])
  })

  it('is refused with files, before they are received', async () => {
    const s = await filled()
    await setQuota(s.username, { dbDocuments: 30_000 }, free)
    expect(await sendParts({ node: free, ...s }, '/events', [eventPart(note('x')), filePart('f', 'x')])).toMatchObject({ status: 402, body: over('dbDocuments', 30_000) })
  })

  it('is refused after a period without a limit', async () => {
    const s = await stage({ dbDocuments: 10_000_000 }, free)
    await setQuota(s.username, {}, free)
    for (let n = 0; n < 3; n++) expect((await s.call('events.create', note(noise(20_000)))).status).toBe(201)
    await setQuota(s.username, { dbDocuments: 30_000 }, free)
    expect((await s.call('events.create', note('x'))).body).toMatchObject(over('dbDocuments', 30_000))
  })

  it('is accepted if compressed records are below the limit', async () => {
    const s = await stage(undefined, free)
    for (let n = 0; n < 3; n++) expect((await s.call('events.create', note('a'.repeat(20_000)))).status).toBe(201)
    await setQuota(s.username, { dbDocuments: 50_000 }, free)
    expect((await s.call('events.create', note('x'))).status).toBe(201)
  })

  it('is applied before the next calls of its batch', async () => {
    const s = await filled()
    await setQuota(s.username, { dbDocuments: 10_000_000 }, free)
    const id = 'cfirstunderalimitabcdefgh'
    const calls = [
      { method: 'streams.create', params: { id: 'new', name: 'New' } },
      { method: 'events.create', params: note('x', { id, streamIds: ['new'] }) },
      { method: 'events.update', params: { id, update: { trashed: true } } },
    ]
    const { body } = await request(`${free.url}${s.username}`, { token: s.owner, body: calls })
    expect(body['results']).toMatchObject([{ stream: { id: 'new' } }, { event: { id } }, { event: { id, trashed: true } }])
  })
})

describe('the size of records', () => {
  it('is measured in the background', async () => {
    const s = await stage({ dbDocuments: 300_000 })
    for (let n = 0; n < 6; n++) expect((await s.call('events.create', note(noise(20_000)))).status).toBe(201)
    const { account } = (await node.node.accounts.find(s.username)) ?? {}
    if (account === undefined) throw new Error('no account')
    clock.pass(61)
    await s.call('events.create', note('x'))
    await until(async () => (await account.db.size(under(accountKeys.all(account.prefix)))) > 60_000)
    await setQuota(s.username, { dbDocuments: 60_000 })
    expect((await s.call('events.create', note('x'))).body).toMatchObject(over('dbDocuments', 60_000))
  })
})

describe('the limit of attached files', () => {
  const attach = (s: Stage, sizes: number[]): Promise<Answer> => {
    const files = sizes.map((size, n) => filePart(`f${n}.bin`, noise(size)))
    return sendParts({ node, ...s }, '/events', [eventPart(note('with files')), ...files])
  }

  it('is exact and includes each file', async () => {
    const s = await stage({ dbDocuments: null })
    expect((await attach(s, [400, 400])).status).toBe(201)
    expect(await attach(s, [201])).toMatchObject({ status: 402, body: over('attachedFiles', 1000) })
    expect((await attach(s, [200])).status).toBe(201)
    expect(await attach(s, [1])).toMatchObject({ status: 402, body: over('attachedFiles', 1000) })
    // Records are still accepted.
    expect((await s.call('events.create', note('without'))).status).toBe(201)
    const { body } = await s.call('events.get', {})
    const events = body['events'] as { id: string; attachments?: { id: string }[] }[]
    expect(events.filter(({ attachments }) => attachments !== undefined)).toHaveLength(2)
    const [holder] = events.filter(({ attachments }) => attachments?.length === 2)
    const file = holder?.attachments?.[0]
    expect((await s.call('events.deleteAttachment', { id: holder?.id, fileId: file?.id })).status).toBe(200)
    expect((await attach(s, [400])).status).toBe(201)
  })

  it('applies to the sum of concurrent uploads', async () => {
    const s = await stage({ dbDocuments: null })
    const answers = await Promise.all(Array.from({ length: 20 }, () => attach(s, [300])))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(17)
    const { body } = await s.call('events.getOne', { id: ':_system:attachedFiles' })
    expect(body['event']).toMatchObject({ content: 900 })
  })
})

describe('a node without limits', () => {
  it('refuses no records and does not measure their size', async () => {
    const free = await startTestNode({}, { clock })
    const s = await stage(undefined, free)
    let flushes = 0
    const { db } = free.node.store
    const flush = db.flush.bind(db)
    db.flush = () => {
      flushes += 1
      return flush()
    }
    for (let n = 0; n < 5; n++) expect((await s.call('events.create', note(noise(50_000)))).status).toBe(201)
    clock.pass(1000)
    expect((await s.call('events.create', note('x'))).status).toBe(201)
    expect(flushes).toBe(0)
    await free.stop()
  })
})
