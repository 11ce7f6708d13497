/**
 * Links: answers to them and their ends (docs/interface/consents.md#responses,
 * docs/interface/consents.md#back-channel, docs/interface/messages.md#delivery).
 */
import { describe, expect, it } from 'vitest'
import { request } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { consentTo, json, withForeignAccount } from './foreignAccount.js'
import { acceptLink, answerLink, APP, contentOf, inStream, invite, newRequester, offering, openLink, deliverDue, relationsOf, SCOPE, write } from './consentFlow.js'

type Content = Record<string, unknown>

const node = withNode()

const linkOf = ({ content }: { content: Content }): [string, string] => [String(content['capabilityUrl']), String(content['capabilityId'])]

const dora = withForeignAccount()
const answerOf = (): { from: Content; grantedAccess: Content } => ({ from: dora.from, grantedAccess: { apiEndpoint: dora.endpoint() } })

describe('an answer from another node', () => {
  it('is accepted once, and a repetition is answered like the first', async () => {
    const alice = await newRequester(node())
    const invited = await invite(alice)
    const [url, id] = linkOf(invited)
    dora.access = json(await consentTo(alice, invited, dora))
    const content = { ...answerOf(), capabilityId: id }
    const { origin, pathname, username } = new URL(url)
    const body = { id: 'c0123456789abcdefghijklm', streamIds: [`:_cmc:_internal:responses:${id}`], type: 'consent/accept-cmc', content }
    const post = async (more: Content = {}): Promise<number> =>
      (await request(`${origin}${pathname}events`, { token: username, body: { ...body, ...more } })).status
    expect([await post(), await post(), await post({ content: { ...content, more: 1 } })]).toEqual([201, 201, 409])
    expect(await answerLink(url, id, content)).toEqual([400, 'cmc-capability-consumed'])
    expect(await answerLink(url, id, { from: dora.from, capabilityUrl: url }, 'consent/refuse-cmc')).toEqual([400, 'cmc-capability-consumed'])
    await deliverDue(node())
    expect((await relationsOf(alice)).length).toBe(1)
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'accepted', acceptedBy: dora.from })
  })

  it.each<[string, () => Content]>([
    ['without sender', () => ({ ...answerOf(), from: undefined })],
    ['without endpoint', () => ({ from: dora.from })],
    ['with an invalid user name', () => ({ ...answerOf(), from: { username: 'a--b', host: 'x' } })],
  ])('%s creates nothing', async (_it, content) => {
    const alice = await newRequester(node())
    const invited = await invite(alice)
    const [url, id] = linkOf(invited)
    expect(await answerLink(url, id, content())).toEqual([201, undefined])
    await deliverDue(node())
    expect([await relationsOf(alice), await inStream(alice, ':_cmc:inbox')]).toEqual([[], []])
    expect(await acceptLink(await newStage(node()), url)).toMatchObject({ status: 'completed' })
  })

  it('can only be an event of a response to this link', async () => {
    const alice = await newRequester(node())
    const [url, id] = linkOf(await invite(alice))
    expect((await answerLink(url, id, { content: 'hello' }, 'message/chat-cmc'))[0]).toBe(403)
    const [, another] = linkOf(await invite(alice))
    expect((await answerLink(url, another, answerOf()))[0]).toBe(403)
  })
})

describe('an invalidated open link', () => {
  const invalidated = async (stage: Stage, content: Content): Promise<Content> => {
    const { id } = await write(stage, 'consent/invalidate-link-cmc', content)
    await deliverDue(node())
    return contentOf(stage, id)
  }

  it('refuses new accounts, and preserves existing consents', async () => {
    const alice = await newRequester(node())
    const invited = await invite(alice, openLink())
    const [url, capabilityId] = linkOf(invited)
    await acceptLink(await newStage(node()), url)
    expect(await invalidated(alice, { capabilityId, reason: { en: 'Full' } })).toMatchObject({ status: 'completed' })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'invalidated', reason: { en: 'Full' }, invalidatedAt: expect.any(Number) as unknown })
    expect(await acceptLink(await newStage(node()), url)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-invalidated' } })
    expect(await invalidated(alice, { capabilityId })).toMatchObject({ status: 'completed' })
    expect((await relationsOf(alice)).length).toBe(1)
  })

  it('must exist, and a single-use link is not changed', async () => {
    const alice = await newRequester(node())
    expect(await invalidated(alice, { capabilityId: 'unknown' })).toMatchObject({ status: 'failed', failure: { reason: 'capability-access-not-found' } })
    const invited = await invite(alice, offering())
    const [url, capabilityId] = linkOf(invited)
    expect(await invalidated(alice, { capabilityId })).toMatchObject({ status: 'completed' })
    expect((await contentOf(alice, invited.id))['status']).toBe('pending')
    expect(await acceptLink(await newStage(node()), url)).toMatchObject({ status: 'completed' })
  })
})

describe('a single-use link that is revoked', () => {
  const number = expect.any(Number) as unknown
  const revoking = (accessId: unknown): Content => ({ streamIds: [SCOPE], type: 'consent/revoke-cmc', content: { accessId, reason: { en: 'Mistake' } } })
  /** Revokes a link with a token, and returns the content of the revocation afterwards. */
  const revoked = async (stage: Stage, accessId: unknown, token = stage.owner, transport: Transport = 'http'): Promise<Content> => {
    const { status, body } = await callThrough(transport, stage, token, 'events.create', revoking(accessId))
    expect(status).toBe(201)
    await deliverDue(node())
    return contentOf(stage, (body['event'] as { id: string }).id)
  }

  it.each(['http', 'form', 'batch', 'socket'] as const)('refuses acceptances, and its invite is marked as revoked (%s)', async (transport) => {
    const alice = await newRequester(node())
    const invited = await invite(alice)
    const [url, capabilityId] = linkOf(invited)
    const { capabilityAccessId } = invited.content
    expect(await revoked(alice, capabilityAccessId, alice.owner, transport)).toMatchObject({ status: 'completed' })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'revoked', revokedAt: number, reason: { en: 'Mistake' } })
    const bob = await newStage(node())
    expect(await acceptLink(bob, url)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-invalidated' } })
    expect([await relationsOf(alice), await relationsOf(bob)]).toEqual([[], []])
    expect(await answerLink(url, capabilityId, { from: dora.from, capabilityId, capabilityUrl: url }, 'consent/refuse-cmc')).toEqual([400, 'cmc-capability-invalidated'])
    expect(await revoked(alice, capabilityAccessId)).toMatchObject({ status: 'completed' })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'revoked' })
  })

  it('is marked as revoked also after a refusal', async () => {
    const alice = await newRequester(node())
    const invited = await invite(alice)
    const [url] = linkOf(invited)
    await write(await newStage(node()), 'consent/refuse-cmc', { capabilityUrl: url }, APP)
    await deliverDue(node())
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'refused' })
    await revoked(alice, invited.content['capabilityAccessId'])
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'revoked', revokedAt: number })
  })

  it('stays accepted if it was consumed before', async () => {
    const alice = await newRequester(node())
    const invited = await invite(alice)
    await acceptLink(await newStage(node()), linkOf(invited)[0])
    expect(await revoked(alice, invited.content['capabilityAccessId'])).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-consumed' } })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'accepted' })
    expect(await relationsOf(alice)).toHaveLength(1)
  })

  it('can be revoked only by the owner and the app that created it', async () => {
    const alice = await newRequester(node())
    const [creator, other] = [await alice.app([{ streamId: APP, level: 'manage' }]), await alice.app([{ streamId: APP, level: 'manage' }])]
    const { body } = await callThrough('http', alice, creator, 'events.create', { streamIds: [SCOPE], type: 'consent/request-cmc', content: offering() })
    const invited = body['event'] as { id: string; content: Content }
    const { capabilityAccessId } = invited.content
    expect(await revoked(alice, capabilityAccessId, other)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-revoke-forbidden' } })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'pending' })
    expect(await revoked(alice, capabilityAccessId, creator)).toMatchObject({ status: 'completed' })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'revoked' })
  })

  it('is marked as revoked when its access is deleted', async () => {
    const alice = await newRequester(node())
    const one = await invite(alice)
    const many = await invite(alice, openLink())
    const used = await invite(alice)
    await acceptLink(await newStage(node()), linkOf(used)[0])
    for (const { content } of [one, many, used]) await alice.arrange('accesses.delete', { id: content['capabilityAccessId'] })
    expect(await contentOf(alice, one.id)).toMatchObject({ status: 'revoked', revokedAt: number })
    expect(await contentOf(alice, many.id)).toMatchObject({ status: 'invalidated', invalidatedAt: number })
    expect(await contentOf(alice, used.id)).toMatchObject({ status: 'accepted' })
    expect(await acceptLink(await newStage(node()), linkOf(one)[0])).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-invalid' } })
  })

  it('has the same outcome on both sides when it is accepted concurrently', async () => {
    for (let round = 0; round < 8; round++) {
      const alice = await newRequester(node())
      const bob = await newStage(node())
      const invited = await invite(alice)
      const accept = await write(bob, 'consent/accept-cmc', { capabilityUrl: linkOf(invited)[0] }, APP)
      // Delays the revocation by one more request per round, to meet each step of the acceptance.
      for (let step = 0; step < round; step++) await request(`${node().url}${bob.username}/access-info`, { token: bob.owner })
      const trigger = await write(alice, 'consent/revoke-cmc', { accessId: invited.content['capabilityAccessId'] })
      await deliverDue(node())
      const [accepted, ended, { status }] = await Promise.all([contentOf(bob, accept.id), contentOf(alice, trigger.id), contentOf(alice, invited.id)])
      const isAccepted = accepted['status'] === 'completed'
      expect([status, (await relationsOf(alice)).length, (await relationsOf(bob)).length]).toEqual(isAccepted ? ['accepted', 1, 1] : ['revoked', 0, 0])
      if (isAccepted) expect(ended).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-consumed' } })
      else expect([ended['status'], accepted['failure']]).toMatchObject(['completed', { reason: 'cmc-capability-invalidated' }])
    }
  })
})

describe('the back channel', () => {
  it('is written to the inbox only, with the access of a consent', async () => {
    const alice = await newRequester(node())
    const [url] = linkOf(await invite(alice))
    const bob = await newStage(node())
    await acceptLink(bob, url)
    const [grant] = await relationsOf(bob)
    const [channel] = await relationsOf(alice)
    const post = async (streamId: string, content: Content): Promise<unknown[]> => {
      const body = { streamIds: [streamId], type: 'consent/back-channel-cmc', content: { from: dora.from, ...content } }
      const answer = await request(`${node().url}${bob.username}/events`, { token: grant?.token.reveal() ?? '', body })
      return [answer.status, (answer.body['error'] as { data?: { id?: string } } | undefined)?.data?.id, answer.body['event']]
    }
    const chats = `${SCOPE}:chats:${alice.username}--127-0-0-1`
    const apiEndpoint = `http://other@${new URL(node().url).host}/${alice.username}/`
    expect(await post(chats, { apiEndpoint })).toEqual([400, 'cmc-back-channel-wrong-stream', undefined])
    // The relationship is that of the access, regardless of the content.
    expect(await post(':_cmc:inbox', { apiEndpoint, appCode: 'another', scopeStreamId: ':_cmc:apps:another' })).toMatchObject([
      ...[201, undefined],
      { content: { from: { username: alice.username }, apiEndpoint: `${node().url}${alice.username}/` } },
    ])
    const [after] = await relationsOf(bob)
    expect(after?.access.clientData).toMatchObject({ cmc: { backChannelApiEndpoint: apiEndpoint, appCode: 'study' } })
    expect(channel?.access.name).toContain('cmc-back-channel-study--')
  })
})
