/** Text messages whose codes the operator's service makes and checks (docs/interface/mfa.md#text-messages). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { startSmsService, type Asked, type SmsService } from '../../../support/services/smsService.js'
import { callsOf, trusting, waitingLogin, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()
const phone = '+41791234567'
let service: SmsService
let node: TestNode
let who: Person
let calls: ReturnType<typeof callsOf>

/** Starts a node whose service is asked for its verdict like this, in the older place of the settings or the newer. */
async function begin(verify: Record<string, unknown>, older = false): Promise<void> {
  service = await startSmsService()
  const place = older ? 'services.mfa.sms' : 'services.mfa.methods.sms'
  const mode = older
    ? { 'services.mfa.mode': 'challenge-verify' }
    : { 'services.mfa.methods.sms.active': true, 'services.mfa.methods.sms.mode': 'challenge-verify' }
  const form = { body: 'to={{ phone }}', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  node = await startTestNode(
    {
      ...trusting,
      ...mode,
      [`${place}.endpoints.challenge`]: { url: `${service.url}/challenge`, ...form },
      [`${place}.endpoints.verify`]: { url: `${service.url}/verify?code={{ code }}&to={{ phone }}`, method: 'GET', ...verify },
    },
    { clock },
  )
  who = { username: 'alice', token: await registerUser(node, 'alice') }
  calls = callsOf(node, who)
}
afterEach(async () => {
  await node.stop()
  await service.stop()
})

const wrong = { status: 400, body: { error: { data: { id: 'invalid-mfa-code' } } } }
const isVerdict = ({ url }: Asked): boolean => url.startsWith('/verify')

/** Sets up text messages, the service saying yes to the code 123456 by `yes` and to others by `no`. */
async function enrol(yes: { status: number; body?: string }, no: { status: number; body?: string }): Promise<string> {
  service.answer = (asked) => (!isVerdict(asked) ? { status: 200, body: 'sent' } : asked.url.includes('code=123456') ? yes : no)
  const { body } = await calls.activate({ method: 'sms', phone })
  return String(body['mfaToken'])
}

describe('a service that says which value means yes', () => {
  beforeEach(() => begin({ success: { jsonPath: '$.result.0.status', equals: 'approved' } }))

  it.each<[string, { status: number; body?: string }]>([
    ['another value', { status: 200, body: '{"result":[{"status":"pending"}]}' }],
    ['no such value', { status: 200, body: '{"result":[]}' }],
    ['nothing', { status: 200 }],
    ['no JSON', { status: 200, body: 'approved' }],
    ['a refusal', { status: 404, body: '{"result":[{"status":"approved"}]}' }],
  ])('is not believed with %s', async (_, no) => {
    const mfaToken = await enrol({ status: 200, body: '{"result":[{"status":"approved"}]}' }, no)
    expect(await calls.confirm(mfaToken, '654321')).toMatchObject(wrong)
    expect((await calls.confirm(mfaToken, '123456')).status).toBe(200)
    const waiting = await waitingLogin(node, who)
    expect(await calls.verify(waiting, '654321')).toMatchObject(wrong)
    expect((await calls.verify(waiting, '123456')).status).toBe(200)
    const [challenge] = service.asked
    expect(challenge).toMatchObject({ method: 'POST', url: '/challenge', body: 'to=%2B41791234567' })
    expect(service.asked.filter(isVerdict)[0]).toMatchObject({ method: 'GET', url: '/verify?code=654321&to=%2B41791234567' })
  })

  it('that fails is no wrong code', async () => {
    const mfaToken = await enrol({ status: 200, body: '{"result":[{"status":"approved"}]}' }, { status: 503 })
    expect(await calls.confirm(mfaToken, '654321')).toMatchObject({
      status: 400,
      body: { error: { id: 'invalid-operation', data: { id: 'mfa-sms-provider-error' } } },
    })
    expect((await calls.confirm(mfaToken, '123456')).status).toBe(200)
  })

  it('opens one session of fifty that say yes at once', async () => {
    const mfaToken = await enrol({ status: 200, body: '{"result":[{"status":"approved"}]}' }, { status: 404 })
    await calls.confirm(mfaToken, '123456')
    const waiting = await waitingLogin(node, who)
    const answers = await Promise.all(Array.from({ length: 50 }, () => calls.verify(waiting, '123456')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('a service that says yes by an empty answer', () => {
  beforeEach(() => begin({}, true))

  it('is not believed when it says anything', async () => {
    const mfaToken = await enrol({ status: 204 }, { status: 200, body: '{"status":"pending"}' })
    expect(await calls.confirm(mfaToken, '654321')).toMatchObject(wrong)
    expect((await calls.confirm(mfaToken, '123456')).status).toBe(200)
    expect((await calls.activate({ method: 'totp' })).status).toBe(400)
  })
})
