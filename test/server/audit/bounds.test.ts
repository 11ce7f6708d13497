/** Limits of audit storage: calls with unknown tokens share records, and the size of a record is bounded. */
import { describe, expect, it } from 'vitest'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { accountOfUsername } from '../../../src/store/accounts/users.js'
import { grantAccess } from '../../support/people/access.js'
import { contentOf, recordsOf, type AuditEvent } from '../../support/people/audit.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { request } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { withNode } from '../../support/nodes/started.js'

const clock = fakeClock()
const node = withNode({}, { clock })

const INVALID = [':_audit:access-invalid']
const unknown = (s: Stage, path: string, from?: string): ReturnType<typeof request> =>
  request(`${node().url}${s.username}${path}`, {
    token: 'cunknownunknownunknown',
    ...(from === undefined ? {} : { headers: { 'x-forwarded-for': from } }),
  })

/** Returns the stored characters of the records of invalid calls. */
async function stored(s: Stage): Promise<number> {
  const { db } = node().node.store
  const pages = db.entries(under(accountKeys.auditOf(accountOfUsername(db, s.username) ?? '', 'invalid')))
  const page = await pages.next(100_000)
  await pages.close()
  return page.reduce((sum, [key, value]) => sum + key.length + value.length, 0)
}

const counts = (records: readonly AuditEvent[]): unknown[] => records.map(({ content }) => content['callCount'] ?? 1)

describe('refused calls with an unknown token', () => {
  it('share a record for each client and minute, without their query', async () => {
    const s = await newStage(node())
    const first = clock.now()
    for (let n = 0; n < 200; n++) await unknown(s, `/events?n=${n}&streams=${'x'.repeat(4000)}`, '203.0.113.1')
    clock.pass(10)
    await unknown(s, '/events?last=1', '203.0.113.1')
    const records = await recordsOf(s, INVALID)
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({ type: 'log/user-api-error', time: expect.closeTo(first, 3) as number })
    expect(contentOf(records[0])).toEqual({
      source: { name: 'http', ip: '203.0.113.1' },
      action: 'events.get',
      query: {},
      callCount: 201,
      firstTime: records[0]?.time,
      lastTime: expect.closeTo(clock.now(), 3) as number,
      id: 'invalid-access-token',
      message: expect.any(String) as string,
    })
    expect(await stored(s)).toBeLessThan(400)
    clock.pass(50)
    await unknown(s, '/events', '203.0.113.1')
    expect(counts(await recordsOf(s, INVALID))).toEqual([201, 1])
  })

  it('have separate records for each method and client; IPv6 clients are grouped by their /56', async () => {
    const s = await newStage(node())
    for (const from of ['203.0.113.1', '203.0.113.2', '2001:db8::1', '2001:db8:0:ff::2', '2001:db8:0:100::1']) await unknown(s, '/events', from)
    await unknown(s, '/streams', '203.0.113.1')
    const records = await recordsOf(s, INVALID)
    expect(records.map(({ content }) => [content['action'], (content['source'] as { ip: string }).ip, content['callCount'] ?? 1])).toEqual([
      ['events.get', '203.0.113.1', 1],
      ['events.get', '203.0.113.2', 1],
      ['events.get', '2001:db8::1', 2],
      ['events.get', '2001:db8:0:100::1', 1],
      ['streams.get', '203.0.113.1', 1],
    ])
  })

  it('from any number of clients share a bounded number of records', async () => {
    const s = await newStage(node())
    for (let n = 0; n < 250; n++) await unknown(s, '/events', `198.51.${n >> 7}.${n & 127}`)
    const records = await recordsOf(s, INVALID)
    expect(records).toHaveLength(101)
    expect(contentOf(records.at(-1))).toMatchObject({ source: { name: 'http' }, callCount: 150 })
    expect(contentOf(records.at(-1))['source']).not.toHaveProperty('ip')
  })

  it('are reported to followers once for each record, not for each call', async () => {
    const s = await newStage(node())
    for (let n = 0; n < 5; n++) await unknown(s, '/events')
    await node().node.audit.settled((await node().node.accounts.find(s.username))?.account as never)
    const followed: string[] = []
    const stop = node().node.audit.follow((_account, record) => followed.push(record))
    for (let n = 0; n < 5; n++) await unknown(s, '/events')
    // Followers receive a record when it begins and when it is complete, not for each call.
    expect(followed.filter((record) => record.includes('access-invalid'))).toEqual([])
    expect(counts(await recordsOf(s, INVALID))).toEqual([10])
    stop()
  })
})

describe('a record', () => {
  it('stores a bounded part of the query and marks it as incomplete', async () => {
    const s = await newStage(node())
    const { token, id } = await grantAccess(node(), s.username, [{ streamId: '*', level: 'manage' }])
    const long = 'x'.repeat(10_000)
    // The text is truncated within the token.
    const query = `?limit=5&a=${'y'.repeat(4070)}${token}${long}&z=1`
    await request(`${node().url}${s.username}/events${query}`, { headers: { authorization: `${token} ${'caller '.repeat(200)}` } })
    await request(`${node().url}${s.username}/events/${'w'.repeat(9000)}`, { token })
    const records = await recordsOf(s, [`:_audit:access-${id}`])
    const [get, one] = records.map(contentOf)
    expect(get).toMatchObject({ queryIncomplete: true, query: { limit: '5' } })
    expect(get?.['query']).not.toHaveProperty('z')
    expect(String((get?.['query'] as { a: string }).a)).toMatch(/^y{4000,}.*…$/)
    for (const content of [get, one]) {
      const text = JSON.stringify(content)
      expect(text.length).toBeLessThan(6000)
      for (let length = 6; length <= token.length; length++) expect(text).not.toContain(token.slice(0, length))
    }
    expect(String(get?.['callerId'])).toMatch(/^caller .*…$/)
    expect(String(one?.['message']).length).toBeLessThanOrEqual(1024)
  })

  it('lists a bounded number of long stream ids', async () => {
    const s = await newStage(node())
    const ids = Array.from({ length: 60 }, (_, n) => `s-${n}-${'x'.repeat(400)}`)
    const calls = ids.map((id) => ({ method: 'streams.create', params: { id, name: id.slice(0, 20) } }))
    await request(`${node().url}${s.username}`, { token: s.owner, body: calls })
    const body = [{ method: 'events.get', params: { streams: ids } }]
    await request(`${node().url}${s.username}`, { token: s.owner, body })
    const content = contentOf((await recordsOf(s, [':_audit:action-events.get'])).find(({ content }) => content['scopedStreamCount'] !== undefined))
    expect(content['scopedStreamCount']).toBe(60)
    expect((content['scopedStreamIds'] as string[]).length).toBeLessThan(25)
  })
})
