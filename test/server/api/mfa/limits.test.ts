/**
 * Delays and locks after wrong codes, and single use of codes (docs/interface/mfa.md#codes,
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
const delayOf = (seconds: number): object => ({
  status: 429,
  body: { error: { id: 'too-many-attempts', data: { retryAfterSeconds: seconds } } },
})
const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('delays after wrong codes', () => {
  it('double after three wrong codes, up to five minutes; the twentieth locks', () => {
    const rule = codeBackoff(loadConfig())
    const delays = [0, 1, 3, 4, 5, 6, 7, 10, 11, 12, 19, 20, 21, 1000].map((failures) => delayAfter(failures, rule))
    expect(delays).toEqual([0, 0, 0, 2, 4, 8, 16, 128, 256, 300, 300, 900, 900, 900])
  })

  it('have no lock when it is disabled', () => {
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

  /** Registers an account with an app; returns it with a function that submits a wrong code. */
  async function enrolledAccount(): Promise<{ owner: Person; secret: string; submitWrongCode: (mfaToken: string) => Promise<Answer> }> {
    const owner = await person(node)
    const { secret } = await enrol(node, owner, clock)
    return { owner, secret, submitWrongCode: (mfaToken) => callsOf(node, owner).verify(mfaToken, wrongCodeAt(secret, clock.now())) }
  }

  it('end a login at the fifth', async () => {
    const { owner, secret, submitWrongCode } = await enrolledAccount()
    const mfaToken = await waitingLogin(node, owner)
    for (let n = 0; n < 4; n++) expect(await submitWrongCode(mfaToken)).toMatchObject(wrong)
    clock.pass(2)
    expect(await submitWrongCode(mfaToken)).toMatchObject(ended)
    clock.pass(4)
    expect(await callsOf(node, owner).verify(mfaToken, codeAt(secret, clock.now()))).toMatchObject(ended)
  })

  it('delay every method that accepts a code, but not the password', async () => {
    const { owner, secret, submitWrongCode } = await enrolledAccount()
    const calls = callsOf(node, owner)
    const [first, second] = [await waitingLogin(node, owner), await waitingLogin(node, owner)]
    for (const mfaToken of [first, second, first, second]) expect(await submitWrongCode(mfaToken)).toMatchObject(wrong)
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
      expect(answer).toMatchObject(delayOf(2))
      expect(answer.headers.get('retry-after')).toBe('2')
    }
    expect((await calls.login()).status).toBe(302)
    clock.pass(1.5)
    expect(await calls.verify(first, code)).toMatchObject(delayOf(1))
    clock.pass(0.5)
    expect((await calls.verify(first, code)).status).toBe(200)
    // The correct code resets the counter.
    expect(await submitWrongCode(second)).toMatchObject(wrong)
    expect(await submitWrongCode(second)).toMatchObject(wrong)
  })

  it('are not counted while they are delayed', async () => {
    const { owner, secret, submitWrongCode } = await enrolledAccount()
    const mfaToken = await waitingLogin(node, owner)
    for (let n = 0; n < 4; n++) await submitWrongCode(mfaToken)
    for (let n = 0; n < 10; n++) expect(await submitWrongCode(mfaToken)).toMatchObject(delayOf(2))
    clock.pass(2)
    expect((await callsOf(node, owner).verify(mfaToken, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('expire after a quarter of an hour', async () => {
    const { owner, submitWrongCode } = await enrolledAccount()
    const first = await waitingLogin(node, owner)
    for (let n = 0; n < 3; n++) await submitWrongCode(first)
    clock.pass(901)
    expect(await submitWrongCode(first)).toMatchObject(wrong)
    const second = await waitingLogin(node, owner)
    expect(await submitWrongCode(second)).toMatchObject(wrong)
    expect(await submitWrongCode(second)).toMatchObject(wrong)
    expect(await submitWrongCode(second)).toMatchObject(wrong)
    expect(await submitWrongCode(second)).toMatchObject(delayOf(2))
  })

  it('return an error without the number of past or remaining attempts', async () => {
    const { owner, submitWrongCode } = await enrolledAccount()
    const mfaToken = await waitingLogin(node, owner)
    const errors = new Set()
    for (let n = 0; n < 3; n++) errors.add(JSON.stringify((await submitWrongCode(mfaToken)).body['error']))
    expect(errors.size).toBe(1)
  })

  it('in fifty concurrent calls are checked only four times', async () => {
    const { owner, submitWrongCode } = await enrolledAccount()
    const tokens = await Promise.all(Array.from({ length: 5 }, () => waitingLogin(node, owner)))
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => submitWrongCode(tokens[n % 5] ?? '')))
    expect(statuses(answers)).toEqual({ 400: 4, 429: 46 })
  })

  it('of one account do not delay other accounts', async () => {
    const { owner, submitWrongCode } = await enrolledAccount()
    const other = await enrolledAccount()
    const mfaToken = await waitingLogin(node, owner)
    for (let n = 0; n < 5; n++) await submitWrongCode(mfaToken)
    const othersToken = await waitingLogin(node, other.owner)
    expect((await callsOf(node, other.owner).verify(othersToken, codeAt(other.secret, clock.now()))).status).toBe(200)
  })
})

describe('a lock', () => {
  it('expires, and is removed by a recovery code or by the operator', async () => {
    const node = await startTestNode({ ...trusting, 'services.mfa.attempts.perAccount': 3, 'auth.adminAccessKey': 'the key of all keys' }, { clock })
    const lockedAccount = async (): Promise<{ owner: Person; secret: string; recoveryCodes: string[]; mfaToken: string }> => {
      const owner = await person(node)
      const app = await enrol(node, owner, clock)
      const mfaToken = await waitingLogin(node, owner)
      for (let n = 0; n < 3; n++) await callsOf(node, owner).verify(mfaToken, wrongCodeAt(app.secret, clock.now()))
      expect(await callsOf(node, owner).verify(mfaToken, codeAt(app.secret, clock.now()))).toMatchObject(delayOf(900))
      return { owner, mfaToken, ...app }
    }
    const first = await lockedAccount()
    clock.pass(900)
    expect((await callsOf(node, first.owner).verify(first.mfaToken, codeAt(first.secret, clock.now()))).status).toBe(200)
    const second = await lockedAccount()
    expect((await callsOf(node, second.owner).recover(second.recoveryCodes[0])).status).toBe(200)
    await enrol(node, second.owner, clock)
    const third = await lockedAccount()
    await request(`${node.url}system/users/${third.owner.username}/mfa`, { method: 'DELETE', token: 'the key of all keys' })
    await enrol(node, third.owner, clock)
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

  it('is accepted once in fifty concurrent calls of one or more logins', async () => {
    for (const logins of [1, 5, 50]) {
      const owner = await person(node)
      const { secret } = await enrol(node, owner, clock)
      const tokens = await Promise.all(Array.from({ length: logins }, () => waitingLogin(node, owner)))
      const code = codeAt(secret, clock.now())
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => callsOf(node, owner).verify(tokens[n % logins] ?? '', code)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status } of answers) expect([200, 400, 403]).toContain(status)
    }
  })

  it('is refused when reused, also in another pending login', async () => {
    const owner = await person(node)
    const { verify } = callsOf(node, owner)
    const { secret } = await enrol(node, owner, clock)
    const [first, second] = [await waitingLogin(node, owner), await waitingLogin(node, owner)]
    const code = codeAt(secret, clock.now())
    expect((await verify(first, code)).status).toBe(200)
    expect(await verify(second, code)).toMatchObject(wrong)
    clock.pass(30)
    expect(await verify(second, code)).toMatchObject(wrong)
    expect((await verify(second, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('of the next time step is accepted, and no earlier one afterwards', async () => {
    const owner = await person(node)
    const { verify } = callsOf(node, owner)
    const { secret } = await enrol(node, owner, clock)
    const [first, second] = [await waitingLogin(node, owner), await waitingLogin(node, owner)]
    expect(await verify(first, codeAt(secret, clock.now() + 60))).toMatchObject(wrong)
    expect((await verify(first, codeAt(secret, clock.now() + 30))).status).toBe(200)
    expect(await verify(second, codeAt(secret, clock.now()))).toMatchObject(wrong)
    clock.pass(60)
    expect((await verify(second, codeAt(secret, clock.now() - 30))).status).toBe(400)
    expect((await verify(second, codeAt(secret, clock.now()))).status).toBe(200)
  })

  it('cannot be reused after it confirmed the setup', async () => {
    const owner = await person(node)
    const calls = callsOf(node, owner)
    const { body } = await calls.activate()
    const code = codeAt(String(body['secret']), clock.now())
    const answers = await Promise.all(Array.from({ length: 50 }, () => calls.confirm(String(body['mfaToken']), code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await calls.verify(await waitingLogin(node, owner), code)).toMatchObject(wrong)
  })
})

describe('pending logins and setups', () => {
  it('are limited for the node and for each account', async () => {
    const settings = { 'services.mfa.sessions.maxPending': 3, 'services.mfa.sessions.maxPendingPerUser': 2 }
    const node = await startTestNode({ ...trusting, ...settings }, { clock })
    const owner = await person(node)
    const other = await person(node)
    const { secret } = await enrol(node, owner, clock)
    const late = await person(node)
    await enrol(node, late, clock)
    const [first, second] = [await waitingLogin(node, owner), await waitingLogin(node, owner)]
    const third = await waitingLogin(node, owner)
    const code = codeAt(secret, clock.now())
    expect(await callsOf(node, owner).verify(first, code)).toMatchObject(ended)
    clock.pass(100)
    expect((await callsOf(node, other).activate()).status).toBe(302)
    const refused = await callsOf(node, late).login()
    expect(refused).toMatchObject({ status: 429, body: { error: { id: 'too-many-requests' } } })
    expect(refused.headers.get('retry-after')).toBe('1700')
    // A login that replaces another one of its account is accepted.
    expect((await callsOf(node, owner).login()).status).toBe(302)
    expect(await callsOf(node, owner).verify(second, code)).toMatchObject(ended)
    clock.pass(1800)
    expect((await callsOf(node, late).login()).status).toBe(302)
    for (const mfaToken of [second, third]) expect(await callsOf(node, owner).verify(mfaToken, code)).toMatchObject(ended)
    await node.stop()
  })
})
