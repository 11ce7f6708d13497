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
import { accessOf, inInbox, inStream, quiet, readdress, relatedPair, remarkAccess, said, seen, SCOPE, type Content, type Related } from './support.js'

const REVOKE = 'consent/revoke-cmc'
const number = expect.any(Number) as number

const withdrawalOf = async ({ b, acceptId }: Related): Promise<unknown> => (await seen(b, acceptId)).content['withdrawal']
const inviteOf = async ({ a, inviteId }: Related): Promise<Content> => (await seen(a, inviteId)).content

describe('a relationship', () => {
  const at = withNode()

  it.each(['http', 'batch'] as const)('is ended by the one who gave (%s)', async (door) => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const mine = await said(b, SCOPE, REVOKE, { accessId: b.accessId, reason: { en: 'stop' } }, { door })
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
    const again = await said(b, SCOPE, REVOKE, { accessId: b.accessId })
    expect(again.content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-revoke-counterparty-access-not-found' } })
    expect(await inInbox(a)).toHaveLength(1)
  })

  it('is ended by the one who asked', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    await said(a, a.collector, REVOKE, { accessId: a.accessId })
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    const [arrived] = await inInbox(b)
    expect(arrived?.content).toMatchObject({
      ...{ accessId: a.accessId, dataGrantAccessId: b.accessId, acceptEventId: pair.acceptId },
      ...{ offerEventId: expect.any(String) as string, scopeStreamId: SCOPE, revokedAccessIds: [b.accessId] },
    })
    expect(await withdrawalOf(pair)).toEqual({ at: number, by: 'peer-revoke', accessId: b.accessId, revokeEventId: arrived?.id })
    expect(await inviteOf(pair)).toMatchObject({ status: 'revoked' })
  })

  it('is ended by a new access in place of its own that has expired, which the other account is told', async () => {
    const pair = await relatedPair(at(), at(), { more: { name: 'Study', expires: 1 } })
    const { a, b } = pair
    await b.arrange('accesses.create', { name: 'Study', permissions: [] })
    await quiet(at())
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toMatchObject({ by: 'accesses.delete', accessId: b.accessId })
    expect(await inInbox(a)).toHaveLength(1)
  })

  it('is ended by a plain deletion, once', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const { accessDeletion } = await b.arrange('accesses.delete', { id: b.accessId })
    expect(accessDeletion).toEqual({ id: b.accessId })
    await quiet(at())
    expect(accessOf(a)).toBeUndefined()
    expect((await inInbox(a))[0]?.content).toMatchObject({ accessId: b.accessId, appCode: 'study', revokedAccessIds: [a.accessId] })
    expect(await withdrawalOf(pair)).toEqual({ at: number, by: 'accesses.delete', accessId: b.accessId })
    await said(b, SCOPE, REVOKE, { accessId: b.accessId })
    expect(await inInbox(a)).toHaveLength(1)
    expect((await callThrough('http', b, b.owner, 'accesses.delete', { id: b.accessId })).status).toBe(404)
  })

  it('ends with a refresh token that came twice, and the other account is told why', async () => {
    const { a, b } = await relatedPair(at())
    const user = readUser(b.account.db, b.account.prefix)
    const chain = { account: b.account.prefix, userId: user?.id, clientId: 'an-app', dataGrantAccessId: b.accessId } as unknown as TokenFamily
    await revokeTokenFamily(at().node, { source: 'http' } as Origin, chain)
    await quiet(at())
    expect(accessOf(a)).toBeUndefined()
    expect((await inInbox(a))[0]?.content['reason']).toMatchObject({ en: expect.stringContaining('twice') as string, fr: expect.any(String) as string })
  })

  it('ends with the app that manages its access', async () => {
    const stage = await relatedPair(at())
    const app = await grantAccess(at(), stage.b.username, [{ streamId: '*', level: 'manage' }])
    const pair = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [stage.a, stage.b], more: { manager: app.id } })
    await pair.b.arrange('accesses.delete', { id: app.id })
    await quiet(at())
    expect([accessOf(pair.a), accessOf(pair.b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toMatchObject({ by: 'accesses.delete' })
    expect([accessOf(stage.a), accessOf(stage.b)]).not.toContain(undefined)
  })

  it('is ended by the other account with the access that it holds', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    expect((await callThrough('http', b, b.token, 'accesses.delete', { id: b.accessId })).status).toBe(200)
    await quiet(at())
    expect([accessOf(a), accessOf(b)]).toEqual([undefined, undefined])
    expect(await withdrawalOf(pair)).toMatchObject({ by: 'accesses.delete' })
  })

  it('leaves one of another scope alone, and an invite that many use open', async () => {
    const first = await relatedPair(at(), at(), { mode: 'open-link' })
    const second = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [first.a, first.b] })
    await said(first.b, SCOPE, REVOKE, { accessId: first.b.accessId })
    expect([accessOf(first.a), accessOf(first.b)]).toEqual([undefined, undefined])
    expect([accessOf(second.a), accessOf(second.b)]).not.toContain(undefined)
    expect(await inviteOf(first)).toMatchObject({ status: 'pending' })
    expect(await inviteOf(second)).toMatchObject({ status: 'accepted' })
  })

  it('ends with all accesses of its scope where the other account ends it', async () => {
    const first = await relatedPair(at())
    const second = await relatedPair(at(), at(), { stages: [first.a, first.b] })
    await said(first.b, SCOPE, REVOKE, { accessId: first.b.accessId })
    expect([accessOf(first.a), accessOf(second.a)]).toEqual([undefined, undefined])
    const ids = [first.a.accessId, second.a.accessId].sort()
    expect([...((await inInbox(first.a))[0]?.content['revokedAccessIds'] as string[])].sort()).toEqual(ids)
  })

  const writers: [who: string, run: (pair: Related) => Promise<string>, isAllowed: boolean][] = [
    ['an app that did not make the access', ({ b }) => b.app([{ streamId: SCOPE, level: 'manage' }]), false],
    ['the other account itself', ({ b }) => Promise.resolve(b.token), true],
    [
      'the app that made the access',
      async ({ b }) => {
        const app = await grantAccess(at(), b.username, [{ streamId: SCOPE, level: 'manage' }])
        await remarkAccess(b, (access) => ({ ...access, manager: app.id }))
        return app.token
      },
      true,
    ],
  ]
  it.each(writers)('is asked to end by %s', async (_, tokenOf, isAllowed) => {
    const pair = await relatedPair(at())
    const { b } = pair
    const { content } = await said(b, b.chat, REVOKE, { accessId: b.accessId }, { token: await tokenOf(pair) })
    expect(content).toMatchObject(isAllowed ? { status: 'completed' } : { status: 'failed', failure: { reason: 'cmc-revoke-forbidden' } })
    expect(accessOf(b) === undefined).toBe(isAllowed)
  })

  it('is not ended by an access that may not give itself up', async () => {
    const { b } = await relatedPair(at(), at(), { permissions: [{ feature: 'selfRevoke', setting: 'forbidden' }] })
    const { content } = await said(b, b.chat, REVOKE, { accessId: b.accessId }, { token: b.token })
    expect(content).toMatchObject({ failure: { reason: 'cmc-revoke-forbidden' } })
  })

  it.each([
    ['without an address', undefined, { reason: 'cmc-revoke-no-peer-endpoint' }],
    ['that refuses', 'unknown', { reason: 'cmc-revoke-delivery-failed', status: 403 }],
  ])('ends where the other account is one %s', async (_, token, deliveryFailure) => {
    const { a, b } = await relatedPair(at())
    await readdress(b, token === undefined ? undefined : `${at().url.replace('://', `://${token}@`)}${a.username}/`)
    const { content } = await said(b, SCOPE, REVOKE, { accessId: b.accessId })
    expect(content).toMatchObject({ status: 'completed', peerNotified: false, deliveryFailure })
    expect(accessOf(b)).toBeUndefined()
    expect(await inInbox(a)).toEqual([])
  })

  it('ends later where it could not be ended at once, and is told once', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const exclusively = vi.spyOn(b.account, 'exclusively').mockRejectedValueOnce(new Error('no'))
    const mine = await said(b, SCOPE, REVOKE, { accessId: b.accessId })
    exclusively.mockRestore()
    expect(mine.content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-revoke-delete-failed', detail: { accessIds: [b.accessId] } } })
    expect([accessOf(b), await inInbox(a)]).toMatchObject([{ id: b.accessId }, []])
    const { seal, db } = at().node.store
    const task = findTask(db, seal, b.account.prefix, mine.id)
    if (task === undefined) throw new Error('nothing is left to be done')
    await b.account.write((t) => putTask(t, seal, { ...task, due: 0 }))
    await quiet(at())
    expect((await seen(b, mine.id)).content).toEqual({ accessId: b.accessId, status: 'completed', peerNotified: true })
    expect(await inInbox(a)).toHaveLength(1)
  })

  it('comes to the same when a crash has the arrival dealt with twice', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    await said(b, SCOPE, REVOKE, { accessId: b.accessId })
    const [arrived] = await inInbox(a)
    const id = arrived?.id ?? ''
    await a.account.write((t) => putTask(t, at().node.store.seal, { id, kind: 'arrival', attempts: 0, due: 0, payload: { accessId: a.accessId } }))
    await quiet(at())
    expect((await seen(a, id)).content).toEqual(arrived?.content)
  })
})
