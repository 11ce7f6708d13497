/**
 * What accounts agree to change: docs/interface/messages.md#scope-changes, docs/interface/messages.md#changes-of-an-access,
 * docs/interface/consents.md.
 */
import { describe, expect, it } from 'vitest'
import { findTask, putTask } from '../../../../src/store/accesses/consentTasks.js'
import { replaceEvent, findEvent } from '../../../../src/store/events/events.js'
import { withNode } from '../../../support/nodes/started.js'
import { accessOf, entries, inStream, quiet, readdress, relatedPair, remark, said, seen, type Content, type Related, type Seen } from './support.js'

const ASK = 'consent/scope-request-cmc'
const UPDATE = 'consent/scope-update-cmc'

const asked = async ({ a }: Related, more: Content = {}): Promise<string> =>
  String((await said(a, a.collector, ASK, { newPermissions: entries('diary', 'steps'), ...more })).content['remoteEventId'])
const answered = ({ b }: Related, scopeRequestEventId: string, accept = true): Promise<Seen> =>
  said(b, b.collector, UPDATE, { scopeRequestEventId, accept })
const machinery = ({ b }: Related): unknown[] => [
  { streamId: ':_cmc:inbox', level: 'create-only' },
  { streamId: b.chat, level: 'contribute' },
  { streamId: b.collector, level: 'contribute' },
]

describe('a change of scope', () => {
  const at = withNode()

  it('is asked for, accepted, applied and told', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const request = await asked(pair, { newPermissions: [...entries('diary', 'steps'), { streamId: ':_cmc:inbox', level: 'manage' }] })
    const mine = await answered(pair, request)
    const now = { accessId: b.accessId, applied: true, previousPermissions: entries('diary'), newPermissions: entries('diary', 'steps') }
    expect(mine.content).toMatchObject({ status: 'completed', ...now })
    expect(accessOf(b)).toMatchObject({ serial: 1, permissions: [...entries('diary', 'steps'), ...machinery(pair)] })
    expect((await seen(b, request)).content).toMatchObject({ status: 'accepted', responseEventId: mine.id })
    const told = await inStream(a, a.collector, UPDATE)
    expect(told).toHaveLength(1)
    expect(told[0]?.content).toEqual({ scopeRequestEventId: request, accept: true, ...now, from: { username: b.username, host: expect.any(String) as string } })
    expect((await answered(pair, request)).content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-scope-request-already-answered' } })
  })

  it('is refused, and told', async () => {
    const pair = await relatedPair(at())
    const request = await asked(pair)
    const mine = await answered(pair, request, false)
    expect(mine.content).toMatchObject({ status: 'completed', applied: false })
    expect((await seen(pair.b, request)).content).toMatchObject({ status: 'refused', responseEventId: mine.id })
    expect(accessOf(pair.b)).not.toHaveProperty('serial')
    expect((await inStream(pair.a, pair.a.collector, UPDATE))[0]?.content).toMatchObject({ accept: false, applied: false })
  })

  it.each([false, true])('is made by the person alone (names the access: %s)', async (isNamed) => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    const newPermissions = [{ streamId: 'steps', level: 'read', mandatory: true }, { feature: 'selfRevoke', setting: 'forbidden' }]
    const { content } = await said(b, b.collector, UPDATE, { newPermissions, ...(isNamed ? { accessId: b.accessId } : {}) })
    expect(content).toMatchObject({ status: 'completed', applied: true })
    expect(accessOf(b)?.permissions).toEqual([...entries('steps'), newPermissions[1], ...machinery(pair)])
    expect((await inStream(a, a.collector, UPDATE))[0]?.content).toMatchObject({ newPermissions: [...entries('steps'), newPermissions[1]] })
  })

  const failures: [what: string, reason: string, run: (pair: Related) => Promise<Seen>][] = [
    ['an unknown request', 'cmc-scope-request-not-found', (pair) => answered(pair, 'cabcdefghijklmnopqrstuvwx')],
    [
      'a request that the person wrote',
      'cmc-scope-request-not-from-peer',
      async (pair) => answered(pair, (await said(pair.b, pair.b.collector, ASK, { newPermissions: entries('steps') })).id),
    ],
    [
      'a request of another channel',
      'cmc-scope-request-stream-mismatch',
      async (pair) => {
        const other = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [pair.a, pair.b] })
        return answered(pair, await asked(other))
      },
    ],
    ['a request whose time is over', 'cmc-scope-request-expired', async (pair) => answered(pair, await asked(pair, { expires: 1 }))],
    ['a request for nothing', 'cmc-scope-request-invalid', async (pair) => answered(pair, await asked(pair, { newPermissions: entries(':_cmc:inbox') }))],
    [
      'a request for what cannot be given',
      'cmc-scope-request-invalid',
      async (pair) => answered(pair, await asked(pair, { newPermissions: [{ streamId: 'steps', level: 'none' }] })),
    ],
    [
      'an access that is none of a relationship',
      'cmc-scope-update-target-not-counterparty',
      ({ b }) => said(b, b.collector, UPDATE, { newPermissions: entries('steps'), accessId: 'nobody' }),
    ],
    [
      'an access of another relationship',
      'cmc-scope-update-target-stream-mismatch',
      async ({ a, b }) => {
        const other = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [a, b] })
        return said(b, b.collector, UPDATE, { newPermissions: entries('steps'), accessId: other.b.accessId })
      },
    ],
    [
      'what no access can hold',
      'cmc-insufficient-permissions',
      ({ b }) => said(b, b.collector, UPDATE, { newPermissions: [{ streamId: ':_system:email', level: 'manage' }, { streamId: 'steps', level: 'none' }] }),
    ],
    ['only what stays anyway', 'cmc-scope-update-nothing-to-apply', ({ b }) => said(b, b.collector, UPDATE, { newPermissions: entries(':_cmc:inbox') })],
    [
      'the channel of a relationship that has ended',
      'cmc-system-counterparty-access-not-found',
      async ({ b }) => {
        await b.arrange('accesses.delete', { id: b.accessId })
        return said(b, b.collector, UPDATE, { newPermissions: entries('steps') })
      },
    ],
  ]
  it.each(failures)('is not made for %s', async (_, reason, run) => {
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
    await expect(said(b, b.collector, UPDATE, { newPermissions: entries('steps') }, { token })).rejects.toThrow('cmc-accept-requires-personal-token')
  })

  it('is applied once and told once, whenever a crash comes', async () => {
    const pair = await relatedPair(at())
    const { a, b } = pair
    await readdress(b, 'http://token@127.0.0.1:9/nobody/')
    const mine = await answered(pair, await asked(pair))
    expect(mine.content).toMatchObject({ status: 'failed', applied: true, failure: { reason: 'cmc-handler-delivery-failed' } })
    await remark(b, (mark) => ({ ...mark, counterparty: { ...mark.counterparty, apiEndpoint: `${at().url.replace('://', `://${a.token}@`)}${a.username}/` } }))
    const { seal } = at().node.store
    const task = findTask(b.account.db, seal, b.account.prefix, mine.id)
    if (task === undefined) throw new Error('nothing is left to be done')
    for (let run = 0; run < 2; run++) {
      await b.account.write((t) => putTask(t, seal, { ...task, due: 0 }))
      await quiet(at())
    }
    expect((await seen(b, mine.id)).content).toMatchObject({ status: 'completed', applied: true })
    expect(accessOf(b)?.serial).toBe(1)
    expect(await inStream(a, a.collector, UPDATE)).toHaveLength(1)
  })

  it('is not made where nothing says what to change', async () => {
    const { b } = await relatedPair(at())
    const mine = await said(b, b.collector, UPDATE, { newPermissions: entries(':_cmc:inbox') })
    const { account } = b
    const { store } = at().node
    await account.write((t) => {
      const before = findEvent(t, t.account, mine.id)
      if (before === undefined) throw new Error('no event')
      replaceEvent(t, store.recorder, before, { ...before, content: {} })
      putTask(t, store.seal, { id: mine.id, kind: 'trigger', attempts: 0, due: 0 })
    })
    await quiet(at())
    expect((await seen(b, mine.id)).content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-scope-update-nothing-to-apply' } })
  })
})
