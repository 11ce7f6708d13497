/**
 * How guessing at a second factor is slowed down, and what one code is good for (docs/interface/mfa.md#codes,
 * docs/interface/mfa.md#attempts).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeBackoff } from '../../../../src/server/api/mfa/offer.js'
import { delayAfter } from '../../../../src/server/auth/attempts.js'
import { loadConfig } from '../../../../src/server/config/config.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callsOf, codeAt, enrol, trusting, waitingLogin, wrongCodeAt, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()
let people = 0
async function person(node: TestNode): Promise<Person> {
  people += 1
  const username = `person-${people}`
  return { username, token: await registerUser(node, username) }
}

const ended = { status: 403, body: { error: { id: 'forbidden' } } }
const wrong = { status: 400, body: { error: { id: 'invalid-parameters-format', data: { id: 'invalid-mfa-code' } } } }
const waits = (seconds: number): object => ({
  status: 429,
  body: { error: { id: 'too-many-attempts', data: { retryAfterSeconds: seconds } } },
})
const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('delays', () => {
  it('double after three wrong codes, up to five minutes; the twentieth locks', () => {
    const rule = codeBackoff(loadConfig())
    const delays = [0, 1, 3, 4, 5, 6, 7, 10, 11, 12, 19, 20, 21, 1000].map((failures) => delayAfter(failures, rule))
    expect(delays).toEqual([0, 0, 0, 2, 4, 8, 16, 128, 256, 300, 300, 900, 900, 900])
  })

  it('have no lock where it is switched off', () => {
    const rule = codeBackoff(loadConfig({ flags: { 'services.mfa.attempts.perAccount': 0 } }))
    expect(delayAfter(1000, rule)).toBe(300)
  })
})

describe('wrong codes', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode(trusting, { clock })
  })
  afterAll(() => node.stop())

  /** A person with an app, and a call that verifies a wrong code. */
  async function enrolled(): Promise<{ who: Person; secret: string; wrongly: (mfaToken: string) => Promise<Answer> }> {
    const who = await person(node)
    const { secret } = await enrol(node, who, clock)
    return { who, secret, wrongly: (mfaToken) => callsOf(node, who).verify(mfaToken, wrongCodeAt(secret, clock.now())) }
  }

  it('end a login with the fifth', async () => {
    const { who, secret, wrongly } = await enrolled()
    const mfaToken = await waitingLogin(node, who)
    for (let n = 0; n < 4; n++) expect(await wrongly(mfaToken)).toMatchObject(wrong)
    clock.pass(2)
    expect(await wrongly(mfaToken)).toMatchObject(ended)
    clock.pass(4)
    expect(await callsOf(node, who).verify(mfaToken, codeAt(secret, clock.now()))).toMatchObject(ended)
  })

  it('delay every way to try a code, and no password', async () => {
    const { who, secret, wrongly } = await enrolled()
    const calls = callsOf(node, who)
    const [first, second] = [await waitingLogin(node, who), await waitingLogin(node, who)]
    for (const mfaToken of [first, second, first, second]) expect(await wrongly(mfaToken)).toMatchObject(wrong)
    const code = codeAt(secret, clock.now())
    const pending = await calls.activate({ password: 'correct horse' })
    const delayed = [
      await calls.verify(first, code),
      await calls.challenge(second),
      await calls.confirm(String(pending.body['mfaToken']), code),
      await calls.activate({ code }),
      await calls.deactivate({ code }),
    ]
    for (const answer of delayed) {
      expect(answer).toMatchObject(waits(2))
      expect(answer.headers.get('retry-after')).toBe('2')
    }
    expect((await calls.login()).status).toBe(302)
    clock.pass(1.5)
    expect(await calls.verify(first, code)).toMatchObject(waits(1))
    clock.pass(0.5)
    expect((await calls.verify(first, code)).status).toBe(200)
    // Forgotten with the right one.
    expect(await wrongly(second)).toMatchObject(wrong)
    expect(await wrongly(second)).toMatchObject(wrong)
  })

  it('are not counted while they are delayed', async () => {
    const { who, secret, wrongly } = await enrolled()
    const mfaToken = await waitingLogin(node, who)
    for (let n = 0; n < 4; n++) await wrongly(mfaToken)
    for (let n = 0; n < 10; n++) expect(await wrongly(mfaToken)).toMatchObject(waits(2))
    clock.pass(2)
    expect((await callsOf(node, who).verify(mfaToken, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('are forgotten after a quarter of an hour', async () => {
    const { who, wrongly } = await enrolled()
    const first = await waitingLogin(node, who)
    for (let n = 0; n < 3; n++) await wrongly(first)
    clock.pass(901)
    expect(await wrongly(first)).toMatchObject(wrong)
    const second = await waitingLogin(node, who)
    expect(await wrongly(second)).toMatchObject(wrong)
    expect(await wrongly(second)).toMatchObject(wrong)
    expect(await wrongly(second)).toMatchObject(wrong)
    expect(await wrongly(second)).toMatchObject(waits(2))
  })

  it('tell neither how many there were nor how many there may be', async () => {
    const { who, wrongly } = await enrolled()
    const mfaToken = await waitingLogin(node, who)
    const texts = new Set()
    for (let n = 0; n < 3; n++) texts.add(JSON.stringify((await wrongly(mfaToken)).body['error']))
    expect(texts.size).toBe(1)
  })

  it('of fifty at once are looked at four times', async () => {
    const { who, wrongly } = await enrolled()
    const tokens = await Promise.all(Array.from({ length: 5 }, () => waitingLogin(node, who)))
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => wrongly(tokens[n % 5] ?? '')))
    expect(statuses(answers)).toEqual({ 400: 4, 429: 46 })
  })

  it('of one account delay no other', async () => {
    const { who, wrongly } = await enrolled()
    const other = await enrolled()
    const mfaToken = await waitingLogin(node, who)
    for (let n = 0; n < 5; n++) await wrongly(mfaToken)
    const othersToken = await waitingLogin(node, other.who)
    expect((await callsOf(node, other.who).verify(othersToken, codeAt(other.secret, clock.now()))).status).toBe(200)
  })
})

describe('a lock', () => {
  it('ends by itself, by a recovery code, or by the operator; the password is not locked', async () => {
    const node = await startTestNode({ ...trusting, 'services.mfa.attempts.perAccount': 3, 'auth.adminAccessKey': 'the key of all keys' }, { clock })
    const locked = async (): Promise<{ who: Person; secret: string; recoveryCodes: string[]; mfaToken: string }> => {
      const who = await person(node)
      const app = await enrol(node, who, clock)
      const mfaToken = await waitingLogin(node, who)
      for (let n = 0; n < 3; n++) await callsOf(node, who).verify(mfaToken, wrongCodeAt(app.secret, clock.now()))
      expect(await callsOf(node, who).verify(mfaToken, codeAt(app.secret, clock.now()))).toMatchObject(waits(900))
      return { who, mfaToken, ...app }
    }
    const first = await locked()
    clock.pass(900)
    expect((await callsOf(node, first.who).verify(first.mfaToken, codeAt(first.secret, clock.now()))).status).toBe(200)
    const second = await locked()
    expect((await callsOf(node, second.who).recover(second.recoveryCodes[0])).status).toBe(200)
    await enrol(node, second.who, clock)
    const third = await locked()
    await request(`${node.url}system/users/${third.who.username}/mfa`, { method: 'DELETE', token: 'the key of all keys' })
    await enrol(node, third.who, clock)
    await node.stop()
  })
})

describe('a code', () => {
  let node: TestNode
  beforeAll(async () => {
    const settings = { 'services.mfa.attempts.backoff.maxSeconds': 0, 'services.mfa.sessions.maxPendingPerUser': 100 }
    node = await startTestNode({ ...trusting, ...settings }, { clock })
  })
  afterAll(() => node.stop())

  it('is taken once of fifty times at once, from one login or from many', async () => {
    for (const logins of [1, 5, 50]) {
      const who = await person(node)
      const { secret } = await enrol(node, who, clock)
      const tokens = await Promise.all(Array.from({ length: logins }, () => waitingLogin(node, who)))
      const code = codeAt(secret, clock.now())
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => callsOf(node, who).verify(tokens[n % logins] ?? '', code)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status } of answers) expect([200, 400, 403]).toContain(status)
    }
  })

  it('is refused when it comes again, also to a login that waited before', async () => {
    const who = await person(node)
    const { verify } = callsOf(node, who)
    const { secret } = await enrol(node, who, clock)
    const [first, second] = [await waitingLogin(node, who), await waitingLogin(node, who)]
    const code = codeAt(secret, clock.now())
    expect((await verify(first, code)).status).toBe(200)
    expect(await verify(second, code)).toMatchObject(wrong)
    clock.pass(30)
    expect(await verify(second, code)).toMatchObject(wrong)
    expect((await verify(second, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('of the next step is taken, and then none before it', async () => {
    const who = await person(node)
    const { verify } = callsOf(node, who)
    const { secret } = await enrol(node, who, clock)
    const [first, second] = [await waitingLogin(node, who), await waitingLogin(node, who)]
    expect(await verify(first, codeAt(secret, clock.now() + 60))).toMatchObject(wrong)
    expect((await verify(first, codeAt(secret, clock.now() + 30))).status).toBe(200)
    expect(await verify(second, codeAt(secret, clock.now()))).toMatchObject(wrong)
    clock.pass(60)
    expect((await verify(second, codeAt(secret, clock.now() - 30))).status).toBe(400)
    expect((await verify(second, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('of the confirmation is used up by it', async () => {
    const who = await person(node)
    const calls = callsOf(node, who)
    const { body } = await calls.activate()
    const code = codeAt(String(body['secret']), clock.now())
    const answers = await Promise.all(Array.from({ length: 50 }, () => calls.confirm(String(body['mfaToken']), code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await calls.verify(await waitingLogin(node, who), code)).toMatchObject(wrong)
  })
})

describe('what waits', () => {
  it('is bounded for the node, and for an account', async () => {
    const settings = { 'services.mfa.sessions.maxPending': 3, 'services.mfa.sessions.maxPendingPerUser': 2 }
    const node = await startTestNode({ ...trusting, ...settings }, { clock })
    const who = await person(node)
    const other = await person(node)
    const { secret } = await enrol(node, who, clock)
    const late = await person(node)
    await enrol(node, late, clock)
    const [first, second] = [await waitingLogin(node, who), await waitingLogin(node, who)]
    const third = await waitingLogin(node, who)
    const code = codeAt(secret, clock.now())
    expect(await callsOf(node, who).verify(first, code)).toMatchObject(ended)
    clock.pass(100)
    expect((await callsOf(node, other).activate()).status).toBe(302)
    const refused = await callsOf(node, late).login()
    expect(refused).toMatchObject({ status: 429, body: { error: { id: 'too-many-requests' } } })
    expect(refused.headers.get('retry-after')).toBe('1700')
    // One that takes the place of another of its account needs none.
    expect((await callsOf(node, who).login()).status).toBe(302)
    expect(await callsOf(node, who).verify(second, code)).toMatchObject(ended)
    clock.pass(1800)
    expect((await callsOf(node, late).login()).status).toBe(302)
    for (const mfaToken of [second, third]) expect(await callsOf(node, who).verify(mfaToken, code)).toMatchObject(ended)
    await node.stop()
  })
})
