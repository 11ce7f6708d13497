/** Links: what is written to them, by whoever has them, and how they end (consent supplement 1.9, 1.10, 1.18). */
import { describe, expect, it } from 'vitest'
import { request } from '../../support/node.js'
import { newStage, type Stage } from '../../support/scenario.js'
import { withNode } from '../../support/started.js'
import { consentTo, json, withForeignAccount } from './foreignAccount.js'
import { accepting, answerLink, contentOf, inStream, invite, newRequester, offering, openLink, quiet, relationsOf, SCOPE, write } from './agreeing.js'

type Content = Record<string, unknown>

const node = withNode()

const linkOf = ({ content }: { content: Content }): [string, string] => [String(content['capabilityUrl']), String(content['capabilityId'])]

const dora = withForeignAccount()
const answerOf = (): { from: Content; grantedAccess: Content } => ({ from: dora.from, grantedAccess: { apiEndpoint: dora.endpoint() } })

describe('an answer from elsewhere', () => {
  it('is taken once, and the same again is answered like the first', async () => {
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
    await quiet(node())
    expect((await relationsOf(alice)).length).toBe(1)
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'accepted', acceptedBy: dora.from })
  })

  it.each<[string, () => Content]>([
    ['nobody', () => ({ ...answerOf(), from: undefined })],
    ['nowhere', () => ({ from: dora.from })],
    ['a name that is none', () => ({ ...answerOf(), from: { username: 'a--b', host: 'x' } })],
  ])('of %s makes nothing', async (_it, content) => {
    const alice = await newRequester(node())
    const invited = await invite(alice)
    const [url, id] = linkOf(invited)
    expect(await answerLink(url, id, content())).toEqual([201, undefined])
    await quiet(node())
    expect([await relationsOf(alice), await inStream(alice, ':_cmc:inbox')]).toEqual([[], []])
    expect(await accepting(await newStage(node()), url)).toMatchObject({ status: 'completed' })
  })

  it('writes nothing but answers', async () => {
    const alice = await newRequester(node())
    const [url, id] = linkOf(await invite(alice))
    expect((await answerLink(url, id, { content: 'hello' }, 'message/chat-cmc'))[0]).toBe(403)
    const [, another] = linkOf(await invite(alice))
    expect((await answerLink(url, another, answerOf()))[0]).toBe(403)
  })
})

describe('an open link that is withdrawn', () => {
  const withdrawn = async (stage: Stage, content: Content): Promise<Content> => {
    const { id } = await write(stage, 'consent/invalidate-link-cmc', content)
    await quiet(node())
    return contentOf(stage, id)
  }

  it('takes nobody in any more, and keeps those who joined', async () => {
    const alice = await newRequester(node())
    const invited = await invite(alice, openLink())
    const [url, capabilityId] = linkOf(invited)
    await accepting(await newStage(node()), url)
    expect(await withdrawn(alice, { capabilityId, reason: { en: 'Full' } })).toMatchObject({ status: 'completed' })
    expect(await contentOf(alice, invited.id)).toMatchObject({ status: 'invalidated', reason: { en: 'Full' }, invalidatedAt: expect.any(Number) as unknown })
    expect(await accepting(await newStage(node()), url)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-invalidated' } })
    expect(await withdrawn(alice, { capabilityId })).toMatchObject({ status: 'completed' })
    expect((await relationsOf(alice)).length).toBe(1)
  })

  it('is one that is there, and open', async () => {
    const alice = await newRequester(node())
    expect(await withdrawn(alice, { capabilityId: 'unknown' })).toMatchObject({ status: 'failed', failure: { reason: 'capability-access-not-found' } })
    const invited = await invite(alice, offering())
    const [url, capabilityId] = linkOf(invited)
    expect(await withdrawn(alice, { capabilityId })).toMatchObject({ status: 'completed' })
    expect((await contentOf(alice, invited.id))['status']).toBe('pending')
    expect(await accepting(await newStage(node()), url)).toMatchObject({ status: 'completed' })
  })
})

describe('the way back', () => {
  it('is told to the inbox alone, by whoever was given a grant', async () => {
    const alice = await newRequester(node())
    const [url] = linkOf(await invite(alice))
    const bob = await newStage(node())
    await accepting(bob, url)
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
    // Whatever it claims, the access that it came by is the relationship.
    expect(await post(':_cmc:inbox', { apiEndpoint, appCode: 'another', scopeStreamId: ':_cmc:apps:another' })).toMatchObject([
      ...[201, undefined],
      { content: { from: { username: alice.username }, apiEndpoint: `${node().url}${alice.username}/` } },
    ])
    const [after] = await relationsOf(bob)
    expect(after?.access.clientData).toMatchObject({ cmc: { backChannelApiEndpoint: apiEndpoint, appCode: 'study' } })
    expect(channel?.access.name).toContain('cmc-back-channel-study--')
  })
})
