/** The end of a relationship: docs/interface/consents.md#end-of-a-relationship. */
import { describe, expect, it, vi } from 'vitest'
import { findTask, putTask } from '../../../../src/store/accesses/consentTasks.js'
import { readUser } from '../../../../src/store/accounts/users.js'
import type { Origin } from '../../../../src/server/call/method.js'
import { revokeTokenFamily } from '../../../../src/server/api/oauth/revokeTokenFamily.js'
import type { TokenFamily } from '../../../../src/server/api/oauth/refresh.js'
import { grantAccess } from '../../../support/people/access.js'
import { callThrough } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accessOf, inInbox, inStream, deliverDue, setPeerEndpoint, relatedPair, replaceAccess, writeAndDeliver, storedEvent, SCOPE, type Content, type RelatedPair } from './support.js'

const REVOKE = 'consent/revoke-cmc'
const number = expect.any(Number) as number

const withdrawalOf = async ({ b, acceptId }: RelatedPair): Promise<unknown> => (await storedEvent(b, acceptId)).content['withdrawal']
const inviteOf = async ({ a, inviteId }: RelatedPair): Promise<Content> => (await storedEvent(a, inviteId)).content

describe('a relationship', () => {
  const at = withNode()

  it.each(['http', 'batch'] as const)('is ended by the accepter (%s)', async (transport) => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const mine = await writeAndDeliver(b, SCOPE, REVOKE, { accessId: b.accessId, reason: { en: 'stop' } }, { transport })
    expect(mine.content).toMatchObject({ status: 'completed', peerNotified: true })
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toEqual({ at: number, by: 'revoke-cmc', accessId: b.accessId, revokeEventId: mine.id })
    const [arrived, ...others] = await inInbox(a)
    expect(others).toEqual([])
    expect(arrived).toMatchObject({
      createdBy: a.accessId,
      content: {
        ...{ accessId: b.accessId, reason: { en: 'stop' }, appCode: 'study', from: { username: b.username } },
        ...{ backChannelAccessId: a.accessId, inviteEventId: pair.inviteId, scopeStreamId: SCOPE, revokedAccessIds: [a.accessId] },
      },
    })
    expect(await inviteOf(pair)).toMatchObject({ status: 'revoked', revokedAt: number })
    expect(await inInbox(b)).toEqual([])
    expect(await inStream(b, SCOPE, REVOKE)).toHaveLength(1)
    const again = await writeAndDeliver(b, SCOPE, REVOKE, { accessId: b.accessId })
    expect(again.content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-revoke-counterparty-access-not-found' } })
    expect(await inInbox(a)).toHaveLength(1)
  })

  it('is ended by the requester', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    await writeAndDeliver(a, a.collector, REVOKE, { accessId: a.accessId })
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    const [arrived] = await inInbox(b)
    expect(arrived?.content).toMatchObject({
      ...{ accessId: a.accessId, dataGrantAccessId: b.accessId, acceptEventId: pair.acceptId },
      ...{ offerEventId: expect.any(String) as string, scopeStreamId: SCOPE, revokedAccessIds: [b.accessId] },
    })
    expect(await withdrawalOf(pair)).toEqual({ at: number, by: 'peer-revoke', accessId: b.accessId, revokeEventId: arrived?.id })
    expect(await inviteOf(pair)).toMatchObject({ status: 'revoked' })
  })

  it('is ended by a new access that replaces its expired one, with a notification of the other account', async () => {
    const pair = await relatedPair(at(), at(), { more: { name: 'Study', expires: 1 } })
    const { a, b } = pair
    await b.arrange('accesses.create', { name: 'Study', permissions: [] })
    await deliverDue(at())
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toMatchObject({ by: 'accesses.delete', accessId: b.accessId })
    expect(await inInbox(a)).toHaveLength(1)
  })

  it('is ended by the deletion of its access, once', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const { accessDeletion } = await b.arrange('accesses.delete', { id: b.accessId })
    expect(accessDeletion).toEqual({ id: b.accessId })
    await deliverDue(at())
    expect(accessOf(a)).toBeUndefined()
    expect((await inInbox(a))[0]?.content).toMatchObject({ accessId: b.accessId, appCode: 'study', revokedAccessIds: [a.accessId] })
    expect(await withdrawalOf(pair)).toEqual({ at: number, by: 'accesses.delete', accessId: b.accessId })
    await writeAndDeliver(b, SCOPE, REVOKE, { accessId: b.accessId })
    expect(await inInbox(a)).toHaveLength(1)
    expect((await callThrough('http', b, b.owner, 'accesses.delete', { id: b.accessId })).status).toBe(404)
  })

  it('is ended by a reused refresh token, and the other account receives the reason', async () => {
    const { a, b } = await relatedPair(at())
    const user = readUser(b.account.db, b.account.prefix)
    const chain = { account: b.account.prefix, userId: user?.id, clientId: 'an-app', dataGrantAccessId: b.accessId } as unknown as TokenFamily
    await revokeTokenFamily(at().node, { source: 'http' } as Origin, chain)
    await deliverDue(at())
    expect(accessOf(a)).toBeUndefined()
    expect((await inInbox(a))[0]?.content['reason']).toMatchObject({ en: expect.stringContaining('twice') as string, fr: expect.any(String) as string })
  })

  it('is ended by the deletion of the app that manages its access', async () => {
    const stage = await relatedPair(at())
    const app = await grantAccess(at(), stage.b.username, [{ streamId: '*', level: 'manage' }])
    const pair = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [stage.a, stage.b], more: { manager: app.id } })
    await pair.b.arrange('accesses.delete', { id: app.id })
    await deliverDue(at())
    expect([accessOf(pair.a), accessOf(pair.b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toMatchObject({ by: 'accesses.delete' })
    expect([accessOf(stage.a), accessOf(stage.b)]).not.toContain(undefined)
  })

  it('is ended when the other account deletes its access', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    expect((await callThrough('http', b, b.token, 'accesses.delete', { id: b.accessId })).status).toBe(200)
    await deliverDue(at())
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toMatchObject({ by: 'accesses.delete' })
  })

  it('ends without effect on other scopes, and leaves an open link open', async () => {
    const first = await relatedPair(at(), at(), { mode: 'open-link' })
    const second = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [first.a, first.b] })
    await writeAndDeliver(first.b, SCOPE, REVOKE, { accessId: first.b.accessId })
    expect([accessOf(first.a), accessOf(first.b)]).toEqual([undefined, undefined])
    expect([accessOf(second.a), accessOf(second.b)]).not.toContain(undefined)
    expect(await inviteOf(first)).toMatchObject({ status: 'pending' })
    expect(await inviteOf(second)).toMatchObject({ status: 'accepted' })
  })

  it('ends all accesses of its scope when the other account ends it', async () => {
    const first = await relatedPair(at())
    const second = await relatedPair(at(), at(), { stages: [first.a, first.b] })
    await writeAndDeliver(first.b, SCOPE, REVOKE, { accessId: first.b.accessId })
    expect([accessOf(first.a), accessOf(second.a)]).toEqual([undefined, undefined])
    const ids = [first.a.accessId, second.a.accessId].sort()
    expect([...((await inInbox(first.a))[0]?.content['revokedAccessIds'] as string[])].sort()).toEqual(ids)
  })

  const writers: [name: string, run: (pair: RelatedPair) => Promise<string>, isAllowed: boolean][] = [
    ['an app that did not create the access', ({ b }) => b.app([{ streamId: SCOPE, level: 'manage' }]), false],
    ['the other account itself', ({ b }) => Promise.resolve(b.token), true],
    [
      'the app that created the access',
      async ({ b }) => {
        const app = await grantAccess(at(), b.username, [{ streamId: SCOPE, level: 'manage' }])
        await replaceAccess(b, (access) => ({ ...access, manager: app.id }))
        return app.token
      },
      true,
    ],
  ]
  it.each(writers)('is ended only by authorised callers: %s', async (_, tokenOf, isAllowed) => {
    const pair = await relatedPair(at())
    const { b } = pair
    const { content } = await writeAndDeliver(b, b.chat, REVOKE, { accessId: b.accessId }, { token: await tokenOf(pair) })
    expect(content).toMatchObject(isAllowed ? { status: 'completed' } : { status: 'failed', failure: { reason: 'cmc-revoke-forbidden' } })
    expect(accessOf(b) === undefined).toBe(isAllowed)
  })

  it('is not ended by an access with selfRevoke forbidden', async () => {
    const { b } = await relatedPair(at(), at(), { permissions: [{ feature: 'selfRevoke', setting: 'forbidden' }] })
    const { content } = await writeAndDeliver(b, b.chat, REVOKE, { accessId: b.accessId }, { token: b.token })
    expect(content).toMatchObject({ failure: { reason: 'cmc-revoke-forbidden' } })
  })

  it.each([
    ['has no known address', undefined, { reason: 'cmc-revoke-no-peer-endpoint' }],
    ['refuses the call', 'unknown', { reason: 'cmc-revoke-delivery-failed', status: 403 }],
  ])('ends even if the other account %s', async (_, token, deliveryFailure) => {
    const { a, b } = await relatedPair(at())
    await setPeerEndpoint(b, token === undefined ? undefined : `${at().url.replace('://', `://${token}@`)}${a.username}/`)
    const { content } = await writeAndDeliver(b, SCOPE, REVOKE, { accessId: b.accessId })
    expect(content).toMatchObject({ status: 'completed', peerNotified: false, deliveryFailure })
    expect(accessOf(b)).toBeUndefined()
    expect(await inInbox(a)).toEqual([])
  })

  it('ends at a retry after a local failure, with one notification', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const exclusively = vi.spyOn(b.account, 'exclusively').mockRejectedValueOnce(new Error('no'))
    const mine = await writeAndDeliver(b, SCOPE, REVOKE, { accessId: b.accessId })
    exclusively.mockRestore()
    expect(mine.content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-revoke-delete-failed', detail: { accessIds: [b.accessId] } } })
    expect([accessOf(b), await inInbox(a)]).toMatchObject([{ id: b.accessId }, []])
    const { seal, db } = at().node.store
    const task = findTask(db, seal, b.account.prefix, mine.id)
    if (task === undefined) throw new Error('no task')
    await b.account.write((t) => putTask(t, seal, { ...task, due: 0 }))
    await deliverDue(at())
    expect((await storedEvent(b, mine.id)).content).toEqual({ accessId: b.accessId, status: 'completed', peerNotified: true })
    expect(await inInbox(a)).toHaveLength(1)
  })

  it('has the same state when its end is processed twice after a crash', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    await writeAndDeliver(b, SCOPE, REVOKE, { accessId: b.accessId })
    const [arrived] = await inInbox(a)
    const id = arrived?.id ?? ''
    await a.account.write((t) => putTask(t, at().node.store.seal, { id, kind: 'arrival', attempts: 0, due: 0, payload: { accessId: a.accessId } }))
    await deliverDue(at())
    expect((await storedEvent(a, id)).content).toEqual(arrived?.content)
  })
})
