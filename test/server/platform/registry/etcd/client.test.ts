/** The client of etcd with a cluster of one member. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Condition, EtcdClient, Operation, RangeRequest } from '../../../../../src/server/platform/registry/etcd/api.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../../support/services/etcd.js'
import { restrictUser } from './authorization.js'
import { clients, collectChanges, collectingLog, failureOf } from './clients.js'

const { connect, closeAll } = clients()
const put = (key: string, value = ''): Operation => ({ put: key, value })
const keysOf = ({ items }: { items: { key: string }[] }): string[] => items.map(({ key }) => key)

describe.skipIf(!hasEtcd)(titleWithEtcd('etcd client'), () => {
  let etcd: TestEtcd
  let client: EtcdClient
  beforeAll(async () => {
    etcd = await startEtcd()
    client = connect(etcd)
  })
  afterAll(async () => {
    closeAll()
    await etcd?.stop()
  })

  it('writes and reads keys', async () => {
    const { revision, succeeded, results } = await client.transaction({ then: [put('a/1', 'ärgerlich 🐘'), { range: { key: 'a/1' } }] })
    const item = { key: 'a/1', value: 'ärgerlich 🐘', revision }
    expect({ succeeded, results }).toEqual({ succeeded: true, results: [{ put: true }, { items: [item], count: 1, revision }] })
    expect(await client.range({ key: 'a/1' })).toEqual({ items: [item], count: 1, revision })
    expect(await client.range({ key: 'a/2' })).toEqual({ items: [], count: 0, revision })
  })

  describe('transactions', () => {
    let revision: number
    beforeAll(async () => void ({ revision } = await client.transaction({ then: [put('t/there', 'x')] })))

    it.each<[boolean, string, () => Condition[]]>([
      [true, 'no condition', () => []],
      [true, 'an absent key', () => [{ key: 't/absent', isAbsent: true }]],
      [false, 'a present key that must be absent', () => [{ key: 't/there', isAbsent: true }]],
      [true, 'a present key', () => [{ key: 't/there', isPresent: true }]],
      [false, 'an absent key that must be present', () => [{ key: 't/absent', isPresent: true }]],
      [true, 'an unchanged key', () => [{ key: 't/there', ifRevision: revision }]],
      [false, 'a changed key', () => [{ key: 't/there', ifRevision: revision - 1 }]],
      [true, 'an absent key at revision 0', () => [{ key: 't/absent', ifRevision: 0 }]],
      [false, 'one of two conditions', () => [{ key: 't/there', isPresent: true }, { key: 't/absent', isPresent: true }]],
    ])('are decided with %s for %s', async (holds, _, conditions) => {
      const ran = await client.transaction({ if: conditions(), then: [put('t/then')], else: [{ range: { key: 't/there' } }] })
      expect(ran.succeeded).toBe(holds)
      expect(ran.results).toEqual(holds ? [{ put: true }] : [{ items: [{ key: 't/there', value: 'x', revision }], count: 1, revision: ran.revision }])
    })

    it('delete one key and all keys with a prefix', async () => {
      await client.transaction({ then: ['d/1', 'd/2', 'd/3', 'd'].map((key) => put(key)) })
      const { results } = await client.transaction({ then: [{ delete: 'd/1' }, { delete: 'd/', isPrefix: true }, { delete: 'd/none' }] })
      expect(results).toEqual([{ deleted: 1 }, { deleted: 2 }, { deleted: 0 }])
      expect(keysOf(await client.range({ key: 'd', isPrefix: true }))).toEqual(['d'])
    })

    it.each<[string, Operation[], string]>([
      ['an empty key', [put('')], 'key is not provided'],
      ['an unknown lease', [{ put: 't/x', value: '', lease: '12345' }], 'lease not found'],
      ['a key that is put twice', [put('t/x'), put('t/x')], 'duplicate key'],
      ['more operations than etcd takes', Array.from({ length: 129 }, (_, index) => put(`t/${index}`)), 'too many operations'],
      ['more bytes than etcd takes', [put('t/x', 'x'.repeat(2_000_000))], 'too large'],
      ['no decimal id of a lease', [{ put: 't/x', value: '', lease: 'x' }], 'cannot be encoded'],
    ])('are rejected for %s, and not applied', async (_, then, message) => {
      expect(await failureOf(client.transaction({ then }))).toEqual({ message: expect.stringContaining(message), applied: 'none', isUnavailable: false })
      expect((await client.range({ key: 't/x' })).count).toBe(0)
    })
  })

  describe('ranges', () => {
    const keys = ['p/', 'p/a', 'p/a/b', 'p/z', 'p/é', 'p/🐘']
    let revision: number
    beforeAll(async () => void ({ revision } = await client.transaction({ then: ['o', ...keys, 'p0'].map((key) => put(key, `value of ${key}`)) })))

    it.each<[string, RangeRequest, string[], number]>([
      ['all keys with a prefix', { key: 'p/', isPrefix: true }, keys, 6],
      ['one key', { key: 'p/a' }, ['p/a'], 1],
      ['a page', { key: 'p/', isPrefix: true, limit: 2 }, ['p/', 'p/a'], 6],
      ['the next page', { key: 'p/', isPrefix: true, limit: 2, after: 'p/a' }, ['p/a/b', 'p/z'], 4],
      ['the last page', { key: 'p/', isPrefix: true, limit: 2, after: 'p/z' }, ['p/é', 'p/🐘'], 2],
      ['nothing after the last key', { key: 'p/', isPrefix: true, after: 'p/🐘' }, [], 0],
      ['all keys after one before the prefix', { key: 'p/', isPrefix: true, after: 'o' }, keys, 6],
      ['a prefix of several bytes', { key: 'p/é', isPrefix: true }, ['p/é'], 1],
      ['the state of the member itself', { key: 'p/z', isSerializable: true }, ['p/z'], 1],
    ])('contain %s', async (_, request, items, count) => {
      const result = await client.range(request)
      expect(keysOf(result)).toEqual(items)
      expect(result.count).toBe(count)
      for (const { key, value } of result.items) expect(value).toBe(`value of ${key}`)
    })

    it('contain keys without values, or only their number', async () => {
      expect(await client.range({ key: 'p/a', keysOnly: true })).toMatchObject({ items: [{ key: 'p/a', value: '', revision }] })
      expect(await client.range({ key: 'p/', isPrefix: true, countOnly: true })).toMatchObject({ items: [], count: 6 })
    })

    it('contain all keys with an empty prefix', async () => {
      const all = keysOf(await client.range({ key: '', isPrefix: true }))
      expect(all).toEqual(expect.arrayContaining(['a/1', 'o', ...keys, 'p0']))
    })

    it('read an earlier revision until it is compacted', async () => {
      const former = await client.transaction({ then: [put('p/a', 'new')] })
      expect((await client.range({ key: 'p/a', revision })).items[0]?.value).toBe('value of p/a')
      await client.compact(former.revision)
      await client.compact(former.revision)
      expect(await failureOf(client.range({ key: 'p/a', revision }))).toEqual({ message: expect.stringContaining('compacted'), applied: 'none', isUnavailable: false })
    })
  })

  describe('leases', () => {
    it('are renewed, and remove their keys when they are revoked', async () => {
      const lease = await client.grant(60)
      const { revision } = await client.transaction({ then: [{ put: 'l/1', value: '', lease }] })
      expect((await client.range({ key: 'l/1' })).items).toEqual([{ key: 'l/1', value: '', revision, lease }])
      expect(await client.keepAlive(lease)).toBe(60)
      await client.revoke(lease)
      expect((await client.range({ key: 'l/1' })).count).toBe(0)
      expect(await client.keepAlive(lease)).toBe(0)
      await client.revoke(lease)
    })

    it('remove their keys when they end, which a watch sees', async () => {
      const lease = await client.grant(1)
      const { revision } = await client.transaction({ then: [{ put: 'l/2', value: 'x', lease }] })
      const changes = collectChanges()
      client.watch('l/', revision - 1, changes.listener)
      await changes.until((events) => events.some(({ item }) => item === undefined))
      const item = { key: 'l/2', value: 'x', revision, lease }
      expect(changes.events).toEqual([{ key: 'l/2', revision, item }, { key: 'l/2', revision: expect.any(Number) }])
    })
  })

  describe('watches', () => {
    it('see changes of their prefix in order, and nothing after they are stopped', async () => {
      const first = await client.transaction({ then: [put('w/0'), put('w'), put('x')] })
      const changes = collectChanges()
      const stop = client.watch('w/', first.revision, changes.listener)
      for (let index = 1; index <= 20; index++) await client.transaction({ then: [put(`w/${index}`, `${index}`), put(`x/${index}`)] })
      await client.transaction({ then: [{ delete: 'w/', isPrefix: true }] })
      await changes.until((events) => events.length >= 41)
      expect(changes.events.slice(0, 20).map(({ item }) => item?.value)).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 1}`))
      expect(changes.events.slice(20).every(({ item }) => item === undefined)).toBe(true)
      stop()
      const other = collectChanges()
      const { revision } = await client.transaction({ then: [put('w/later')] })
      client.watch('w/', revision - 1, other.listener)
      await other.until((events) => events.length === 1)
      expect(changes.events).toHaveLength(41)
    })

    it('deliver large changes whole and in order', async () => {
      const { revision } = await client.transaction({ then: [put('big/start')] })
      const size = 20_000
      for (let round = 0; round < 5; round++) {
        await client.transaction({ then: Array.from({ length: 60 }, (_, index) => put(`big/${round}/${index}`, `${index}`.repeat(size / `${index}`.length))) })
      }
      const changes = collectChanges()
      const batches: number[][] = []
      client.watch('big/', revision, {
        ...changes.listener,
        changed(events) {
          batches.push([...new Set(events.map((event) => event.revision))])
          changes.listener.changed(events)
        },
      })
      await changes.until((events) => events.length >= 300)
      expect(changes.events.map(({ key }) => key)).toEqual(Array.from({ length: 300 }, (_, index) => `big/${Math.floor(index / 60)}/${index % 60}`))
      // No revision is split between two calls: a listener may note it as complete.
      const revisions = batches.flat()
      expect(new Set(revisions).size).toBe(revisions.length)
      expect(batches.length).toBeGreaterThan(1)
    })

    it('go on after a listener has failed', async () => {
      const { log, lines } = collectingLog()
      const { revision } = await client.transaction({ then: [put('f/0')] })
      const changes = collectChanges()
      connect(etcd, { log }).watch('f/', revision - 1, {
        ...changes.listener,
        changed(events) {
          changes.listener.changed(events)
          throw new Error('failed on purpose')
        },
      })
      await changes.until((events) => events.length === 1)
      await client.transaction({ then: [put('f/1')] })
      await changes.until((events) => events.length === 2)
      expect(lines.filter(({ message }) => message.includes('listener'))).toHaveLength(2)
    })

    it('can be stopped by their listener', async () => {
      const { revision } = await client.transaction({ then: [put('s/0')] })
      await client.transaction({ then: [put('s/1')] })
      const changes = collectChanges()
      const stop = client.watch('s/', revision, {
        ...changes.listener,
        changed(events) {
          stop()
          changes.listener.changed(events)
        },
      })
      await changes.until((events) => events.length === 1)
    })

    it('let their listener read again what was compacted, and continue from there', async () => {
      const first = await client.transaction({ then: [put('c/1', 'old')] })
      const last = await client.transaction({ then: [put('c/1', 'new')] })
      await client.compact(last.revision)
      let failures = 1
      let revision = 0
      const changes = collectChanges(async () => {
        if (failures-- > 0) throw new Error('once')
        return ({ revision } = await client.range({ key: 'c/', isPrefix: true })).revision
      })
      client.watch('c/', first.revision - 1, changes.listener)
      await expect.poll(() => revision, { timeout: 10_000 }).toBeGreaterThan(0)
      await client.transaction({ then: [put('c/2')] })
      await changes.until((events) => events.length > 0)
      expect(changes.events.map(({ key }) => key)).toEqual(['c/2'])
      expect(changes.losses).toBe(2)
    })
  })

  it('reports the state of its member', async () => {
    const { revision } = await client.range({ key: 'a' })
    expect(await client.status()).toEqual([
      { endpoint: etcd.endpoints[0], version: expect.stringMatching(/^\d+\.\d+\.\d+/), dbBytes: expect.any(Number), isLeader: true, revision, alarms: [] },
    ])
    const lonely = connect({ endpoints: [...etcd.endpoints, 'http://127.0.0.1:1'] })
    expect(await lonely.status()).toEqual([expect.objectContaining({ isLeader: true }), { endpoint: 'http://127.0.0.1:1', problem: expect.stringContaining('ECONNREFUSED') }])
  })

  it('rejects calls under way and later ones when it is closed', async () => {
    const closing = connect(etcd)
    await closing.range({ key: 'a' })
    const changes = collectChanges()
    closing.watch('closing/', 0, changes.listener)
    const pending = failureOf(closing.transaction({ then: [put('closing/1')] }))
    closing.close()
    expect(await pending).toMatchObject({ isUnavailable: true })
    expect(await failureOf(closing.range({ key: 'a' }))).toEqual({ message: 'The client is closed', applied: 'none', isUnavailable: true })
  })
})

describe.skipIf(!hasEtcd)(titleWithEtcd('etcd client of a member that ends'), () => {
  let etcd: TestEtcd
  beforeAll(async () => void (etcd = await startEtcd()))
  afterAll(async () => {
    closeAll()
    await etcd?.stop()
  })

  it('resumes its watches when the member is back, and misses nothing', async () => {
    const client = connect(etcd)
    const changes = collectChanges()
    const { revision } = await client.transaction({ then: [put('w/0')] })
    client.watch('w/', revision - 1, changes.listener)
    await changes.until((events) => events.length === 1)
    await etcd.kill(0)
    await etcd.restart(0)
    const other = connect(etcd)
    for (let index = 1; index <= 10; index++) await other.transaction({ then: [put(`w/${index}`)] })
    await changes.until((events) => events.length >= 11)
    expect(changes.events.map(({ key }) => key)).toEqual(Array.from({ length: 11 }, (_, index) => `w/${index}`))
  })

  it('reads keys again when etcd was restored to an earlier state', async () => {
    const client = connect(etcd)
    let isRecovered = false
    const changes = collectChanges(async () => {
      const { revision } = await client.range({ key: 'w/', isPrefix: true })
      isRecovered = true
      return revision
    })
    const { revision } = await client.transaction({ then: [put('w/last')] })
    client.watch('w/', revision - 1, changes.listener)
    await changes.until((events) => events.length === 1)
    await etcd.kill(0)
    etcd.erase(0)
    await etcd.restart(0)
    await expect.poll(() => isRecovered, { timeout: 15_000 }).toBe(true)
    await connect(etcd).transaction({ then: [put('w/after')] })
    await changes.until((events) => events.length === 2)
    expect(changes.events[1]?.key).toBe('w/after')
  })
})

describe('etcd client without a cluster', () => {
  it('rejects calls within their time, and at once while nothing answers', async () => {
    const client = connect({ endpoints: ['http://127.0.0.1:1', 'http://127.0.0.1:2'] }, { timeoutMs: 500 })
    const start = performance.now()
    expect(await failureOf(client.transaction({ then: [put('a')] }))).toEqual({ message: expect.stringContaining('ECONNREFUSED'), applied: 'none', isUnavailable: true })
    expect(performance.now() - start).toBeLessThan(1500)
    const again = performance.now()
    expect(await failureOf(client.range({ key: 'a' }))).toEqual({ message: 'etcd does not answer', applied: 'none', isUnavailable: true })
    expect(performance.now() - again).toBeLessThan(1000)
    client.close()
  })

  it('is refused without endpoints', () => expect(() => connect({ endpoints: [] })).toThrow('no endpoints'))
})

describe.skipIf(!hasEtcd)(titleWithEtcd('etcd client with a full store'), () => {
  let etcd: TestEtcd
  beforeAll(async () => void (etcd = await startEtcd({ flags: ['--quota-backend-bytes', '4000000'] })))
  afterAll(async () => {
    closeAll()
    await etcd?.stop()
  })

  it('rejects writes, reads on, and reports the alarm', async () => {
    const client = connect(etcd)
    const fill = async (): Promise<void> => {
      for (let index = 0; index < 50; index++) await client.transaction({ then: [put(`full/${index}`, 'x'.repeat(500_000))] })
    }
    const full = { message: expect.stringContaining('space exceeded'), applied: 'none', isUnavailable: false }
    expect(await failureOf(fill())).toEqual(full)
    expect(await failureOf(client.transaction({ then: [put('full/last')] }))).toEqual(full)
    expect((await client.range({ key: 'full/last' })).count).toBe(0)
    expect(await client.status()).toEqual([expect.objectContaining({ alarms: ['NOSPACE'], isLeader: true })])
  })
})

describe.skipIf(!hasEtcd)(titleWithEtcd('etcd client over TLS'), () => {
  let etcd: TestEtcd
  beforeAll(async () => void (etcd = await startEtcd({ tls: true })))
  afterAll(async () => {
    closeAll()
    await etcd?.stop()
  })

  it('identifies itself by a certificate to members that are addressed by IP', async () => {
    const warnings: string[] = []
    const note = (warning: Error & { code?: string }): void => void warnings.push(warning.code ?? warning.message)
    process.on('warning', note)
    const client = connect(etcd)
    expect((await client.transaction({ then: [put('a')] })).succeeded).toBe(true)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it.each<[string, () => { ca?: string; cert?: string; key?: string }]>([
    ['without a certificate', () => ({ ca: etcd.tls?.ca ?? '' })],
    ['without the authority of the members', () => ({ cert: etcd.tls?.cert ?? '', key: etcd.tls?.key ?? '' })],
  ])('is refused %s', async (_, tls) => {
    const client = connect({ endpoints: etcd.endpoints, tls: tls() as NonNullable<TestEtcd['tls']> }, { timeoutMs: 500 })
    expect(await failureOf(client.transaction({ then: [put('a')] }))).toMatchObject({ applied: 'none', isUnavailable: true })
  })

  it('lets its process end when it is closed, also while a member is frozen', async () => {
    const clear = await startEtcd()
    etcd.freeze(0)
    const program = `
      const { createEtcdClient } = await import(process.argv[1])
      const { running, frozen, tls } = JSON.parse(process.argv[2])
      const ignore = () => {}
      const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
      const client = createEtcdClient({ endpoints: [running, 'http://127.0.0.1:1', frozen], tls, log })
      const { revision } = await client.range({ key: 'a' })
      client.watch('exit/', revision, { changed: ignore, lost: () => Promise.resolve(revision) })
      await client.status(500)
      client.close()
      console.log('closed')`
    const source = fileURLToPath(new URL('../../../../../src/server/platform/registry/etcd/client.ts', import.meta.url))
    const endpoints = JSON.stringify({ running: clear.endpoints[0], frozen: etcd.endpoints[0], tls: etcd.tls })
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, source, endpoints], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000 })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const code = await new Promise((resolve) => child.once('exit', (exit, signal) => resolve(exit ?? signal)))
    etcd.thaw(0)
    await clear.stop()
    expect([code, out]).toEqual([0, 'closed\n'])
  })

  // The last test: from then on, etcd asks for rights.
  it('is refused what the user of its certificate may not read or change', async () => {
    const { log, lines } = collectingLog()
    const client = connect(etcd, { log })
    await restrictUser(etcd, 'core-a', 'P/')
    expect(await client.transaction({ then: [put('P/a')] })).toMatchObject({ succeeded: true })
    const denied = { message: expect.stringContaining('permission denied'), applied: 'none', isUnavailable: false }
    expect(await failureOf(client.transaction({ then: [put('Q/a')] }))).toEqual(denied)
    expect(await failureOf(client.range({ key: 'Q/a' }))).toEqual(denied)
    const changes = collectChanges()
    client.watch('Q/', 0, changes.listener)
    await expect.poll(() => lines.map(({ fields }) => fields['cause']), { timeout: 10_000 }).toEqual(expect.arrayContaining([expect.stringMatching(/permission ?denied/i)]))
    expect(changes.events).toEqual([])
  })
})
