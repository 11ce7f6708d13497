/** Refusal of offers (docs/interface/consents.md#refusal, docs/interface/consents.md#status-of-an-invite). */
import { expect, it } from 'vitest'
import { callThrough, newStage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, APP, contentOf, inStream, invite, newRequester, openLink, deliverDue, relationsOf, write } from './consentFlow.js'

const node = withNode()

it('a refusal is delivered, does not consume the link, and can be followed by an acceptance', async () => {
  const alice = await newRequester(node())
  const bob = await newStage(node())
  const { id, content: { capabilityUrl } } = await invite(alice)
  const refusal = await write(bob, 'consent/refuse-cmc', { capabilityUrl, reason: { en: 'No' } }, APP)
  await deliverDue(node())
  expect(await contentOf(bob, refusal.id)).toMatchObject({ status: 'completed', capabilityUrl: `${node().url}${alice.username}/` })
  // An update does not restore the token.
  await bob.arrange('events.update', { id: refusal.id, update: { content: { capabilityUrl, reason: { en: 'No' } } } })
  expect(await contentOf(bob, refusal.id)).toMatchObject({ capabilityUrl: `${node().url}${alice.username}/` })
  expect(await contentOf(alice, id)).toMatchObject({
    ...{ status: 'refused', refusedBy: { username: bob.username }, refusedAt: expect.any(Number) as unknown, reason: { en: 'No' } },
  })
  expect([await relationsOf(alice), await relationsOf(bob), await inStream(alice, ':_cmc:inbox')]).toEqual([[], [], []])
  expect(await acceptLink(bob, capabilityUrl)).toMatchObject({ status: 'completed' })
  const after = await contentOf(alice, id)
  expect(after).toMatchObject({ status: 'accepted', acceptedBy: { username: bob.username } })
  expect(Object.keys(after)).not.toEqual(expect.arrayContaining(['refusedBy']))
  expect([after['refusedBy'], after['refusedAt'], after['reason']]).toEqual([undefined, undefined, undefined])
  const late = await write(bob, 'consent/refuse-cmc', { capabilityUrl }, APP)
  await deliverDue(node())
  expect(await contentOf(bob, late.id)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-consumed' } })
  expect((await contentOf(alice, id))['status']).toBe('accepted')
})

it('an open link is not changed by a refusal', async () => {
  const alice = await newRequester(node())
  const bob = await newStage(node())
  const { id, content: { capabilityUrl } } = await invite(alice, openLink())
  await bob.arrange('streams.create', { id: APP, name: 'App', parentId: ':_cmc:apps' })
  const token = await bob.app([{ streamId: APP, level: 'contribute' }])
  const content = { capabilityUrl }
  const { status } = await callThrough('http', bob, token, 'events.create', { streamIds: [APP], type: 'consent/refuse-cmc', content })
  await deliverDue(node())
  expect([status, (await contentOf(alice, id))['status']]).toEqual([201, 'pending'])
})
