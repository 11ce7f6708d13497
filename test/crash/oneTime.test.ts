/**
 * Single-use credentials are used once: fifty concurrent requests, a kill at the first success, and no success after the
 * restart.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { grantAccess } from '../support/people/access.js'
import { expectSound } from '../support/store/check.js'
import { newProofKey, proofOf as proof } from '../support/http/dpop.js'
import { homes } from '../support/nodes/home.js'
import { request, startTestNode, type Answer, type TestNode } from '../support/nodes/node.js'
import { startSmtpSink, type SmtpSink } from '../support/services/smtp.js'
import { nodeProcesses, type NodeProcess } from './process.js'

const KEY = 'the key of the operator of this test'
const AT_ONCE = 50
const { home } = homes()
const startProcess = nodeProcesses()
let places: HomePlaces
let sink: SmtpSink
let settings: Record<string, unknown>
/** Single-use credentials. */
let invitation: string
let code: string
let verifyToken: string
let secretKey: string
/** Token of an access bound to `key`. */
let boundToken: string
const key = newProofKey()
let spare: Promise<NodeProcess>

const post = (url: string, path: string, body: object): Promise<Answer> => request(`${url}${path}`, { body })
const account = (username: string, more: object): object => ({
  username,
  password: 'correct horse',
  email: `${username}@example.org`,
  appId: 'test-app',
  ...more,
})

/** Returns the proof of an address, by the code mailed to it. */
async function proofOf(url: string, email: string): Promise<string> {
  await post(url, 'reg/email-challenge', { email })
  const { body } = await post(url, 'reg/email-challenge/verify', { email, code: await codeFor(email) })
  return String(body['emailProof'])
}
const codeFor = async (email: string): Promise<string> =>
  /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec((await sink.mailTo(email)).text)?.[0] ?? ''

async function createInvitation(node: TestNode): Promise<string> {
  const { body } = await request(`${node.url}reg/admin/invitations/post`, { token: KEY })
  return (body['data'] as { id: string }[])[0]?.id ?? ''
}

beforeAll(async () => {
  places = await home()
  sink = await startSmtpSink()
  settings = {
    ...sink.settings,
    'auth.adminAccessKey': KEY,
    'auth.emailVerificationPageURL': 'https://pages.example/verify',
    'account.emailVerification.requireAtRegistration': true,
    invitationTokens: [],
  }
  const node = await startTestNode(settings, { home: places.home })
  const emailProof = await proofOf(node.url, 'alice@example.org')
  const registered = await post(node.url, 'users', account('alice', { emailProof, invitationToken: await createInvitation(node) }))
  const token = String(registered.body['token'])
  await sink.mailTo('alice@example.org')
  const emails = { add: ['second@example.org'] }
  await request(`${node.url}alice/account`, { method: 'PUT', token, body: { emails } })
  const secret = { ttl: 3600, title: 't', onConsumed: { message: 'gone' }, secret: 'the value' }
  const { body: shared } = await request(`${node.url}alice/shared-secrets`, { token, body: secret })
  secretKey = (shared['sharedSecret'] as { key: string }).key
  const { text } = await sink.mailTo('second@example.org')
  verifyToken = new URL(/https:\/\/pages\.example\S+/.exec(text)?.[0] ?? '').searchParams.get('verifyToken') ?? ''
  invitation = await createInvitation(node)
  await post(node.url, 'reg/email-challenge', { email: 'coded@example.org' })
  code = await codeFor('coded@example.org')
  boundToken = (await grantAccess(node, 'alice', [{ streamId: '*', level: 'read' }], { clientData: { dpop: { jkt: key.jkt } } })).token
  await node.stop()
  spare = startProcess(places.home, settings)
})
afterAll(async () => {
  await (await spare).kill()
  await sink.stop()
})

async function opened(): Promise<{ url: string; node: NodeProcess }> {
  const node = await spare
  spare = startProcess(places.home, settings)
  return { url: (await node.open()).url ?? '', node }
}

/** Sends many requests at once, and kills the node at the first success; returns the number of successes. */
async function countSuccesses(ask: (url: string, n: number) => Promise<Answer>): Promise<number> {
  const { url, node } = await opened()
  let successes = 0
  let isKilled: Promise<unknown> | undefined
  const requests = Array.from({ length: AT_ONCE }, async (_, n) => {
    const answer = await ask(url, n).catch(() => undefined)
    if (answer?.status !== 200) return
    successes += 1
    isKilled ??= node.kill()
  })
  await Promise.all(requests)
  await (isKilled ?? node.kill())
  return successes
}

describe('after a kill at its first use', () => {
  it('an e-mail code is used', { timeout: 60_000 }, async () => {
    const ask = (url: string): Promise<Answer> => post(url, 'reg/email-challenge/verify', { email: 'coded@example.org', code })
    expect(await countSuccesses(ask)).toBe(1)
    expect(await countSuccesses(ask)).toBe(0)
  })

  it('a verification token is used, and the address verified', { timeout: 60_000 }, async () => {
    const ask = (url: string): Promise<Answer> => post(url, 'alice/account/verify-email', { token: verifyToken })
    expect(await countSuccesses(ask)).toBe(1)
    expect(await countSuccesses(ask)).toBe(0)
  })

  it('a shared secret is consumed', { timeout: 60_000 }, async () => {
    const ask = (url: string): Promise<Answer> => post(url, 'alice/shared-secrets/retrieve', { key: secretKey })
    expect(await countSuccesses(ask)).toBe(1)
    expect(await countSuccesses(ask)).toBe(0)
  })

  it('a proof of possession is used', { timeout: 60_000 }, async () => {
    // Each node has a port of its own, and the same public name behind its proxy.
    const dpop = proof(key, { url: 'http://node.example/alice/events', token: boundToken, now: Date.now() / 1000 + 60 })
    const headers = { authorization: `DPoP ${boundToken}`, dpop, 'x-forwarded-host': 'node.example' }
    const ask = (url: string): Promise<Answer> => request(`${url}alice/events`, { headers })
    expect(await countSuccesses(ask)).toBe(1)
    expect(await countSuccesses(ask)).toBe(0)
  })

  it('an invitation has created one account, with one proof of its address', { timeout: 60_000 }, async () => {
    const { url, node } = await opened()
    const proofs = await Promise.all(
      Array.from({ length: 8 }, (_, n) => proofOf(url, `guest-${n}@example.org`)),
    )
    await node.kill()
    const ask = (at: string, n: number): Promise<Answer> =>
      post(at, 'users', account(`guest-${n % 8}`, { emailProof: proofs[n % 8], invitationToken: invitation }))
    expect(await countSuccesses(ask)).toBe(1)
    expect(await countSuccesses(ask)).toBe(0)
  })

  it('the store is sound', async () => {
    await (await spare).kill()
    await expectSound(places)
  })
})
