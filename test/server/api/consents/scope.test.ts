/**
 * Scope changes between accounts: docs/interface/messages.md#scope-changes, docs/interface/messages.md#changes-of-an-access,
 * docs/interface/consents.md.
 */
import { describe, expect, it } from 'vitest'
import { findTask, putTask } from '../../../../src/store/accesses/consentTasks.js'
import { replaceEvent, findEvent } from '../../../../src/store/events/events.js'
import { withNode } from '../../../support/nodes/started.js'
import { accessOf, entries, inStream, deliverDue, setPeerEndpoint, relatedPair, updateMark, writeAndDeliver, storedEvent, type Content, type RelatedPair, type StoredEvent } from './support.js'

const ASK = 'consent/scope-request-cmc'
const UPDATE = 'consent/scope-update-cmc'

const requestScope = async ({ a }: RelatedPair, more: Content = {}): Promise<string> =>
  String((await writeAndDeliver(a, a.collector, ASK, { newPermissions: entries('diary', 'steps'), ...more })).content['remoteEventId'])
const answerRequest = ({ b }: RelatedPair, scopeRequestEventId: string, accept = true): Promise<StoredEvent> =>
  writeAndDeliver(b, b.collector, UPDATE, { scopeRequestEventId, accept })
const machinery = ({ b }: RelatedPair): unknown[] => [
  { streamId: ':_cmc:inbox', level: 'create-only' },
  { streamId: b.chat, level: 'contribute' },
  { streamId: b.collector, level: 'contribute' },
]

describe('a scope change', () => {
  const at = withNode()

  it('is requested, accepted, applied and reported', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const request = await requestScope(pair, { newPermissions: [...entries('diary', 'steps'), { streamId: ':_cmc:inbox', level: 'manage' }] })
    const mine = await answerRequest(pair, request)
    const now = { accessId: b.accessId, applied: true, previousPermissions: entries('diary'), newPermissions: entries('diary', 'steps') }
    expect(mine.content).toMatchObject({ status: 'completed', ...now })
    expect(accessOf(b)).toMatchObject({ serial: 1, permissions: [...entries('diary', 'steps'), ...machinery(pair)] })
    expect((await storedEvent(b, request)).content).toMatchObject({ status: 'accepted', responseEventId: mine.id })
    const delivered = await inStream(a, a.collector, UPDATE)
    expect(delivered).toHaveLength(1)
    expect(delivered[0]?.content).toEqual({ scopeRequestEventId: request, accept: true, ...now, from: { username: b.username, host: expect.any(String) as string } })
    expect((await answerRequest(pair, request)).content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-scope-request-already-answered' } })
  })

  it('is refused, and reported', async () => {
    const pair = await relatedPair(at())
    const request = await requestScope(pair)
    const mine = await answerRequest(pair, request, false)
    expect(mine.content).toMatchObject({ status: 'completed', applied: false })
    expect((await storedEvent(pair.b, request)).content).toMatchObject({ status: 'refused', responseEventId: mine.id })
    expect(accessOf(pair.b)).not.toHaveProperty('serial')
    expect((await inStream(pair.a, pair.a.collector, UPDATE))[0]?.content).toMatchObject({ accept: false, applied: false })
  })

  it.each([false, true])('can be made by the accepter without a request (with accessId: %s)', async (isNamed) => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const newPermissions = [{ streamId: 'steps', level: 'read', mandatory: true }, { feature: 'selfRevoke', setting: 'forbidden' }]
    const { content } = await writeAndDeliver(b, b.collector, UPDATE, { newPermissions, ...(isNamed ? { accessId: b.accessId } : {}) })
    expect(content).toMatchObject({ status: 'completed', applied: true })
    expect(accessOf(b)?.permissions).toEqual([...entries('steps'), newPermissions[1], ...machinery(pair)])
    expect((await inStream(a, a.collector, UPDATE))[0]?.content).toMatchObject({ newPermissions: [...entries('steps'), newPermissions[1]] })
  })

  const failures: [name: string, reason: string, run: (pair: RelatedPair) => Promise<StoredEvent>][] = [
    ['an unknown request', 'cmc-scope-request-not-found', (pair) => answerRequest(pair, 'cabcdefghijklmnopqrstuvwx')],
    [
      'a request written by the accepter',
      'cmc-scope-request-not-from-peer',
      async (pair) => answerRequest(pair, (await writeAndDeliver(pair.b, pair.b.collector, ASK, { newPermissions: entries('steps') })).id),
    ],
    [
      'a request of another channel',
      'cmc-scope-request-stream-mismatch',
      async (pair) => {
        const other = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [pair.a, pair.b] })
        return answerRequest(pair, await requestScope(other))
      },
    ],
    ['an expired request', 'cmc-scope-request-expired', async (pair) => answerRequest(pair, await requestScope(pair, { expires: 1 }))],
    ['a request without effective permissions', 'cmc-scope-request-invalid', async (pair) => answerRequest(pair, await requestScope(pair, { newPermissions: entries(':_cmc:inbox') }))],
    [
      'a request for impossible permissions',
      'cmc-scope-request-invalid',
      async (pair) => answerRequest(pair, await requestScope(pair, { newPermissions: [{ streamId: 'steps', level: 'none' }] })),
    ],
    [
      'an unknown access',
      'cmc-scope-update-target-not-counterparty',
      ({ b }) => writeAndDeliver(b, b.collector, UPDATE, { newPermissions: entries('steps'), accessId: 'nobody' }),
    ],
    [
      'an access of another relationship',
      'cmc-scope-update-target-stream-mismatch',
      async ({ a, b }) => {
        const other = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [a, b] })
        return writeAndDeliver(b, b.collector, UPDATE, { newPermissions: entries('steps'), accessId: other.b.accessId })
      },
    ],
    [
      'impossible permissions',
      'cmc-insufficient-permissions',
      ({ b }) => writeAndDeliver(b, b.collector, UPDATE, { newPermissions: [{ streamId: ':_system:email', level: 'manage' }, { streamId: 'steps', level: 'none' }] }),
    ],
    ['reserved streams only', 'cmc-scope-update-nothing-to-apply', ({ b }) => writeAndDeliver(b, b.collector, UPDATE, { newPermissions: entries(':_cmc:inbox') })],
    [
      'the channel of an ended relationship',
      'cmc-system-counterparty-access-not-found',
      async ({ b }) => {
        await b.arrange('accesses.delete', { id: b.accessId })
        return writeAndDeliver(b, b.collector, UPDATE, { newPermissions: entries('steps') })
      },
    ],
  ]
  it.each(failures)('fails for %s', async (_, reason, run) => {
    const pair = await relatedPair(at())
    const { content } = await run(pair)
    expect(content).toMatchObject({ status: 'failed', failure: { reason } })
    expect(content).not.toHaveProperty('applied')
    expect(accessOf(pair.b)?.serial).toBeUndefined()
    expect(await inStream(pair.a, pair.a.collector, UPDATE)).toEqual([])
  })

  it('cannot be made by an app', async () => {
    const { b } = await relatedPair(at())
    const token = await b.app([{ streamId: ':_cmc:apps:study', level: 'manage' }])
    await expect(writeAndDeliver(b, b.collector, UPDATE, { newPermissions: entries('steps') }, { token })).rejects.toThrow('cmc-accept-requires-personal-token')
  })

  it('is applied and delivered once when its task is repeated', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    await setPeerEndpoint(b, 'http://token@127.0.0.1:9/nobody/')
    const mine = await answerRequest(pair, await requestScope(pair))
    expect(mine.content).toMatchObject({ status: 'failed', applied: true, failure: { reason: 'cmc-handler-delivery-failed' } })
    await updateMark(b, (mark) => ({ ...mark, counterparty: { ...mark.counterparty, apiEndpoint: `${at().url.replace('://', `://${a.token}@`)}${a.username}/` } }))
    const { seal } = at().node.store
    const task = findTask(b.account.db, seal, b.account.prefix, mine.id)
    if (task === undefined) throw new Error('no task')
    for (let run = 0; run < 2; run++) {
      await b.account.write((t) => putTask(t, seal, { ...task, due: 0 }))
      await deliverDue(at())
    }
    expect((await storedEvent(b, mine.id)).content).toMatchObject({ status: 'completed', applied: true })
    expect(accessOf(b)?.serial).toBe(1)
    expect(await inStream(a, a.collector, UPDATE)).toHaveLength(1)
  })

  it('fails if its event has lost its content', async () => {
    const { b } = await relatedPair(at())
    const mine = await writeAndDeliver(b, b.collector, UPDATE, { newPermissions: entries(':_cmc:inbox') })
    const { account } = b
    const { store } = at().node
    await account.write((t) => {
      const before = findEvent(t, t.account, mine.id)
      if (before === undefined) throw new Error('no event')
      replaceEvent(t, store.recorder, before, { ...before, content: {} })
      putTask(t, store.seal, { id: mine.id, kind: 'trigger', attempts: 0, due: 0 })
    })
    await deliverDue(at())
    expect((await storedEvent(b, mine.id)).content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-scope-update-nothing-to-apply' } })
  })
})
