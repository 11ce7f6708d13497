/** Text messages whose codes the operator's service generates and verifies (docs/interface/mfa.md#text-messages). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { startSmsService, type Asked, type SmsService } from '../../../support/services/smsService.js'
import { callsOf, trusting, waitingLogin, type Person } from '../../../support/people/totp.js'

const clock = fakeClock()
const phone = '+41791234567'
let service: SmsService
let node: TestNode
let owner: Person
let calls: ReturnType<typeof callsOf>

/** Starts a node with these settings of the verify endpoint, in the former or the current section. */
async function startNode(verify: Record<string, unknown>, older = false): Promise<void> {
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
  owner = { username: 'alice', token: await registerUser(node, 'alice') }
  calls = callsOf(node, owner)
}
afterEach(async () => {
  await node.stop()
  await service.stop()
})

const wrong = { status: 400, body: { error: { data: { id: 'invalid-mfa-code' } } } }
const isVerdict = ({ url }: Asked): boolean => url.startsWith('/verify')

/** Starts the setup of text messages; the service responds to the code 123456 with `accepted` and to others with `rejected`. */
async function enrol(accepted: { status: number; body?: string }, rejected: { status: number; body?: string }): Promise<string> {
  service.answer = (smsRequest) => (!isVerdict(smsRequest) ? { status: 200, body: 'sent' } : smsRequest.url.includes('code=123456') ? accepted : rejected)
  const { body } = await calls.activate({ method: 'sms', phone })
  return String(body['mfaToken'])
}

describe('a service with a configured success value', () => {
  beforeEach(() => startNode({ success: { jsonPath: '$.result.0.status', equals: 'approved' } }))

  it.each<[string, { status: number; body?: string }]>([
    ['another value', { status: 200, body: '{"result":[{"status":"pending"}]}' }],
    ['a missing value', { status: 200, body: '{"result":[]}' }],
    ['an empty body', { status: 200 }],
    ['a body that is not JSON', { status: 200, body: 'approved' }],
    ['an error status', { status: 404, body: '{"result":[{"status":"approved"}]}' }],
  ])('rejects the code with %s', async (_, rejected) => {
    const mfaToken = await enrol({ status: 200, body: '{"result":[{"status":"approved"}]}' }, rejected)
    expect(await calls.confirm(mfaToken, '654321')).toMatchObject(wrong)
    expect((await calls.confirm(mfaToken, '123456')).status).toBe(200)
    const pendingLogin = await waitingLogin(node, owner)
    expect(await calls.verify(pendingLogin, '654321')).toMatchObject(wrong)
    expect((await calls.verify(pendingLogin, '123456')).status).toBe(200)
    const [challenge] = service.asked
    expect(challenge).toMatchObject({ method: 'POST', url: '/challenge', body: 'to=%2B41791234567' })
    expect(service.asked.filter(isVerdict)[0]).toMatchObject({ method: 'GET', url: '/verify?code=654321&to=%2B41791234567' })
  })

  it('that fails is reported as a provider error', async () => {
    const mfaToken = await enrol({ status: 200, body: '{"result":[{"status":"approved"}]}' }, { status: 503 })
    expect(await calls.confirm(mfaToken, '654321')).toMatchObject({
      status: 400,
      body: { error: { id: 'invalid-operation', data: { id: 'mfa-sms-provider-error' } } },
    })
    expect((await calls.confirm(mfaToken, '123456')).status).toBe(200)
  })

  it('opens one session for fifty concurrent calls with the correct code', async () => {
    const mfaToken = await enrol({ status: 200, body: '{"result":[{"status":"approved"}]}' }, { status: 404 })
    await calls.confirm(mfaToken, '123456')
    const pendingLogin = await waitingLogin(node, owner)
    const answers = await Promise.all(Array.from({ length: 50 }, () => calls.verify(pendingLogin, '123456')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('a service that accepts with an empty response', () => {
  beforeEach(() => startNode({}, true))

  it('rejects the code with any other response', async () => {
    const mfaToken = await enrol({ status: 204 }, { status: 200, body: '{"status":"pending"}' })
    expect(await calls.confirm(mfaToken, '654321')).toMatchObject(wrong)
    expect((await calls.confirm(mfaToken, '123456')).status).toBe(200)
    expect((await calls.activate({ method: 'totp' })).status).toBe(400)
  })
})
