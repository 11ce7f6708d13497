/** Verification of addresses by mail: docs/interface/account.md#verification-of-addresses, docs/interface/account.md#e-mail-addresses. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { testMailer } from '../../../support/services/mail.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { recordsOf } from '../../../support/people/audit.js'

const clock = fakeClock()
const mail = testMailer()
const PAGE = 'https://page.example/verify'
const settings = {
  'auth.emailVerificationPageURL': PAGE,
  'auth.trustedApps': 'good-app@https://good.example',
}
let node: TestNode
let s: Stage
let address: string
beforeAll(async () => {
  node = await startTestNode(settings, { clock, mail })
})
afterAll(() => node.stop())
beforeEach(async () => {
  mail.isBroken = false
  mail.off.clear()
  s = await newStage(node)
  address = `second-${s.username}@example.org`
})

const emails = (operations: unknown, by = s): Promise<Answer> =>
  request(`${node.url}${by.username}/account`, { method: 'PUT', token: by.owner, body: { emails: operations } })
const entry = async (value = address): Promise<Record<string, unknown> | undefined> => {
  const { body } = await request(`${node.url}${s.username}/account`, { token: s.owner })
  const { emails: list } = body['account'] as { emails: Record<string, unknown>[] }
  return list.find((one) => one['value'] === value)
}
const tokenTo = (to = address): string => mail.latest(to, 'VERIFY_TOKEN')
const verify = (token: unknown, more: object = {}, headers: Record<string, string> = {}, by = s): Promise<Answer> =>
  request(`${node.url}${by.username}/account/verify-email`, { body: { token, ...more }, headers })
const refusal = (data: unknown): object => ({ status: 400, body: { error: { id: 'invalid-operation', data } } })

describe('account.verifyEmail', () => {
  it('marks the address as verified by link, and returns it', async () => {
    await emails({ add: [address] })
    clock.pass(10)
    const answer = await verify(tokenTo())
    expect(answer).toMatchObject({ status: 200, body: { email: address } })
    expect(Object.keys(answer.body).sort()).toEqual(['email', 'meta'])
    const { token: _, ...visible } = (await entry()) ?? {}
    expect(visible).toEqual({
      value: address,
      primary: false,
      status: 'verified',
      verifiedAt: clock.now(),
      verificationMethod: 'email-link',
    })
    const stored = (await node.node.accounts.find(s.username))?.user.emails ?? []
    expect(JSON.stringify(stored)).not.toContain('digest')
  })

  it('accepts a token exactly once under concurrent calls', async () => {
    await emails({ add: [address] })
    const token = tokenTo()
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49)
  })

  it('refuses wrong, used, expired, foreign and removed tokens with the same error', async () => {
    const other = await newStage(node)
    const theirs = `second-${other.username}@example.org`
    await emails({ add: [theirs] }, other)
    const again = `again-${s.username}@example.org`
    const late = `late-${s.username}@example.org`
    await emails({ add: [address, again] })
    const used = tokenTo()
    await verify(used)
    const removed = tokenTo(again)
    await emails({ remove: [again] })
    await emails({ add: [again] })
    await emails({ add: [late] })
    clock.pass(24 * 3600)
    const refused = await Promise.all([
      verify('nonsense'),
      verify(''),
      verify(used),
      verify(removed),
      verify(tokenTo(late)),
      verify(tokenTo(theirs)),
    ])
    const [first] = refused
    expect(first).toMatchObject({ status: 401, body: { error: { id: 'invalid-access-token' } } })
    for (const { status, body } of refused) {
      expect({ status, error: body['error'] }).toEqual({ status: 401, error: first?.body['error'] })
    }
    expect((await entry(late))?.['status']).toBe('pending')
  })

  it('accepts a token for one day', async () => {
    await emails({ add: [address] })
    clock.pass(24 * 3600 - 1)
    expect((await verify(tokenTo())).status).toBe(200)
  })

  it('requires an app that sends its id to be trusted', async () => {
    await emails({ add: [address] })
    const refused = { status: 401, body: { error: { id: 'invalid-credentials' } } }
    expect(await verify(tokenTo(), { appId: 'bad-app' }, { origin: 'https://good.example' })).toMatchObject(refused)
    expect(await verify(tokenTo(), { appId: 'good-app' }, { origin: 'https://evil.example' })).toMatchObject(refused)
    expect(await verify(tokenTo(), { appId: 'good-app' }, { origin: 'https://good.example' })).toMatchObject({ status: 200 })
  })

  it.each([[{}], [{ token: 5 }], [{ token: 'x', appId: 5 }], [{ token: 'x'.repeat(2000) }]])('refuses %j', async (body) => {
    const url = `${node.url}${s.username}/account/verify-email`
    expect(await request(url, { body })).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('writes an audit record without the token', async () => {
    await emails({ add: [address] })
    await verify(tokenTo())
    const records = await recordsOf(s, [':_audit:action-account.verifyEmail'])
    expect(records).toHaveLength(1)
    expect(records[0]?.streamIds).toContain(':_audit:access-email-verification-token')
    expect(JSON.stringify(records)).not.toContain(tokenTo())
  })

  it('is not available in a batch or for an unknown account', async () => {
    const { body } = await request(`${node.url}${s.username}`, {
      token: s.owner,
      body: [{ method: 'account.verifyEmail', params: {} }],
    })
    expect(body['results']).toMatchObject([{ error: { id: 'invalid-method' } }])
    expect(await request(`${node.url}nobody-here/account/verify-email`, { body: { token: 'x' } })).toMatchObject({ status: 404 })
  })
})

describe('a verification mail', () => {
  it('can be resent after a delay, with another token', async () => {
    await emails({ add: [address] })
    const first = tokenTo()
    clock.pass(10)
    expect(await emails({ resend: [address] })).toMatchObject(refusal({ email: address, retryAfterSeconds: 290 }))
    clock.pass(290)
    expect((await emails({ resend: [address.toUpperCase()] })).status).toBe(200)
    expect(mail.to(address)).toHaveLength(2)
    expect((await verify(first)).status).toBe(401)
    expect((await verify(tokenTo())).status).toBe(200)
    clock.pass(300)
    expect(await emails({ resend: [address] })).toMatchObject(refusal({ email: address }))
    expect(await emails({ resend: ['who@example.org'] })).toMatchObject(refusal({ email: 'who@example.org' }))
  })

  it('is not sent again when its address is removed and added', async () => {
    await emails({ add: [address] })
    await emails({ remove: [address] })
    expect((await emails({ add: [address] })).status).toBe(200)
    expect(mail.to(address)).toHaveLength(1)
    expect(await emails({ resend: [address] })).toMatchObject(refusal({ email: address, retryAfterSeconds: 300 }))
    clock.pass(300)
    expect((await emails({ resend: [address] })).status).toBe(200)
    expect(mail.to(address)).toHaveLength(2)
  })

  it('is resent once for concurrent requests', async () => {
    await emails({ add: [address] })
    clock.pass(300)
    const answers = await Promise.all(Array.from({ length: 50 }, () => emails({ resend: [address] })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(mail.to(address)).toHaveLength(2)
  })

  it('that cannot be sent leaves the address added, and can be resent without delay', async () => {
    mail.isBroken = true
    expect((await emails({ add: [address] })).status).toBe(200)
    expect(await entry()).toMatchObject({ status: 'pending' })
    expect(await emails({ resend: [address] })).toMatchObject({ status: 500, body: { error: { id: 'unexpected-error' } } })
    mail.isBroken = false
    expect((await emails({ resend: [address] })).status).toBe(200)
    expect((await verify(tokenTo())).status).toBe(200)
  })

  it('is limited in number per account, and addresses beyond are added without a mail', async () => {
    const before = mail.sent.length
    for (let round = 0; round < 15; round++) {
      const names = Array.from({ length: 4 }, (_, i) => `flood-${round}-${i}-${s.username}@example.org`)
      expect((await emails({ add: names })).status).toBe(200)
      expect((await emails({ remove: names })).status).toBe(200)
    }
    expect(mail.sent.length - before).toBe(50)
    await emails({ add: [address] })
    expect(await emails({ resend: [address] })).toMatchObject({ status: 400 })
    clock.pass(300)
    expect((await emails({ resend: [address] })).status).toBe(200)
  })

  it('is written in the language of the account', async () => {
    await request(`${node.url}${s.username}/account`, {
      method: 'PUT',
      token: s.owner,
      body: { language: 'fr', emails: { add: [address] } },
    })
    expect(mail.to(address)).toMatchObject([{ language: 'fr' }])
  })
})

describe('without verification mail, or without a configured page', () => {
  const features = async (at: TestNode): Promise<unknown> => {
    const { body } = await request(`${at.url}service/info`)
    return (body['features'] as { emailVerification: { onAccount: boolean } }).emailVerification.onAccount
  }

  it('addresses can be added and mails requested, but none is sent', async () => {
    expect(await features(node)).toBe(true)
    mail.off.add('verifyEmail')
    expect(await features(node)).toBe(false)
    for (let again = 0; again < 2; again++) {
      expect((await emails(again === 0 ? { add: [address] } : { resend: [address] })).status).toBe(200)
    }
    expect(mail.to(address)).toEqual([])
    mail.off.clear()
    expect((await emails({ resend: [address] })).status).toBe(200)
    expect(mail.to(address)).toHaveLength(1)
  })

  it('mails link to the page of the node if no page is configured', async () => {
    const pageless = await startTestNode({}, { mail })
    expect(await features(pageless)).toBe(true)
    const stage = await newStage(pageless)
    const { status } = await request(`${pageless.url}${stage.username}/account`, {
      method: 'PUT',
      token: stage.owner,
      body: { emails: { add: [address] } },
    })
    expect(status).toBe(200)
    const page = `${pageless.url}web/verify-email`
    const link = `${page}?verifyToken=${tokenTo()}&username=${stage.username}`
    expect(mail.to(address)).toMatchObject([{ substitutions: { VERIFY_URL: page, VERIFY_LINK: link } }])
    await pageless.stop()
  })
})

describe('settings of e-mail addresses', () => {
  it('define the lifetime of tokens, the delay between mails and the number of addresses', async () => {
    const strict = await startTestNode(
      {
        ...settings,
        'account.maxEmails': 2,
        'account.emailVerification.tokenMaxAgeMs': 1000,
        'account.emailVerification.resendCooldownMs': 0,
      },
      { clock, mail },
    )
    const stage = await newStage(strict)
    const change = (operations: unknown): Promise<Answer> =>
      request(`${strict.url}${stage.username}/account`, { method: 'PUT', token: stage.owner, body: { emails: operations } })
    expect((await change({ add: [address] })).status).toBe(200)
    expect(await change({ add: ['third@example.org'] })).toMatchObject(refusal({ maxEmails: 2 }))
    const verifyLatest = (): Promise<Answer> =>
      request(`${strict.url}${stage.username}/account/verify-email`, { body: { token: tokenTo() } })
    clock.pass(1)
    expect((await verifyLatest()).status).toBe(401)
    expect((await change({ resend: [address] })).status).toBe(200)
    expect((await change({ resend: [address] })).status).toBe(200)
    expect((await verifyLatest()).status).toBe(200)
    await strict.stop()
  })
})
