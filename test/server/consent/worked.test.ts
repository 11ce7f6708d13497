/** A relationship from its beginning to its end, by the methods alone (consent supplement 1.24). */
import { describe, expect, it } from 'vitest'
import { newStage } from '../../support/scenario.js'
import { withNode } from '../../support/started.js'
import { accepting, APP, contentOf, inStream, invite, newRequester, offering, quiet, relationsOf, SCOPE, write } from './agreeing.js'

describe('two accounts', () => {
  const at = withNode()

  it('agree, chat, agree on more, and part', async () => {
    const [alice, bob] = [await newRequester(at()), await newStage(at())]
    const wrote = async (...said: Parameters<typeof write>): Promise<Record<string, unknown>> => {
      const { id } = await write(...said)
      await quiet(at())
      return { id, ...(await contentOf(said[0], id)) }
    }
    const asked = await invite(alice, offering({ features: { chat: true, systemMessaging: true } }))
    const accept = await accepting(bob, asked.content['capabilityUrl'], { accessName: 'Study' })
    await quiet(at())
    const [grant] = await relationsOf(bob)
    const [back] = await relationsOf(alice)
    const [slugOfAlice, slugOfBob] = [alice, bob].map(({ username }) => `${username}--127-0-0-1`)

    const chat = await wrote(bob, 'message/chat-cmc', { content: 'hello' }, `${SCOPE}:chats:${slugOfAlice}`)
    expect(chat).toMatchObject({ status: 'completed' })
    expect(await inStream(alice, `${SCOPE}:chats:${slugOfBob}`)).toMatchObject([
      { id: chat['remoteEventId'], createdBy: back?.access.id, content: { content: 'hello', from: { username: bob.username } } },
    ])

    const newPermissions = ['diary', 'steps'].map((streamId) => ({ streamId, level: 'read' }))
    const more = await wrote(alice, 'consent/scope-request-cmc', { newPermissions }, `${SCOPE}:collectors:${slugOfBob}`)
    expect(more).toMatchObject({ status: 'completed' })
    const answer = await wrote(bob, 'consent/scope-update-cmc', { scopeRequestEventId: more['remoteEventId'], accept: true }, `${SCOPE}:collectors:${slugOfAlice}`)
    expect(answer).toMatchObject({ status: 'completed', applied: true, accessId: grant?.access.id, newPermissions })
    expect(await contentOf(bob, String(more['remoteEventId']))).toMatchObject({ status: 'accepted', responseEventId: answer['id'] })
    expect((await relationsOf(bob))[0]?.access.permissions).toEqual([...newPermissions, ...(grant?.access.permissions ?? []).slice(1)])
    expect((await inStream(alice, `${SCOPE}:collectors:${slugOfBob}`))[0]).toMatchObject({ type: 'consent/scope-update-cmc', content: { newPermissions } })

    const revoke = await wrote(bob, 'consent/revoke-cmc', { accessId: grant?.access.id, reason: { en: 'stop' } }, APP)
    await quiet(at())
    expect(revoke).toMatchObject({ status: 'completed', peerNotified: true })
    expect([await relationsOf(alice), await relationsOf(bob)]).toEqual([[], []])
    expect((await inStream(alice, ':_cmc:inbox'))[0]?.content).toMatchObject({
      ...{ accessId: grant?.access.id, backChannelAccessId: back?.access.id, inviteEventId: asked.id },
      ...{ scopeStreamId: SCOPE, revokedAccessIds: [back?.access.id] },
    })
    expect(await contentOf(alice, asked.id)).toMatchObject({ status: 'revoked' })
    expect((await contentOf(bob, String(accept['id'])))['withdrawal']).toMatchObject({ by: 'revoke-cmc', accessId: grant?.access.id, revokeEventId: revoke['id'] })
    expect(await inStream(bob, `${SCOPE}:chats:${slugOfAlice}`)).toHaveLength(1)
  })
})
