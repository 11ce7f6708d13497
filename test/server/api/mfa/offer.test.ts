/** What a node offers, and what becomes of factors that it does not offer any more (docs/interface/mfa.md#settings). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { initialise } from '../../../../src/server/launch/init.js'
import { offeredMethods, smsMode } from '../../../../src/server/api/mfa/offer.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { placesOf, registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callsOf, codeAt, enrol, trusting, waitingLogin, type Person } from '../../../support/people/totp.js'

const service = { url: 'https://sms.example/send' }
const mfa = (flags: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flags).map(([key, value]) => [`services.mfa.${key}`, value]))
const single = { 'methods.sms.active': true, 'methods.sms.endpoints.single': service }

describe('the methods on offer', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['as it comes', {}, ['totp']],
    ['switched off', { active: false, ...single }, []],
    ['with text messages', single, ['totp', 'sms']],
    ['with text messages first', { ...single, defaultMethod: 'sms' }, ['sms', 'totp']],
    ['with text messages only', { ...single, 'methods.totp.active': false }, ['sms']],
    ['by the older mode', { mode: 'single', 'sms.endpoints.single': service }, ['sms']],
    ['by the older mode over the others', { mode: 'single', 'sms.endpoints.single': service, 'methods.sms.mode': 'challenge-verify' }, ['sms']],
    ['without any', { 'methods.totp.active': false }, []],
  ])('%s', (_, flags, offered) => expect(offeredMethods(loadConfig({ flags: mfa(flags) }))).toEqual(offered))

  it('may have their addresses in either place', () => {
    const config = loadConfig({ flags: mfa({ mode: 'challenge-verify', 'sms.endpoints.challenge': service, 'methods.sms.endpoints.verify': service }) })
    expect(smsMode(config)).toBe('challenge-verify')
  })
})

describe('a node does not start', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['with text messages and no address', { 'methods.sms.active': true }, 'endpoints.single'],
    ['with half the addresses of its mode', { ...single, 'methods.sms.mode': 'challenge-verify', 'methods.sms.endpoints.challenge': service }, 'endpoints.verify'],
    ['with the older mode and no address', { mode: 'single' }, 'endpoints.single'],
    ['with an unknown mode', { mode: 'carrier-pigeon' }, 'services.mfa.mode'],
    ['with an unknown default', { defaultMethod: 'email' }, 'services.mfa.defaultMethod'],
    ['with five digits', { 'methods.totp.digits': 5 }, 'digits'],
    ['with a period of an hour and more', { 'methods.totp.periodSeconds': 3601 }, 'periodSeconds'],
    ['with a drift of eleven', { 'methods.totp.driftSteps': 11 }, 'driftSteps'],
    ['with no attempts', { 'attempts.perSession': 0 }, 'perSession'],
    ['with an account that chooses the host', { 'methods.sms.endpoints.single': { url: 'https://{{ phone }}/x' } }, 'endpoints.single'],
    ['with a body that nothing is escaped for', { 'methods.sms.endpoints.single': { ...service, body: 'x', headers: { 'Content-Type': 'text/xml' } } }, 'endpoints.single'],
    ['with an address that is none', { 'methods.sms.endpoints.single': { url: 'ftp://sms.example' } }, 'endpoints.single'],
  ])('%s', (_, flags, named) => expect(() => loadConfig({ flags: mfa(flags) })).toThrow(named))

  it('and never tells an address of the service: it may hold keys', () => {
    const wrong = { url: 'ftp://the-key@sms.example' }
    expect(() => loadConfig({ flags: mfa({ 'methods.sms.endpoints.single': wrong }) })).toThrow(/^(?!.*the-key)/)
    expect(loadConfig({ flags: mfa(single) }).entries().find(({ key }) => key.endsWith('endpoints.single'))?.secret).toBe(true)
  })
})

it('warns of a delay that is none', async () => {
  const node = await startTestNode(mfa({ 'attempts.backoff.baseSeconds': 0 }))
  expect(node.logged.join('\n')).toContain('backoff.baseSeconds')
  await node.stop()
})

describe('an account whose node', () => {
  const clock = fakeClock()

  /** A person with an app, on a node that is then started again with other settings. */
  async function after(flags: Record<string, unknown>, look: (node: TestNode, who: Person, secret: string) => Promise<void>): Promise<void> {
    const home = await mkdtemp(join(tmpdir(), 'coffer-mfa-'))
    await initialise(placesOf(home))
    const first = await startTestNode(trusting, { clock, home })
    const who: Person = { username: 'alice', token: await registerUser(first, 'alice') }
    const { secret } = await enrol(first, who, clock)
    await first.stop()
    const second = await startTestNode({ ...trusting, ...mfa(flags) }, { clock, home })
    try {
      await look(second, who, secret)
    } finally {
      await second.stop()
      await rm(home, { recursive: true, force: true })
    }
  }

  it('offers nothing any more logs in by its password, and may take the factor away', () =>
    after({ active: false }, async (node, who, secret) => {
      const calls = callsOf(node, who)
      expect((await request(`${node.url}service/info`)).body['features']).toMatchObject({ mfa: { methods: [] } })
      expect((await calls.login()).status).toBe(200)
      const code = codeAt(secret, clock.now())
      const off = { status: 451, body: { error: { id: 'unavailable-method' } } }
      expect(await calls.activate()).toMatchObject(off)
      expect(await calls.confirm('x', code)).toMatchObject(off)
      expect(await calls.challenge('x')).toMatchObject(off)
      expect(await calls.verify('x', code)).toMatchObject(off)
      expect(await calls.recover('x')).toMatchObject(off)
      expect((await calls.deactivate()).status).toBe(200)
      expect(await calls.profile()).not.toHaveProperty('mfa')
    }))

  it('offers another method cannot log in, and is told why', () =>
    after({ mode: 'single', 'sms.endpoints.single': service }, async (node, who) => {
      const calls = callsOf(node, who)
      const refused = { status: 403, body: { error: { id: 'mfa-method-inactive', message: expect.stringContaining('totp') as string } } }
      const warnings = (): number => node.logged.filter((line) => line.includes('not offered')).length
      for (let n = 0; n < 3; n++) expect(await calls.login()).toMatchObject(refused)
      expect(warnings()).toBe(1)
      clock.pass(901)
      expect(await calls.login()).toMatchObject(refused)
      expect(warnings()).toBe(2)
      const { body } = await request(`${node.url}alice/accesses`, { token: who.token })
      expect(body['accesses']).toHaveLength(1)
    }))

  it('offers another method logs in where the operator says so', () =>
    after({ mode: 'single', 'sms.endpoints.single': service, allowLoginWhenMethodInactive: true }, async (node, who) => {
      expect((await callsOf(node, who).login()).status).toBe(200)
      expect(node.logged.filter((line) => line.includes('without second factor'))).toHaveLength(1)
    }))

  it('has other digits and periods now goes on with its own', () =>
    after({ 'methods.totp.digits': 8, 'methods.totp.periodSeconds': 60 }, async (node, who, secret) => {
      const mfaToken = await waitingLogin(node, who)
      expect((await callsOf(node, who).verify(mfaToken, codeAt(secret, clock.now()))).status).toBe(200)
      const other: Person = { username: 'bobby', token: await registerUser(node, 'bobby') }
      const { body } = await callsOf(node, other).activate()
      expect(String(body['otpauthUri'])).toContain('&digits=8&period=60')
      const its = codeAt(String(body['secret']), clock.now(), { digits: 8, period: 60 })
      expect((await callsOf(node, other).confirm(String(body['mfaToken']), its)).status).toBe(200)
    }))
})
