/** Methods that a node offers, and factors of methods that it no longer offers (docs/interface/mfa.md#settings). */
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

describe('offered methods', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['by default', {}, ['totp']],
    ['when disabled', { active: false, ...single }, []],
    ['with text messages', single, ['totp', 'sms']],
    ['with text messages first', { ...single, defaultMethod: 'sms' }, ['sms', 'totp']],
    ['with text messages only', { ...single, 'methods.totp.active': false }, ['sms']],
    ['by the former setting mode', { mode: 'single', 'sms.endpoints.single': service }, ['sms']],
    ['by the former setting mode, which precedes the others', { mode: 'single', 'sms.endpoints.single': service, 'methods.sms.mode': 'challenge-verify' }, ['sms']],
    ['when all are disabled', { 'methods.totp.active': false }, []],
  ])('%s', (_, flags, offered) => expect(offeredMethods(loadConfig({ flags: mfa(flags) }))).toEqual(offered))

  it('accept endpoints in the former and the current setting', () => {
    const config = loadConfig({ flags: mfa({ mode: 'challenge-verify', 'sms.endpoints.challenge': service, 'methods.sms.endpoints.verify': service }) })
    expect(smsMode(config)).toBe('challenge-verify')
  })
})

describe('a node does not start', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['with text messages and no endpoint', { 'methods.sms.active': true }, 'endpoints.single'],
    ['with one of two endpoints of its mode', { ...single, 'methods.sms.mode': 'challenge-verify', 'methods.sms.endpoints.challenge': service }, 'endpoints.verify'],
    ['with the former setting mode and no endpoint', { mode: 'single' }, 'endpoints.single'],
    ['with an unknown mode', { mode: 'carrier-pigeon' }, 'services.mfa.mode'],
    ['with an unknown default method', { defaultMethod: 'email' }, 'services.mfa.defaultMethod'],
    ['with codes of five digits', { 'methods.totp.digits': 5 }, 'digits'],
    ['with a period of more than an hour', { 'methods.totp.periodSeconds': 3601 }, 'periodSeconds'],
    ['with a drift of eleven steps', { 'methods.totp.driftSteps': 11 }, 'driftSteps'],
    ['with no attempts', { 'attempts.perSession': 0 }, 'perSession'],
    ['with a host from data of the account', { 'methods.sms.endpoints.single': { url: 'https://{{ phone }}/x' } }, 'endpoints.single'],
    ['with a content type without an escaping rule', { 'methods.sms.endpoints.single': { ...service, body: 'x', headers: { 'Content-Type': 'text/xml' } } }, 'endpoints.single'],
    ['with an endpoint that is not an HTTP URL', { 'methods.sms.endpoints.single': { url: 'ftp://sms.example' } }, 'endpoints.single'],
  ])('%s', (_, flags, named) => expect(() => loadConfig({ flags: mfa(flags) })).toThrow(named))

  it('and omits the URL of the service, which may contain keys, from errors', () => {
    const wrong = { url: 'ftp://the-key@sms.example' }
    expect(() => loadConfig({ flags: mfa({ 'methods.sms.endpoints.single': wrong }) })).toThrow(/^(?!.*the-key)/)
    expect(loadConfig({ flags: mfa(single) }).entries().find(({ key }) => key.endsWith('endpoints.single'))?.secret).toBe(true)
  })
})

it('a node warns of a delay of zero', async () => {
  const node = await startTestNode(mfa({ 'attempts.backoff.baseSeconds': 0 }))
  expect(node.logged.join('\n')).toContain('backoff.baseSeconds')
  await node.stop()
})

describe('an account with an authenticator app', () => {
  const clock = fakeClock()

  /** Enrols an account with an app, restarts the node with other settings, and runs `look`. */
  async function withRestart(flags: Record<string, unknown>, check: (node: TestNode, owner: Person, secret: string) => Promise<void>): Promise<void> {
    const home = await mkdtemp(join(tmpdir(), 'coffer-mfa-'))
    await initialise(placesOf(home))
    const first = await startTestNode(trusting, { clock, home })
    const owner: Person = { username: 'alice', token: await registerUser(first, 'alice') }
    const { secret } = await enrol(first, owner, clock)
    await first.stop()
    const second = await startTestNode({ ...trusting, ...mfa(flags) }, { clock, home })
    try {
      await check(second, owner, secret)
    } finally {
      await second.stop()
      await rm(home, { recursive: true, force: true })
    }
  }

  it('logs in by its password, and can remove the factor, when the node offers no method', () =>
    withRestart({ active: false }, async (node, owner, secret) => {
      const calls = callsOf(node, owner)
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

  it('cannot log in, and gets the reason, when the node offers only another method', () =>
    withRestart({ mode: 'single', 'sms.endpoints.single': service }, async (node, owner) => {
      const calls = callsOf(node, owner)
      const refused = { status: 403, body: { error: { id: 'mfa-method-inactive', message: expect.stringContaining('totp') as string } } }
      const warnings = (): number => node.logged.filter((line) => line.includes('not offered')).length
      for (let n = 0; n < 3; n++) expect(await calls.login()).toMatchObject(refused)
      expect(warnings()).toBe(1)
      clock.pass(901)
      expect(await calls.login()).toMatchObject(refused)
      expect(warnings()).toBe(2)
      const { body } = await request(`${node.url}alice/accesses`, { token: owner.token })
      expect(body['accesses']).toHaveLength(1)
    }))

  it('logs in by its password when the operator allows it without the offered method', () =>
    withRestart({ mode: 'single', 'sms.endpoints.single': service, allowLoginWhenMethodInactive: true }, async (node, owner) => {
      expect((await callsOf(node, owner).login()).status).toBe(200)
      expect(node.logged.filter((line) => line.includes('without second factor'))).toHaveLength(1)
    }))

  it('keeps its digits and period when the node changes them', () =>
    withRestart({ 'methods.totp.digits': 8, 'methods.totp.periodSeconds': 60 }, async (node, owner, secret) => {
      const mfaToken = await waitingLogin(node, owner)
      expect((await callsOf(node, owner).verify(mfaToken, codeAt(secret, clock.now()))).status).toBe(200)
      const other: Person = { username: 'bobby', token: await registerUser(node, 'bobby') }
      const { body } = await callsOf(node, other).activate()
      expect(String(body['otpauthUri'])).toContain('&digits=8&period=60')
      const otherCode = codeAt(String(body['secret']), clock.now(), { digits: 8, period: 60 })
      expect((await callsOf(node, other).confirm(String(body['mfaToken']), otherCode)).status).toBe(200)
    }))
})
