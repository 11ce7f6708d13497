/** Delays after wrong passwords: docs/interface/auth.md#failed-attempts. */
import { afterEach, describe, expect, it } from 'vitest'
import { clientKey, clientNetwork } from '../../../../src/server/base/clientAddress.js'
import { delayAfter } from '../../../../src/server/auth/attempts.js'
import { each } from '../../../../src/store/engine/database.js'
import { platformKeys, under } from '../../../../src/store/engine/keys.js'
import { expectSound } from '../../../support/store/check.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { homes } from '../../../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'

const clock = fakeClock()
const { home } = homes()
const started: TestNode[] = []
afterEach(async () => {
  for (const node of started.splice(0)) await node.stop()
})

async function start(settings: Record<string, unknown> = {}, users = ['alice']): Promise<TestNode> {
  const node = await startTestNode({ 'auth.trustedApps': '*@*', ...settings }, { clock })
  started.push(node)
  for (const user of users) await registerUser(node, user)
  return node
}

const login = (node: TestNode, user: string, password: string, ip = '203.0.113.7'): Promise<Answer> =>
  request(`${node.url}${user}/auth/login`, {
    body: { username: user, password, appId: 'test-app' },
    headers: { 'x-forwarded-for': ip },
  })
const wrong = (node: TestNode, user = 'alice', ip?: string): Promise<Answer> => login(node, user, 'wrong', ip)
const right = (node: TestNode, user = 'alice', ip?: string): Promise<Answer> => login(node, user, 'correct horse', ip)

async function fail(node: TestNode, times: number, user?: string, ip?: string): Promise<void> {
  for (let n = 0; n < times; n++) expect((await wrong(node, user, ip)).status).toBe(401)
}

const delayed = (seconds: number): object => ({
  status: 429,
  body: { error: { id: 'too-many-attempts', data: { retryAfterSeconds: seconds } } },
})

describe('wrong passwords of an account', () => {
  it('are not delayed at first, then delay the next login, even with the correct password', async () => {
    const node = await start()
    await fail(node, 6)
    const refused = await right(node)
    expect(refused).toMatchObject(delayed(2))
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(JSON.stringify(refused.body)).not.toContain('token')
    clock.pass(1)
    expect(await right(node)).toMatchObject(delayed(1))
    clock.pass(1)
    expect((await right(node)).status).toBe(200)
  })

  it('are reset by a successful login', async () => {
    const node = await start()
    await fail(node, 5)
    expect((await right(node)).status).toBe(200)
    await fail(node, 6)
    clock.pass(2)
    expect((await right(node)).status).toBe(200)
    await fail(node, 6)
  })

  it('double the delay each time up to the maximum, and refused logins do not count', async () => {
    const node = await start({ 'auth.passwordAttempts.maxSeconds': 10 })
    await fail(node, 6)
    for (const seconds of [2, 4, 8, 10, 10]) {
      expect(await wrong(node)).toMatchObject(delayed(seconds))
      expect(await wrong(node)).toMatchObject(delayed(seconds))
      clock.pass(seconds - 0.5)
      expect(await wrong(node)).toMatchObject(delayed(1))
      clock.pass(0.5)
      expect((await wrong(node)).status).toBe(401)
    }
  })

  it('are reset after windowSeconds without failure', async () => {
    const node = await start({ 'auth.passwordAttempts.windowSeconds': 60 })
    await fail(node, 5)
    clock.pass(59)
    await fail(node, 1)
    clock.pass(61)
    await fail(node, 6)
    expect(await right(node)).toMatchObject(delayed(2))
  })

  it('cause no delay if delays are disabled', async () => {
    const node = await start({ 'auth.passwordAttempts.maxSeconds': 0, 'auth.passwordAttempts.perIp.maxFailures': 0 })
    await fail(node, 40)
    expect((await right(node)).status).toBe(200)
  })

  it('of one account do not delay another', async () => {
    const node = await start({}, ['alice', 'bobby'])
    await fail(node, 6)
    expect((await right(node, 'bobby')).status).toBe(200)
    expect((await right(node)).status).toBe(429)
  })

  it('persist across a restart', async () => {
    const places = await home()
    const options = { clock, home: places.home }
    const node = await startTestNode({ 'auth.trustedApps': '*@*' }, options)
    await registerUser(node, 'alice')
    await fail(node, 6)
    await node.stop()
    const again = await startTestNode({ 'auth.trustedApps': '*@*' }, options)
    expect(await right(again)).toMatchObject(delayed(2))
    await again.stop()
    await expectSound(places)
  })

  it('add no delay for failures in the future, after the clock was set back', async () => {
    const node = await start()
    await fail(node, 6)
    clock.pass(-43 * 86_400)
    // One attempt is free of the delay; the failures still count, and so does the next delay.
    expect((await wrong(node)).status).toBe(401)
    expect(await right(node)).toMatchObject(delayed(4))
    clock.pass(4)
    expect((await right(node)).status).toBe(200)
    clock.pass(43 * 86_400)
  })

  it('are limited exactly when they are concurrent', async () => {
    const node = await start()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => wrong(node, 'alice', `203.0.113.${n}`)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(6)
    expect(statuses.filter((status) => status === 429)).toHaveLength(44)
  })

  it('are not counted for concurrent correct passwords', async () => {
    const node = await start()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => right(node, 'alice', `203.0.113.${n % 25}`)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body['token'])).size).toBe(1)
    await fail(node, 5)
    expect((await right(node)).status).toBe(200)
  })

  it('are delayed by the documented times', () => {
    const rule = { freeFailures: 5, baseSeconds: 2, maxSeconds: 300, windowSeconds: 900 }
    expect([0, 5, 6, 7, 8, 12, 13, 14, 500].map((n) => delayAfter(n, rule))).toEqual([0, 0, 2, 4, 8, 128, 256, 300, 300])
  })
})

describe('wrong passwords from a client address', () => {
  const users = Array.from({ length: 8 }, (_, n) => `user-${n}`)
  const few = { 'auth.passwordAttempts.perIp.maxFailures': 6 }

  it('for several accounts refuse further logins from this address, but not from others', async () => {
    const node = await start(few, users)
    for (const user of users.slice(0, 6)) await fail(node, 1, user, '198.51.100.1')
    expect(await right(node, 'user-6', '198.51.100.1')).toMatchObject(delayed(900))
    expect(await right(node, 'user-0', '198.51.100.1')).toMatchObject(delayed(900))
    expect((await right(node, 'user-6', '198.51.100.2')).status).toBe(200)
    clock.pass(899)
    expect(await right(node, 'user-6', '198.51.100.1')).toMatchObject(delayed(1))
    clock.pass(1)
    expect((await right(node, 'user-6', '198.51.100.1')).status).toBe(200)
  })

  it('refuse the 31st account after 30 failures by default', async () => {
    const many = Array.from({ length: 31 }, (_, n) => `person-${n}`)
    const node = await start({}, many)
    for (const user of many.slice(0, 30)) await fail(node, 1, user)
    expect((await right(node, 'person-30')).status).toBe(429)
    expect((await right(node, 'person-30', '198.51.100.9')).status).toBe(200)
  })

  it('cause no refusals for loopback addresses, which belong to a local proxy', async () => {
    const node = await start(few, users)
    for (const ip of ['127.0.0.1', '::1', '127.9.9.9']) for (const user of users) await fail(node, 1, user, ip)
    expect((await right(node, 'user-7', '127.0.0.1')).status).toBe(200)
  })

  it('are not reset by successful logins, which do not count', async () => {
    const node = await start(few, users)
    for (let n = 0; n < 12; n++) expect((await right(node, 'user-7')).status).toBe(200)
    for (const user of users.slice(0, 5)) {
      await fail(node, 1, user)
      expect((await right(node, user)).status).toBe(200)
    }
    await fail(node, 1, 'user-5')
    expect((await right(node, 'user-7')).status).toBe(429)
  })

  it('are counted in a window that later failures do not extend', async () => {
    const node = await start(few, users)
    await fail(node, 1, 'user-0')
    clock.pass(800)
    for (const user of users.slice(1, 6)) await fail(node, 1, user)
    expect(await right(node, 'user-6')).toMatchObject(delayed(100))
    clock.pass(100)
    expect((await right(node, 'user-6')).status).toBe(200)
  })

  it('are not counted while the account is delayed', async () => {
    const node = await start({ ...few, 'auth.passwordAttempts.freeFailures': 2 }, users)
    await fail(node, 3, 'user-0')
    for (let n = 0; n < 10; n++) expect((await wrong(node, 'user-0')).status).toBe(429)
    await fail(node, 3, 'user-1')
    expect((await right(node, 'user-2')).status).toBe(429)
  })

  it('add no delay for a window that was ahead, once the clock is correct again', async () => {
    const node = await start(few, users)
    for (const user of users.slice(0, 6)) await fail(node, 1, user)
    expect(await right(node, 'user-6')).toMatchObject(delayed(900))
    clock.pass(-43 * 86_400)
    expect((await right(node, 'user-6')).status).toBe(200)
    clock.pass(43 * 86_400)
  })

  it('are limited exactly when they are concurrent', async () => {
    const node = await start(few, users)
    const answers = await Promise.all(users.map((user) => wrong(node, user)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(6)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  it('are counted by IPv6 network, and by IPv4 address in any notation', async () => {
    const { node } = await start()
    const key = (ip: string): string | undefined => clientKey(node, ip)
    expect(key('2001:db8:1:200::1')).toBe(key('2001:db8:1:2ff:ffff::9'))
    expect(key('2001:db8:1:200::1')).not.toBe(key('2001:db8:1:300::1'))
    expect(clientNetwork('2001:db8:1:2ff:ffff::9')).toBe('2001:db8:1:200::/56')
    expect(clientNetwork('::ffff:203.0.113.7')).toBe('203.0.113.7')
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map(key)).toEqual([undefined, undefined, undefined])
    expect(key('::ffff:203.0.113.7')).toBe(key('203.0.113.7'))
    expect(key('203.0.113.7')).not.toBe(key('203.0.113.8'))
    expect(clientKey(node, undefined)).toBeUndefined()
    expect(clientKey(node, 'nonsense')).toBeUndefined()
  })

  it('are stored without the address, and removed after the window', async () => {
    const node = await start(few, users)
    await fail(node, 1, 'user-0', '198.51.100.77')
    const { db } = node.node.store
    const stored = []
    for await (const [key, text] of each(db.entries(under(platformKeys.records('passwordFailures'))))) stored.push(key + text)
    expect(stored).toHaveLength(1)
    expect(stored.join()).not.toContain('198.51')
    clock.pass(900)
    await node.node.registry.sweep()
    expect(await node.node.registry.records.list('passwordFailures')).toEqual([])
  })
})
