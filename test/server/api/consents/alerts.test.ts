/** Alerts and their acknowledgement between accounts: docs/interface/messages.md#alerts. */
import { describe, expect, it } from 'vitest'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { withNode } from '../../../support/nodes/started.js'
import { inStream, readdress, relatedPair, remark, said, seen, type Related } from './support.js'

const ALERT = 'notification/alert-cmc'
const ACK = 'notification/ack-cmc'
const alert = { level: 'warning', title: { en: 'Low' }, body: { en: 'Charge it.' }, code: 'battery', ackRequired: true }

describe('an alert', () => {
  const at = withNode()

  it('reaches the other account, and so does its acknowledgement', async () => {
    const { a, b } = await relatedPair(at())
    const mine = await said(a, a.collector, ALERT, alert)
    expect(mine.content).toMatchObject({ status: 'completed' })
    const theirs = await seen(b, String(mine.content['remoteEventId']))
    expect(theirs.content).toEqual({ ...alert, from: identityOf(at().node, a.username) })
    const ack = await said(b, b.collector, ACK, { alertEventId: theirs.id, ackId: theirs.id })
    expect((await seen(a, String(ack.content['remoteEventId']))).content).toMatchObject({ ackId: theirs.id, from: { username: b.username } })
    expect([await inStream(a, a.collector), await inStream(b, b.collector)].map((events) => events.length)).toEqual([2, 2])
  })

  const failures: [what: string, arrange: (pair: Related) => Promise<unknown>, reason: string][] = [
    ['where such are switched off', ({ a }) => remark(a, (mark) => ({ ...mark, features: { systemMessaging: false } })), 'cmc-system-messaging-disabled'],
    ['before the address is known', ({ a }) => readdress(a, undefined), 'cmc-system-no-remote-apiendpoint'],
    ['of another scope', ({ a }) => remark(a, (mark) => ({ ...mark, scopeStreamId: ':_cmc:apps:other' })), 'cmc-system-counterparty-access-not-found'],
    [
      'before the stream is known',
      ({ a }) => remark(a, (mark) => ({ ...mark, counterparty: { ...mark.counterparty, remoteCollectorStreamId: undefined } as unknown as typeof mark.counterparty })),
      'cmc-system-no-remote-collector-stream',
    ],
  ]
  it.each(failures)('is not delivered %s', async (_, arrange, reason) => {
    const pair = await relatedPair(at())
    await arrange(pair)
    expect((await said(pair.a, pair.a.collector, ALERT, alert)).content).toMatchObject({ status: 'failed', failure: { reason } })
    expect(await inStream(pair.b, pair.b.collector)).toEqual([])
  })

  it('is apart from chats, and requests for another scope are never switched off', async () => {
    const { a, b } = await relatedPair(at(), at(), { features: { chat: false, systemMessaging: false } })
    const { content } = await said(a, a.collector, 'consent/scope-request-cmc', { newPermissions: [{ streamId: 'steps', level: 'read' }] })
    expect(content).toMatchObject({ status: 'completed' })
    expect(await inStream(b, b.collector)).toHaveLength(1)
  })
})
