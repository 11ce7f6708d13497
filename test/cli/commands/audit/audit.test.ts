import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pruneRecords } from '../../../../src/server/audit/retention.js'
import { request, startTestNode } from '../../../support/nodes/node.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'
import { followers, following } from '../../support/following.js'

interface AuditEvent {
  id: string
  type: string
  content: Record<string, unknown>
}

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
  await home.json('streams create home --id home')
  await home.json('events create --stream home --type mass/kg --content 1')
  await home.run('events create --stream nowhere --type mass/kg --content 1')
})
afterAll(() => home.remove())

const listed = async (options = ''): Promise<AuditEvent[]> => {
  const words = ['audit', 'list', ...options.split(' ').filter((word) => word !== '')]
  return (await home.json(words))['events'] as AuditEvent[]
}
const actions = async (options: string): Promise<unknown[]> => (await listed(options)).map(({ content }) => content['action'])

describe('audit list', () => {
  it('lists calls from the terminal, latest first', async () => {
    const [latest] = await listed()
    expect(latest).toMatchObject({
      streamIds: [':_audit:access-system', expect.stringMatching(/^:_audit:action-/) as string],
      content: { source: { name: 'control' } },
    })
    expect(await actions('--method events.create')).toEqual(['events.create', 'events.create'])
  })

  it('lists a batch as one call, plus each call in it that failed', async () => {
    const before = (await listed('--limit 1000')).length
    const good = { method: 'events.create', params: { streamIds: ['home'], type: 'mass/kg', content: 1 } }
    const bad = { method: 'streams.delete', params: { id: 'nowhere' } }
    await home.json(['api', 'callBatch', JSON.stringify([good, good, { method: 'events.get', params: {} }, bad])])
    const after = await listed('--limit 1000')
    // One of the three is the listing before.
    expect(after).toHaveLength(before + 3)
    const entries = after.map(({ type, content }) => [type, content['action'], content['recordCount']])
    expect(entries).toContainEqual(['log/user-api', 'callBatch', 4])
    expect(entries).toContainEqual(['log/user-api-error', 'streams.delete', undefined])
    expect(await actions('--method events.create')).toHaveLength(2)
  })

  it('filters by access, method, failure and time, and limits the number', async () => {
    expect(await actions('--method events.create --failed')).toEqual(['events.create'])
    expect(new Set(await actions('--method events.create --method streams.create --limit 100'))).toEqual(
      new Set(['events.create', 'streams.create']),
    )
    expect(await actions('--access nobody --method events.create')).toEqual([])
    expect(await actions('--access nobody --access system --method events.create')).toHaveLength(2)
    expect(await actions('--limit 1')).toHaveLength(1)
    expect(await actions('--from 2020-01-01 --to 2020-02-01')).toEqual([])
    expect((await actions('--from -1h')).length).toBeGreaterThan(3)
  })

  it('prints a table, or only ids with -q', async () => {
    const { out } = await home.run('audit list --method events.create')
    expect(out).toMatch(/system\s+events\.create\s+unknown-referenced-resource\s+control/)
    expect(out).toMatch(/system\s+events\.create\s+ok\s+control/)
    const quiet = await home.run('audit list --method events.create -q')
    expect(quiet.out).toMatch(/^(:_audit:c[a-z0-9]{24}\n){2}$/)
    const counts = await home.run('audit list --method events.get')
    expect(counts.out).toMatch(/events\.get\s+\d+ items?/)
  })

  it('lists records that events show reads by id', async () => {
    const [record] = await listed('--method streams.create')
    expect((await home.json(`events show ${record?.id ?? ''}`))['event']).toEqual(record)
  })
})

describe('audit follow', () => {
  it('exits 7 when no node runs', async () => {
    expect((await home.run('audit follow')).code).toBe(7)
  })

  it('prints calls live, filtered by the options', async () => {
    const running = await startTestNode({}, { home: home.home })
    try {
      const followed = followers(running.node.audit, 3)
      const all = following(home.home, 'audit follow --json --limit 3')
      const failed = following(home.home, 'audit follow --failed --limit 1')
      const quiet = following(home.home, 'audit follow -q --access system --method events.create --limit 1')
      await followed
      await request(`${running.url}ana-lovelace/events`, { token: 'cunknownunknown' })
      await home.json('events create --stream home --type mass/kg --content 2')
      await home.run('streams tree')
      expect([await all.code, await failed.code, await quiet.code]).toEqual([0, 0, 0])
      const lines = all.out().trim().split('\n').map((line) => JSON.parse(line) as AuditEvent)
      expect(lines.map(({ content }) => content['action'])).toEqual(
        expect.arrayContaining(['events.get', 'events.create']),
      )
      expect(failed.out()).toMatch(/\tinvalid\tevents\.get\tinvalid-access-token\thttp .*127\.0\.0\.1\n$/)
      expect(quiet.out()).toMatch(/^:_audit:c[a-z0-9]{24}\n$/)
    } finally {
      await running.stop()
    }
  })

  it('exits 130 on Ctrl-C, and 7 when the node stops', async () => {
    const running = await startTestNode({}, { home: home.home })
    const followed = followers(running.node.audit, 1)
    const interrupted = following(home.home, 'audit follow ')
    await followed
    process.emit('SIGINT')
    expect(await interrupted.code).toBe(130)
    const again = followers(running.node.audit, 1)
    const disconnected = following(home.home, 'audit follow ')
    await again
    await running.stop()
    expect(await disconnected.code).toBe(7)
  })
})

describe('after the removal of old records', () => {
  it('lists state since when records exist', async () => {
    const other = await testHome('bob-lovelace')
    await other.json('streams create home --id home')
    expect((await other.run('audit list --limit 100')).err).not.toMatch(/Records before/)
    expect((await other.run('users show bob-lovelace')).out).not.toMatch(/Audit/)
    const later = Date.now() / 1000 + 10 * 86_400
    const running = await startTestNode({ 'audit.retention.maxAgeDays': 1 }, { home: other.home, clock: { now: () => later } })
    await pruneRecords(running.node)
    await running.stop()
    const { out, err, code } = await other.run('audit list --limit 100')
    expect(code).toBe(0)
    expect(out).not.toContain('streams.create')
    expect(err).toMatch(/Records before \d{4}-\d\d-\d\d \d\d:\d\d:\d\d were removed \(setting audit\.retention\)/)
    expect((await other.run('audit list -q --limit 100')).err).not.toMatch(/Records before/)
    expect((await other.run('users show bob-lovelace')).out).toMatch(/Audit {6}since \d{4}-/)
    await other.remove()
  })
})
