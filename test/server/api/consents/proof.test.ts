/** Answers to links in the name of other accounts (docs/interface/consents.md#responses). */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, answerLink, contentOf, inStream, invite, newRequester, openLink, deliverDue, relationsOf, write, type Content, type CreatedEvent } from './consentFlow.js'
import { consentTo, json, offerIdOf, withForeignAccount } from './foreignAccount.js'

const node = withNode()
const dora = withForeignAccount()
/** Same name at another port, which is indistinguishable in stream ids. */
const other = withForeignAccount()

let alice: Stage
let invited: CreatedEvent
const link = (): [string, string] => [String(invited.content['capabilityUrl']), String(invited.content['capabilityId'])]
const claim = (apiEndpoint: string, from: object = dora.from): Content => ({ from, grantedAccess: { apiEndpoint }, capabilityId: link()[1] })
const answered = (content: Content): Promise<[number, unknown]> => answerLink(...link(), content)

const REFUSED = [400, 'cmc-handler-counterparty-unknown']
const UNREACHABLE = [503, undefined]

beforeEach(async () => {
  alice = await newRequester(node())
  invited = await invite(alice)
  dora.access = json(await consentTo(alice, invited, dora))
  dora.calls.length = 0
})

/** Expects that an answer had no effect, and that the named account can still accept. */
async function expectUntouched(): Promise<void> {
  await deliverDue(node())
  expect([await relationsOf(alice), await inStream(alice, ':_cmc:inbox')]).toEqual([[], []])
  expect((await contentOf(alice, invited.id))['status']).toBe('pending')
  dora.access = json(await consentTo(alice, invited, dora))
  expect(await answered(claim(dora.endpoint()))).toEqual([201, undefined])
  await deliverDue(node())
  expect(await relationsOf(alice)).toMatchObject([{ access: { clientData: { cmc: { counterparty: dora.from } } } }])
  expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'accepted', acceptedBy: dora.from })
}

describe('a link answered in the name of an account of another node', () => {
  it('is accepted only after a call back to the account', async () => {
    await expectUntouched()
    expect(dora.calls).toEqual(['GET /dora/access-info with token', 'POST /dora/events with token'])
  })

  it.each<[string, () => string]>([
    ['at another host', () => 'https://token@evil.example/dora/'],
    ['at the same address with another port', () => `http://token@127.0.0.1:1/dora/`],
    ['of another user', () => dora.endpoint('token', '/mallory/')],
    ['of the host itself', () => dora.endpoint('token', '/')],
    ['of this node', () => `http://token@${new URL(node().url).host}/dora/`],
  ])('with an endpoint %s is refused without a call', async (_it, endpoint) => {
    expect(await answered(claim(endpoint()))).toEqual(REFUSED)
    expect(dora.calls).toEqual([])
    await expectUntouched()
  })

  it.each<[string, () => Promise<Content> | Content]>([
    ['that is of another user', async () => ({ ...(await consentTo(alice, invited, dora)), user: { username: 'mallory' } })],
    ['that names no user', async () => ({ ...(await consentTo(alice, invited, dora)), user: {} })],
    // For example an access that the account shared with the holder of the link.
    ['that is no consent', async () => ({ ...(await consentTo(alice, invited, dora)), clientData: { cmc: null } })],
    ['that is a consent to another account', () => consentTo(alice, invited, dora, { counterparty: { username: 'mallory', host: new URL(node().url).host } })],
    ['that is a consent to an account of another node', () => consentTo(alice, invited, dora, { counterparty: { username: alice.username, host: 'evil.example' } })],
    ['that names no account', () => consentTo(alice, invited, dora, { counterparty: {} })],
    ['that is a consent to another offer', async () => consentTo(alice, invited, dora, { offerEventId: await offerIdOf(alice, await invite(alice)) })],
    ['that is a consent without offer', () => consentTo(alice, invited, dora, { offerEventId: undefined })],
    ['that is a consent to the invite', () => consentTo(alice, invited, dora, { offerEventId: invited.id })],
  ])('with an access %s is refused', async (_it, access) => {
    dora.access = json(await access())
    expect(await answered(claim(dora.endpoint()))).toEqual(REFUSED)
    await expectUntouched()
  })

  it('naming another offer than that of the access is refused', async () => {
    expect(await answered({ ...claim(dora.endpoint()), originalEventId: 'c0123456789abcdefghijklm' })).toEqual(REFUSED)
    expect(await answered({ ...claim(dora.endpoint()), originalEventId: await offerIdOf(alice, invited) })).toEqual([201, undefined])
  })

  it('with an invalid token is refused', async () => {
    for (const status of [401, 403, 404, 204]) {
      dora.access = json({}, status)
      expect(await answered(claim(dora.endpoint()))).toEqual(REFUSED)
    }
    await expectUntouched()
  })

  it('with an endpoint that redirects is refused, without following the redirect', async () => {
    const whole = await consentTo(alice, invited, dora)
    dora.access = (response) => {
      if (dora.calls.at(-1)?.includes('/elsewhere/') === true) return json(whole)(response)
      response.writeHead(302, { location: `http://${dora.host}/elsewhere/access-info` }).end()
    }
    expect(await answered(claim(dora.endpoint()))).toEqual(REFUSED)
    expect(dora.calls).toEqual(['GET /dora/access-info with token'])
    await expectUntouched()
  })

  it('with an endpoint whose response is too large is refused', async () => {
    dora.access = json({ ...(await consentTo(alice, invited, dora)), text: 'x'.repeat(65_536) })
    expect(await answered(claim(dora.endpoint()))).toEqual(REFUSED)
    await expectUntouched()
  })

  it('with an endpoint that does not respond fails after a timeout, and can be repeated', async () => {
    dora.access = () => {}
    const { setTimeout: real } = globalThis
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => real(run, ms === 5_000 ? 10 : ms)) as never)
    const end = await answered(claim(dora.endpoint()))
    timers.mockRestore()
    expect(end).toEqual(UNREACHABLE)
    dora.access = json({}, 502)
    expect(await answered(claim(dora.endpoint()))).toEqual(UNREACHABLE)
    await expectUntouched()
  })

  it('is refused while eight calls back are pending', async () => {
    const open: Parameters<typeof dora.access>[0][] = []
    const whole = await consentTo(alice, invited, dora)
    const eight = new Promise<void>((reached) => {
      dora.access = (response) => {
        open.push(response)
        if (open.length === 8) reached()
      }
    })
    const first = Promise.all(Array.from({ length: 8 }, () => answered(claim(dora.endpoint()))))
    await eight
    expect(await answered(claim(dora.endpoint()))).toEqual(UNREACHABLE)
    // Answers of accounts of this node are not affected.
    const bob = await newStage(node())
    const from = { username: bob.username, host: new URL(node().url).host }
    expect(await answered(claim(`http://token@${from.host}/${bob.username}/`, from))).toEqual(REFUSED)
    for (const response of open) json(whole)(response)
    const ends = (await first).map(([status]) => status).sort()
    expect(ends).toEqual([201, 400, 400, 400, 400, 400, 400, 400])
    expect(open.length).toBe(8)
  })

  it('causes no call back for a consumed link', async () => {
    await expectUntouched()
    dora.calls.length = 0
    expect(await answered(claim(dora.endpoint()))).toEqual([400, 'cmc-capability-consumed'])
    expect(dora.calls).toEqual([])
  })

  it('causes no call back to a private address', async () => {
    expect(await answered(claim('http://token@10.0.0.1/dora/', { username: 'dora', host: '10.0.0.1' }))).toEqual(REFUSED)
    await expectUntouched()
  })

  it('is not replaced by an account with the same name in stream ids', async () => {
    await expectUntouched()
    const before = await relationsOf(alice)
    invited = await invite(alice)
    other.access = json(await consentTo(alice, invited, other))
    expect(await answered(claim(other.endpoint(), other.from))).toEqual([201, undefined])
    await deliverDue(node())
    expect(await relationsOf(alice)).toEqual(before)
  })

  it('reveals that an account has joined only to that account', async () => {
    invited = await invite(alice, openLink())
    dora.access = json(await consentTo(alice, invited, dora))
    expect(await answered(claim(dora.endpoint()))).toEqual([201, undefined])
    await deliverDue(node())
    expect(await answered(claim(dora.endpoint()))).toEqual([400, 'cmc-capability-already-accepted-by-you'])
    expect(await answered({ from: dora.from })).toEqual([201, undefined])
    expect(await answered(claim(dora.endpoint('token', '/mallory/')))).toEqual(REFUSED)
  })
})

describe('a link answered in the name of an account of this node', () => {
  it.each<[string, (bob: Stage) => Promise<string>]>([
    ['with an invalid token', (bob) => Promise.resolve(`http://token@${new URL(node().url).host}/${bob.username}/`)],
    // An access that the named account shared with the holder of the link, for another purpose.
    ['with another access of the account', async (bob) => `http://${await bob.app([{ streamId: '*', level: 'read' }])}@${new URL(node().url).host}/${bob.username}/`],
    ['with the address of another account', (bob) => Promise.resolve(`http://${bob.owner}@${new URL(node().url).host}/${alice.username}/`)],
    ['with an endpoint of another node', () => Promise.resolve(dora.endpoint())],
  ])('%s grants nothing, and the account can still accept', async (_it, endpoint) => {
    const bob = await newStage(node())
    const from = { username: bob.username, host: new URL(node().url).host }
    expect(await answered(claim(await endpoint(bob), from))).toEqual(REFUSED)
    await deliverDue(node())
    expect([await relationsOf(alice), dora.calls]).toEqual([[], []])
    expect(await acceptLink(bob, link()[0])).toMatchObject({ status: 'completed' })
    await deliverDue(node())
    expect(await relationsOf(alice)).toMatchObject([{ access: { clientData: { cmc: { counterparty: from } } } }])
  })

  it('with a consent of it to a third account grants nothing', async () => {
    const [bob, mallory] = [await newStage(node()), await newRequester(node())]
    await acceptLink(bob, (await invite(mallory)).content['capabilityUrl'])
    const [grant] = await relationsOf(bob)
    const from = { username: bob.username, host: new URL(node().url).host }
    expect(await answered(claim(`http://${grant?.token.reveal()}@${from.host}/${bob.username}/`, from))).toEqual(REFUSED)
    expect(await acceptLink(bob, link()[0])).toMatchObject({ status: 'completed' })
  })

  it('that created the offer does not consume it', async () => {
    const from = { username: alice.username, host: new URL(node().url).host }
    expect(await answered(claim(`http://${alice.owner}@${from.host}/${alice.username}/`, from))).toEqual(REFUSED)
    await expectUntouched()
  })

  it('is accepted after the requester was renamed', async () => {
    const bob = await newStage(node())
    await alice.arrange('account.changeUsername', { newUsername: `${alice.username.slice(0, 12)}-new` })
    expect(await acceptLink(bob, link()[0])).toMatchObject({ status: 'completed' })
  })
})

it('a back channel is accepted only at the host of the requester', async () => {
  const bob = await newStage(node())
  await acceptLink(bob, link()[0])
  const [grant] = await relationsOf(bob)
  const url = `http://${grant?.token.reveal()}@${new URL(node().url).host}/${bob.username}/`
  const { origin, pathname, username } = new URL(url)
  const post = async (apiEndpoint: string): Promise<number> => {
    const body = { streamIds: [':_cmc:inbox'], type: 'consent/back-channel-cmc', content: { from: dora.from, apiEndpoint } }
    const sent = await fetch(`${origin}${pathname}events`, { method: 'POST', headers: { authorization: username, 'content-type': 'application/json' }, body: JSON.stringify(body) })
    return sent.status
  }
  const before = await relationsOf(bob)
  expect([await post(dora.endpoint()), await post('https://token@evil.example/')]).toEqual([400, 400])
  expect(await relationsOf(bob)).toEqual(before)
  const { id } = await write(bob, 'message/chat-cmc', { content: 'hello' }, `:_cmc:apps:study:s1:chats:${alice.username}--127-0-0-1`)
  await deliverDue(node())
  expect(await contentOf(bob, id)).toMatchObject({ status: 'completed' })
  expect(dora.calls).toEqual([])
})
