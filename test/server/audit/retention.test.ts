/** Removal of old audit records by age and by size, and the start time shown to readers. */
import { describe, expect, it } from 'vitest'
import { pruneRecords } from '../../../src/server/audit/retention.js'
import { operate } from '../../support/nodes/operatorMethods.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { accountOfUsername } from '../../../src/store/accounts/users.js'
import { grantAccess } from '../../support/people/access.js'
import { actionsOf, recordsOf } from '../../support/people/audit.js'
import { checkStore } from '../../../src/store/check/index.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { request, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { withNode } from '../../support/nodes/started.js'

const DAY = 86_400
const MB = 1024 * 1024

async function prune(node: TestNode): Promise<void> {
  await pruneRecords(node.node)
}

/** Returns the stored characters of the audit records of an account. */
async function stored({ node }: Stage, username: string): Promise<number> {
  const { db } = node.node.store
  const prefix = accountOfUsername(db, username) ?? ''
  let sum = 0
  for await (const [key, value] of each(db.entries(under(`${prefix}/g/`)))) sum += key.length + value.length
  return sum
}

/** Returns the stage with a new session. */
async function renewed(s: Stage): Promise<Stage> {
  const { body } = await request(`${s.node.url}${s.username}/auth/login`, {
    body: { username: s.username, password: 'correct horse', appId: 'test-app' },
    headers: { origin: 'http://localhost:1' },
  })
  return { ...s, owner: String(body['token']) }
}

/** Calls getAccessInfo, which is recorded. */
const call = (s: Stage, token: string, query = ''): ReturnType<typeof request> => request(`${s.node.url}${s.username}/access-info${query}`, { token })

async function expectSound(node: TestNode): Promise<void> {
  const { problems } = await checkStore(node.node.store.db, { head: node.node.store.head, files: node.places.files })
  expect(problems.filter(({ where }) => /audit/.test(where))).toEqual([])
}

describe('records over the maximum age', () => {
  const clock = fakeClock()
  const node = withNode({ 'audit.retention.maxAgeDays': 30 }, { clock })

  it('are removed, and readers see the start of the remaining ones', async () => {
    let s = await newStage(node())
    const { token, id } = await grantAccess(node(), s.username, [{ streamId: '*', level: 'read' }])
    const own = [`:_audit:access-${id}`]
    const [session, later] = [await grantAccess(node(), s.username, [{ streamId: '*', level: 'read' }]), 20 * DAY]
    await call(s, token)
    await call(s, session.token)
    expect(await recordsOf(s, own)).toHaveLength(1)
    clock.pass(later)
    s = await renewed(s)
    await call(s, token)
    await call(s, token)
    await prune(node())
    expect(await recordsOf(s, own)).toHaveLength(3)
    const root = async (): Promise<unknown> => (await request(`${node().url}${s.username}/streams?id=%3A_audit%3A`, { token: s.owner })).body['streams']
    expect(await root()).toMatchObject([{ id: ':_audit:' }])
    expect(JSON.stringify(await root())).not.toContain('audit:since')

    clock.pass(15 * DAY)
    s = await renewed(s)
    const cut = clock.now() - 30 * DAY
    await prune(node())
    expect(await recordsOf(s, own)).toHaveLength(2)
    // A query with an earlier start finds the remaining records.
    expect(await recordsOf(s, own, `&fromTime=0&toTime=${clock.now()}`)).toHaveLength(2)
    expect(await recordsOf(s, own, `&fromTime=0&toTime=${cut}`)).toEqual([])
    const since = expect.closeTo(cut, 0) as number
    expect(await root()).toMatchObject([{ id: ':_audit:', clientData: { 'audit:since': since } }])
    expect(await operate(node().node, 'audit.retention', { username: s.username })).toEqual({
      since,
      maxAgeDays: 30,
      maxMbPerAccount: null,
    })
    expect(await operate(node().node, 'users.show', { username: s.username })).toMatchObject({ user: { auditSince: since } })

    // An access without records is listed again after its next call.
    await call(s, session.token)
    expect(await recordsOf(s, [`:_audit:access-${session.id}`])).toHaveLength(1)
    expect(await recordsOf(s, [':_audit:'])).not.toHaveLength(0)
    await expectSound(node())
  })

  it('of writes are found again after all records of their access were removed', async () => {
    let s = await newStage(node())
    const { token, id } = await grantAccess(node(), s.username, [{ streamId: '*', level: 'manage' }])
    const create = (stream: string): ReturnType<typeof request> =>
      request(`${node().url}${s.username}/streams`, { token, body: { id: stream, name: stream } })
    await create('one')
    clock.pass(31 * DAY)
    s = await renewed(s)
    await prune(node())
    expect(await actionsOf(s, [`:_audit:access-${id}`])).toEqual([])
    await create('two')
    expect(await actionsOf(s, [`:_audit:access-${id}`])).toEqual(['streams.create'])
    await expectSound(node())
  })
})

describe('records over the maximum size', () => {
  const clock = fakeClock()
  const node = withNode({ 'audit.retention.maxMbPerAccount': 1 }, { clock })

  it('are removed, oldest first, across all accesses', async () => {
    const s = await newStage(node())
    const apps = await Promise.all([1, 2].map(() => grantAccess(node(), s.username, [{ streamId: '*', level: 'read' }])))
    const fill = async (from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n++) {
        clock.pass(1)
        await call(s, apps[n % 2]?.token ?? '', `?n=${n}&x=${'x'.repeat(3000)}`)
      }
      await recordsOf(s, [':_audit:action-nothing'])
      clock.pass(200)
    }
    const numbers = async (): Promise<number[]> =>
      (await recordsOf(s, [':_audit:action-getAccessInfo'])).map(({ content }) => Number((content['query'] as { n: string }).n))
    await fill(0, 300)
    await prune(node())
    expect(await numbers()).toHaveLength(300)
    await fill(300, 450)
    expect(await stored(s, s.username)).toBeGreaterThan(MB)
    await prune(node())
    const remaining = await numbers()
    expect(await stored(s, s.username)).toBeLessThan(MB)
    expect(await stored(s, s.username)).toBeGreaterThan(0.85 * MB)
    expect(remaining).toEqual(Array.from({ length: remaining.length }, (_, at) => 450 - remaining.length + at))
    // Removed records no longer count, so nothing is removed until more are written.
    await prune(node())
    expect(await numbers()).toEqual(remaining)
    await fill(450, 470)
    await prune(node())
    expect(await numbers()).toHaveLength(remaining.length + 20)
    await fill(470, 600)
    await prune(node())
    expect(await stored(s, s.username)).toBeLessThan(MB)
    expect((await numbers()).at(-1)).toBe(599)
    await expectSound(node())
  })
})

describe('by default', () => {
  const clock = fakeClock()
  const node = withNode({}, { clock })

  it('no record is removed', async () => {
    let s = await newStage(node())
    await call(s, s.owner)
    clock.pass(4000 * DAY)
    s = await renewed(s)
    await prune(node())
    expect(await actionsOf(s, [':_audit:'])).toContain('getAccessInfo')
    const prefix = accountOfUsername(node().node.store.db, s.username) ?? ''
    expect(node().node.store.db.get(accountKeys.auditRetention(prefix))).toBeUndefined()
    expect(await stored(s, s.username)).toBeGreaterThan(0)
  })
})
