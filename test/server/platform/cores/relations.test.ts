/** Relations between accounts of different cores: delegations, consents, OAuth, identity providers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coreUrlIn } from '../../../../src/server/platform/cores/cores.js'
import { failureForOperator } from '../../../../src/server/platform/cores/wrongCore.js'
import { newStage } from '../../../support/http/methodTable.js'
import { ADMIN_KEY, startCores, withCores, type TestCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, CHALLENGE, publishOffer, REDIRECT } from '../../../support/people/oauth.js'
import { accountWith, ssoOf } from '../../../support/people/sso.js'
import { startThirdParty, type ThirdParty } from '../../../support/services/oidc.js'
import { acceptLink, inStream, invite, newRequester, SCOPE, write } from '../../api/consents/consentFlow.js'
import { deliverDue, storedEvent } from '../../api/consents/support.js'
import { kindsOf, newPair } from '../../api/delegations/support.js'

const cores = withCores({ 'core-a': {}, 'core-b': {} })
const a = (): TestNode => cores().node('core-a')
const b = (): TestNode => cores().node('core-b')

describe('a delegation', () => {
  it('is created, used and ended between accounts of two cores', async () => {
    const pair = await newPair(a(), b())
    await pair.b.arrange('delegations.requestAttach', { delegateUsername: pair.a.username })
    await pair.a.arrange('delegations.acceptAttach', { username: pair.b.username })
    expect([await kindsOf(pair.a), await kindsOf(pair.b)]).toEqual([['notify'], ['control']])
    const { token, apiEndpoint } = await pair.a.arrange('delegations.getToken', { username: pair.b.username })
    expect(new URL(String(apiEndpoint)).port).toBe(String(a().port))
    expect((await request(`${a().url}${pair.b.username}/access-info`, { token: String(token) })).status).toBe(200)
    await pair.b.arrange('delegations.detachDelegate', { username: pair.a.username })
    expect([await kindsOf(pair.a), await kindsOf(pair.b)]).toEqual([[], []])
  })

  it.each(['its id', 'its URL'])('creates an account on another core: %s', async (named) => {
    const delegate = await newStage(a())
    const username = `controlled-${named.slice(-3).toLowerCase()}`.replace(/[^a-z-]/g, '')
    const core = named === 'its id' ? 'core-b' : b().url
    await delegate.arrange('delegations.createAccount', { username, core })
    expect(cores().platform.holderOf({ field: 'username', value: username })?.core).toBe('core-b')
    const { token } = await delegate.arrange('delegations.getToken', { username })
    expect((await request(`${b().url}${username}/access-info`, { token: String(token) })).status).toBe(200)
  })

  it('creates no account on a core that does not exist, nor one that does not answer', async () => {
    const delegate = await newStage(a())
    const create = (core: string): Promise<Answer> => request(`${a().url}${delegate.username}/delegations/controlled`, { token: delegate.owner, body: { username: 'controlled-none', core } })
    expect(await create('core-z')).toMatchObject({ status: 400, body: { error: { id: 'delegation-unknown-core' } } })
    cores().platform.setCore('core-b', { url: 'http://127.0.0.1:1/' })
    try {
      expect(await create('core-b')).toMatchObject({ status: 502, body: { error: { id: 'delegation-creation-failed' } } })
    } finally {
      cores().platform.setCore('core-b', { url: b().url })
    }
    expect(cores().platform.holderOf({ field: 'username', value: 'controlled-none' })).toBeUndefined()
  })
})

describe('a consent', () => {
  it('is agreed on by accounts of two cores, which exchange messages', async () => {
    const [requester, person] = [await newRequester(a()), await newStage(b())]
    const { content } = await invite(requester)
    expect(await acceptLink(person, content['capabilityUrl'])).toMatchObject({ status: 'completed', from: { username: requester.username } })
    await deliverDue(a(), b())
    const chat = `${SCOPE}:chats:${person.username}--127-0-0-1`
    const { id } = await write(requester, 'message/chat-cmc', { content: 'hello' }, chat)
    await deliverDue(a(), b())
    expect((await storedEvent(requester, id)).content).toMatchObject({ status: 'completed' })
    expect((await inStream(person, `${SCOPE}:chats:${requester.username}--127-0-0-1`))[0]?.content).toMatchObject({ content: 'hello' })
  })
})

describe('an answer wrong-core', () => {
  const answered = (coreUrl: unknown, status = 421) => coreUrlIn(a().node, { status, body: { error: { coreUrl } } })

  it('is followed to other cores of the platform only', () => {
    expect(answered(b().url)).toBe(b().url)
    expect(answered(a().url)).toBeUndefined()
    expect(answered('https://attacker.example/')).toBeUndefined()
    expect(answered(undefined)).toBeUndefined()
    expect(answered(b().url, 404)).toBeUndefined()
    expect(coreUrlIn(a().node, { status: 0, cause: 'timeout' })).toBeUndefined()
  })
})

describe('OAuth', () => {
  it('refuses the consent of an account that another core has', async () => {
    const [app, person] = [await makeAccount(a(), 'the-app'), await makeAccount(b(), 'person-b')]
    const offer = await publishOffer(a(), 'the-app', app, {
      title: { en: 'Choice' }, description: { en: 'About' }, consent: { en: 'I agree' }, permissions: [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }],
    })
    await addClient(a(), 'client-a', { username: 'the-app', cmcOffers: { choice: { capabilityUrl: offer } } })
    const query = new URLSearchParams({ response_type: 'code', client_id: 'client-a', redirect_uri: REDIRECT, scope: 'cmc:choice', state: 'x', code_challenge: CHALLENGE, code_challenge_method: 'S256' })
    const { headers } = await fetch(`${a().url}oauth2/authorize?${query.toString()}`, { redirect: 'manual' })
    const state = new URL(headers.get('location') ?? '').searchParams.get('state')
    const grant = { state, username: 'person-b', userToken: person, grantedPermissions: [{ streamId: 'diary', level: 'read' }] }
    expect(await request(`${a().url}oauth2/authorize/accept`, { body: grant })).toMatchObject({ status: 401, body: { error: 'invalid_request' } })
  })

  it('names the core of an account that a client is to belong to', async () => {
    await expect(addClient(a(), 'client-b', { username: 'person-b' })).rejects.toMatchObject({ id: 'wrong-core', message: expect.stringContaining(b().url) })
  })

  it('gives no client the name of an account of another core', async () => {
    await expect(addClient(a(), 'person-b')).rejects.toMatchObject({ id: 'item-already-exists' })
  })
})

describe('commands at the terminal of a core', () => {
  it('name the core of the account', async () => {
    await makeAccount(b(), 'terminal-b')
    expect(await failureForOperator(a().node, 'terminal-b')).toMatchObject({ id: 'wrong-core', message: `The account "terminal-b" is on another core, ${b().url}: run the command there.` })
    expect(await failureForOperator(a().node, 'nobody')).toMatchObject({ id: 'unknown-user' })
  })
})

describe.each([
  ['the page of the node', null],
  ['another page', 'https://sign.example.org/sso'],
])('a sign-in through an identity provider, with %s', (_, landing) => {
  let party: ThirdParty
  let platform: TestCores
  beforeAll(async () => {
    party = await startThirdParty()
    platform = await startCores({ 'core-a': {}, 'core-b': {} }, { shared: { ...ssoOf(party), ...(landing === null ? {} : { 'sso.landingPageURL': landing }), 'auth.adminAccessKey': ADMIN_KEY } })
  })
  afterAll(async () => {
    await platform.stop()
    await party.stop()
  })

  it('leads to the core of the account', async () => {
    const [here, there] = [platform.node('core-a'), platform.node('core-b')]
    const { email } = await accountWith(there)
    party.person = { sub: `of-${email}`, email, email_verified: true }
    const go = (url: string, cookie = ''): Promise<Response> => fetch(url, { redirect: 'manual', headers: { cookie } })
    const started = await go(`${here.url}auth/sso/fake/start`)
    const back = await go(await party.signIn(started.headers.get('location') ?? ''), started.headers.get('set-cookie')?.split(';')[0])
    const location = new URL(back.headers.get('location') ?? '')
    if (landing === null) expect(location.href).toBe(`${there.url}web/sign-in?username=${encodeURIComponent(email)}`)
    else expect(Object.fromEntries(new URLSearchParams(location.hash.slice(1)))).toEqual({ ssoError: 'wrong-core', coreUrl: there.url })
  })
})
