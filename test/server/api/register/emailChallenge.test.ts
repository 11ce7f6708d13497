/** Verification of an e-mail address at registration: docs/interface/registration.md#e-mail-codes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Mail, Mailer } from '../../../../src/server/mail/mailer.js'
import { noMail } from '../../../../src/server/mail/mailer.js'
import { badEmails, badLanguages } from '../../../support/http/badValues.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { register, registration } from '../../../support/people/registration.js'

const P = 'account.emailVerification.'
const sent: Mail[] = []
let isBroken = false
const mail: Mailer = {
  isOn: () => true,
  send(one) {
    if (isBroken) return Promise.reject(new Error('550 no such box at mx.internal'))
    if (one.kind === 'emailChallenge') sent.push(one)
    return Promise.resolve()
  },
}
const clock = fakeClock()

let node: TestNode
beforeAll(async () => {
  node = await startTestNode(
    { [`${P}requireAtRegistration`]: true, [`${P}registrationCodeMaxAttempts`]: 3, [`${P}registrationCodeFailuresPerDay`]: 6 },
    { mail, clock },
  )
})
afterAll(() => node.stop())

let addresses = 0
let email = ''
beforeEach(() => {
  addresses += 1
  email = `person.${addresses}@example.org`
  isBroken = false
})

const requestCode = (more: object = {}): Promise<Answer> => request(`${node.url}reg/email-challenge`, { body: { email, ...more } })
const verify = (code: string, more: object = {}): Promise<Answer> =>
  request(`${node.url}reg/email-challenge/verify`, { body: { email, code, ...more } })
const lastCode = (): string => String(sent.at(-1)?.substitutions['CODE'])
const WRONG = 'AAAA-AAAA'

async function obtainProof(): Promise<string> {
  expect(await requestCode()).toMatchObject({ status: 200, body: { sent: true } })
  const { status, body } = await verify(lastCode())
  expect(status).toBe(200)
  return String(body['emailProof'])
}
const tooMany = (reason: string, retryAfterSeconds?: number): object => ({
  status: 429,
  body: { error: { id: 'too-many-attempts', data: retryAfterSeconds === undefined ? { reason } : { reason, retryAfterSeconds } } },
})
const wrong = (attemptsRemaining: number): object => ({
  status: 401,
  body: { error: { id: 'invalid-access-token', data: { attemptsRemaining } } },
})
const proofRequired = { status: 403, body: { error: { id: 'forbidden', data: { emailVerificationRequired: true } } } }

describe('an e-mail code', () => {
  it.each([...badEmails.map((bad) => ({ email: bad })), ...badLanguages.map((language) => ({ language }))])('is not mailed for %j', async (input) => {
    const before = sent.length
    expect(await requestCode(input)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    expect(sent).toHaveLength(before)
  })

  it('is mailed as two groups of unambiguous characters', async () => {
    expect((await requestCode({ language: 'fr' })).body).toMatchObject({ sent: true, meta: {} })
    expect(sent.at(-1)).toEqual({
      kind: 'emailChallenge',
      to: email,
      language: 'fr',
      substitutions: { CODE: expect.stringMatching(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/) as string, EMAIL: email, CODE_MAX_AGE_MINUTES: '10' },
    })
  })

  it('is not stored in plain text, and neither is the address', async () => {
    await obtainProof()
    clock.pass(60)
    await requestCode()
    const { records } = node.node.registry
    const stored = JSON.stringify(await Promise.all(['email-code', 'email-proof', 'email-limit'].map((family) => records.list(family))))
    for (const secret of [lastCode(), lastCode().replace('-', ''), email]) expect(stored).not.toContain(secret)
  })

  it.each<[string, (code: string) => string]>([
    ['in lower case', (code) => code.toLowerCase()],
    ['without a dash', (code) => code.replace('-', '')],
    ['with blanks', (code) => ` ${code.split('').join(' ')}\n`],
    ['with other separators', (code) => code.replace('-', ' – ')],
  ])('is accepted %s', async (_, format) => {
    await requestCode()
    const { status, body } = await verify(format(lastCode()))
    expect({ status, body }).toMatchObject({ status: 200, body: { emailProof: expect.stringMatching(/^[\w-]{43}$/) as string } })
  })

  it('is accepted for the address with other case and blanks', async () => {
    await requestCode({ email: ` ${email.toUpperCase()} ` })
    expect((await verify(lastCode())).status).toBe(200)
  })

  it('is invalidated after the allowed attempts', async () => {
    await requestCode()
    expect(await verify(WRONG)).toMatchObject(wrong(2))
    expect(await verify('x')).toMatchObject(wrong(1))
    const last = await verify(WRONG)
    expect(last).toMatchObject(tooMany('exhausted'))
    expect(last.headers.get('retry-after')).toBeNull()
    expect(await verify(lastCode())).toMatchObject(tooMany('exhausted'))
  })

  it('allows no more attempts in concurrent calls', async () => {
    await requestCode()
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(WRONG)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(48)
    expect(await verify(lastCode())).toMatchObject(tooMany('exhausted'))
  })

  it('returns one proof to 50 concurrent calls', async () => {
    await requestCode()
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(lastCode())))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49)
  })

  it('is refused after its use, and for an address without a code', async () => {
    expect(await verify(WRONG)).toMatchObject(wrong(0))
    await obtainProof()
    expect(await verify(lastCode())).toMatchObject(wrong(0))
  })

  it('expires', async () => {
    await requestCode()
    clock.pass(601)
    expect(await verify(lastCode())).toMatchObject(wrong(0))
  })

  it('is invalidated by a second code', async () => {
    await requestCode()
    const first = lastCode()
    clock.pass(60)
    await requestCode()
    expect(await verify(first)).toMatchObject(wrong(2))
    expect((await verify(lastCode())).status).toBe(200)
  })
})

describe('limits of an e-mail address', () => {
  it('require a minute between two codes, in any spelling, also in concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => requestCode(i % 2 === 0 ? {} : { email: email.toUpperCase() })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused).toMatchObject(tooMany('cooldown', 60))
    expect(refused?.headers.get('retry-after')).toBe('60')
    clock.pass(59)
    expect(await requestCode()).toMatchObject(tooMany('cooldown', 1))
    clock.pass(1)
    expect((await requestCode()).status).toBe(200)
  })

  it('allow ten codes a day', async () => {
    for (let i = 0; i < 10; i++) {
      expect((await requestCode()).status).toBe(200)
      clock.pass(60)
    }
    expect(await requestCode()).toMatchObject(tooMany('daily-limit', 86_400 - 600))
    clock.pass(86_400 - 600)
    expect((await requestCode()).status).toBe(200)
  })

  it('block new codes for the day after too many wrong codes', async () => {
    for (let round = 0; round < 2; round++) {
      expect((await requestCode()).status).toBe(200)
      for (let i = 0; i < 3; i++) await verify(WRONG)
      clock.pass(60)
    }
    expect(await requestCode()).toMatchObject(tooMany('failure-budget', 86_400 - 120))
  })

  it('do not start the interval after a mail that failed', async () => {
    isBroken = true
    const failed = await requestCode()
    expect(failed.status).toBe(500)
    expect(JSON.stringify(failed.body)).not.toContain('mx.internal')
    isBroken = false
    expect(await verify(lastCode())).toMatchObject(wrong(0))
    expect((await requestCode()).status).toBe(200)
    expect((await verify(lastCode())).status).toBe(200)
  })
})

describe('a proof of an e-mail address', () => {
  it('permits one registration with its address', async () => {
    const emailProof = await obtainProof()
    const input = registration({ email, emailProof })
    expect((await register(node, input)).status).toBe(200)
    const loaded = await node.node.accounts.find(String(input['username']))
    expect(loaded?.user.emails).toEqual([
      { value: email, primary: true, status: 'verified', verifiedAt: clock.now(), verificationMethod: 'email-code' },
    ])
    expect(await register(node, registration({ email, emailProof }))).toMatchObject(proofRequired)
    expect(await requestCode()).toMatchObject({ status: 409, body: { error: { id: 'item-already-exists', data: { email } } } })
  })

  it('permits one of 50 concurrent registrations', async () => {
    const emailProof = await obtainProof()
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(node, registration({ email, emailProof }))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status } of answers) expect([200, 403, 409]).toContain(status)
  })

  it('is required, and must match the address', async () => {
    const emailProof = await obtainProof()
    for (const more of [{}, { emailProof: 'wrong' }, { emailProof: emailProof.slice(1) }]) {
      expect(await register(node, registration({ email, ...more }))).toMatchObject(proofRequired)
    }
    expect(await register(node, registration({ email: 'other@example.org', emailProof }))).toMatchObject(proofRequired)
    for (const malformed of ['', 5, null, 'x'.repeat(201)]) {
      expect(await register(node, registration({ email, emailProof: malformed }))).toMatchObject({ status: 400 })
    }
    expect(await register(node, registration({ email: '   ', emailProof }))).toMatchObject({ status: 400 })
    expect((await register(node, registration({ email, emailProof }))).status).toBe(200)
  })

  it('is not consumed by a failed registration', async () => {
    const emailProof = await obtainProof()
    for (const more of [{ username: 'coffer' }, { password: 'short' }]) {
      expect((await register(node, registration({ email, emailProof, ...more }))).status).toBeGreaterThanOrEqual(400)
    }
    expect((await register(node, registration({ email, emailProof }))).status).toBe(200)
  })

  it('expires', async () => {
    const emailProof = await obtainProof()
    clock.pass(1801)
    expect(await register(node, registration({ email, emailProof }))).toMatchObject(proofRequired)
  })
})

describe('requests of codes', () => {
  it.each([{}, { email: '' }, { email: '  ' }, { email: 5 }, { email: 'x'.repeat(301) }, { email: 'a@b', language: 'toolong' }, { email: 'a@b', other: 1 }])('with %j are refused', async (body) => {
    expect(await request(`${node.url}reg/email-challenge`, { body })).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })
  it.each([{}, { code: '' }, { code: 'x'.repeat(33) }, { code: 5 }, { code: 'x', other: 1 }])('for verification with %j are refused', async (more) => {
    expect(await request(`${node.url}reg/email-challenge/verify`, { body: { email: 'a@b', ...more } })).toMatchObject({ status: 400 })
  })

  it('are announced in the service info', async () => {
    const { body } = await request(`${node.url}service/info`)
    expect(body).toMatchObject({ features: { emailVerification: { atRegistration: true } } })
  })
})

describe('a node without e-mail verification', () => {
  it('refuses to mail codes, and registers accounts without proofs', async () => {
    const open = await startTestNode({}, { mail })
    const off = { status: 403, body: { error: { id: 'forbidden', data: { emailVerificationRequired: false } } } }
    expect(await request(`${open.url}reg/email-challenge`, { body: { email } })).toMatchObject(off)
    expect(await request(`${open.url}reg/email-challenge/verify`, { body: { email, code: 'x' } })).toMatchObject(off)
    const input = registration({ emailProof: 'any' })
    expect((await register(open, input)).status).toBe(200)
    expect((await open.node.accounts.find(String(input['username'])))?.user.emails).toBeUndefined()
    await open.stop()
  })

  it('does not start when verification is required without a mail server', async () => {
    await expect(startTestNode({ [`${P}requireAtRegistration`]: true }, { mail: noMail })).rejects.toThrow(/requires (mail|email)/)
  })
})
