/** Acceptance of offers: grants and failures (docs/interface/consents.md). */
import { describe, expect, it } from 'vitest'
import { terminalCall } from '../../../../src/server/dispatch/terminalCaller.js'
import { acceptOffer } from '../../../../src/server/api/consents/delivery/acceptOffer.js'
import { counterpartyOf } from '../../../../src/store/model/consentAccess.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, accountOf, APP, contentOf, inStream, invite, newRequester, offering, deliverDue, relationsOf, SCOPE, streamIdsOf, write } from './consentFlow.js'

type Content = Record<string, unknown>

const entry = (streamId: string, level: string, more: object = {}): object => ({ streamId, level, ...more })

describe('an accept', () => {
  const node = withNode()
  const both = async (request: Content = {}, more: Content = {}): Promise<{ alice: Stage; bob: Stage; url: unknown; id: string }> => {
    const alice = await newRequester(node())
    const { content, id } = await invite(alice, offering(request, more))
    return { alice, bob: await newStage(node()), url: content['capabilityUrl'], id }
  }
  const grantedPermissions = async (bob: Stage): Promise<unknown[]> => streamIdsOf((await relationsOf(bob))[0]?.access.permissions).slice(0, -3)

  const choice = [entry('a', 'read', { mandatory: true }), entry('b', 'contribute', { optIn: true }), { feature: 'selfRevoke', setting: 'forbidden' }]
  it.each<[string, Content, Content, unknown]>([
    ['the whole offer', { permissions: choice, allowUserChoice: true }, {}, [['a', 'read'], ['b', 'contribute'], choice[2]]],
    ['a part of an offer with choice', { permissions: choice, allowUserChoice: true }, { grantedPermissions: [entry('a', 'read')] }, [['a', 'read']]],
    ['an offer without its mandatory permission', { permissions: choice, allowUserChoice: true }, { grantedPermissions: [entry('b', 'contribute')] }, 'cmc-mandatory-permission-refused'],
    ['a part of an offer without choice', { permissions: choice }, { grantedPermissions: [entry('a', 'read')] }, 'cmc-consent-user-choice-not-allowed'],
    ['a permission that was not offered', { permissions: choice }, { grantedPermissions: [entry('c', 'read')] }, 'cmc-granted-permissions-not-subset'],
    ['another level', { permissions: choice }, { grantedPermissions: [entry('b', 'read')] }, 'cmc-granted-permissions-not-subset'],
    [
      'a broad permission without the one that narrows it',
      { permissions: [entry('*', 'manage'), entry('b', 'read')], allowUserChoice: true },
      { grantedPermissions: [entry('*', 'manage')] },
      'cmc-granted-permissions-not-subset',
    ],
    ['an offer with the level none', { permissions: [entry('a', 'none')] }, {}, 'cmc-offer-invalid-permissions'],
    ['an internal stream', { permissions: [entry(':_cmc:_internal', 'read')] }, {}, 'cmc-offer-invalid-permissions'],
  ])('grants or refuses %s', async (_it, request, accept, expected) => {
    const { alice, bob, url } = await both(request)
    const end = await acceptLink(bob, url, accept)
    if (typeof expected === 'string') {
      expect([end['status'], (end['failure'] as Content)['reason']]).toEqual(['failed', expected])
      expect([(await relationsOf(bob)).length, (await relationsOf(alice)).length]).toEqual([0, 0])
    } else {
      expect(end['status']).toBe('completed')
      expect(await grantedPermissions(bob)).toEqual(expected)
    }
  })

  it('creates an access of the type and features of the offer', async () => {
    const { bob, url } = await both({ accessType: 'app' })
    expect((await acceptLink(bob, url, { extra: { chat: false } }))['offerTitle']).toEqual({ en: 'Study' })
    const [grant] = await relationsOf(bob)
    const peer = grant === undefined ? undefined : counterpartyOf(grant.access)?.counterparty
    expect(grant?.access).toMatchObject({ type: 'app', name: `cmc:study:${peer?.username}@${peer?.host}` })
    expect(grant && counterpartyOf(grant.access)?.features).toBeNull()
    expect((await accountOf(bob)).tree.get('diary')?.name).toBe('Diary')
  })

  it('of an own offer fails', async () => {
    const { alice, url } = await both()
    expect(await acceptLink(alice, url)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-self-accept-forbidden' } })
    expect(await relationsOf(alice)).toEqual([])
  })

  it.each([
    ['cmc-capability-invalid', (url: URL) => ((url.username = 'unknown'), url.href)],
    ['cmc-handler-offer-read-failed', (url: URL) => ((url.username = ''), url.href)],
    ['cmc-handler-offer-read-failed', () => 'http://token@10.0.0.1/alice/'],
    ['cmc-handler-offer-read-failed', () => 'no address'],
  ])('of an invalid link fails with %s', async (reason, wrong) => {
    const { bob, url } = await both()
    const end = await acceptLink(bob, wrong(new URL(String(url))))
    expect(end).toMatchObject({ status: 'failed', failure: { reason } })
    expect((await accountOf(bob)).tree.has(SCOPE)).toBe(false)
  })

  it('fails if its access name and the alternative name exist', async () => {
    const first = await both()
    await acceptLink(first.bob, first.url, { accessName: 'Mine' })
    const { content } = await invite(first.alice)
    const id = 'c0123456789abcdefghijklm'
    await first.bob.arrange('accesses.create', { name: `Mine (${id.slice(-8)})`, permissions: [] })
    const acceptance = { capabilityUrl: content['capabilityUrl'], accessName: 'Mine' }
    await first.bob.arrange('events.create', { id, streamIds: [APP], type: 'consent/accept-cmc', content: acceptance })
    await deliverDue(node())
    expect(await contentOf(first.bob, id)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-data-grant-name-conflict' } })
  })

  it('is refused for apps', async () => {
    const { bob, url } = await both()
    await bob.arrange('streams.create', { id: APP, name: 'App', parentId: ':_cmc:apps' })
    const token = await bob.app([{ streamId: APP, level: 'manage' }])
    const { status, body } = await callThrough('http', bob, token, 'events.create', {
      ...{ streamIds: [APP], type: 'consent/accept-cmc', content: { capabilityUrl: url } },
    })
    expect([status, body['error']]).toMatchObject([400, { data: { id: 'cmc-accept-requires-personal-token' } }])
  })

  it('that the requester refuses leaves no grant', async () => {
    const { bob, url } = await both()
    await acceptLink(await newStage(node()), url)
    const end = await acceptLink(bob, url)
    expect(end).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-consumed', detail: { status: 400 } } })
    expect(await relationsOf(bob)).toEqual([])
  })

  it('can be awaited by the caller of acceptOffer', async () => {
    const { alice, bob, url } = await both()
    const loaded = await node().node.accounts.find(bob.username)
    if (loaded === undefined) throw new Error('no account')
    await write(bob, 'consent/refuse-cmc', { capabilityUrl: url }, APP)
    const { eventId, content } = await acceptOffer(terminalCall(node().node, loaded), { capabilityUrl: String(url), streamId: APP })
    const [grant] = await relationsOf(bob)
    expect(content).toMatchObject({ status: 'completed', dataGrantAccessId: grant?.access.id })
    expect(grant && counterpartyOf(grant.access)?.acceptEventId).toBe(eventId)
    await deliverDue(node())
    expect((await inStream(alice, ':_cmc:inbox')).length).toBe(1)
  })
})
