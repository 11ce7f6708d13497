/** Alerts and their acknowledgement between accounts: docs/interface/messages.md#alerts. */
import { describe, expect, it } from 'vitest'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { withNode } from '../../../support/nodes/started.js'
import { inStream, setPeerEndpoint, relatedPair, updateMark, writeAndDeliver, storedEvent, type RelatedPair } from './support.js'

const ALERT = 'notification/alert-cmc'
const ACK = 'notification/ack-cmc'
const alert = { level: 'warning', title: { en: 'Low' }, body: { en: 'Charge it.' }, code: 'battery', ackRequired: true }

describe('an alert', () => {
  const at = withNode()

  it('is delivered to the other account, and so is its acknowledgement', async () => {
    const { a, b } = await relatedPair(at())
    const mine = await writeAndDeliver(a, a.collector, ALERT, alert)
    expect(mine.content).toMatchObject({ status: 'completed' })
    const theirs = await storedEvent(b, String(mine.content['remoteEventId']))
    expect(theirs.content).toEqual({ ...alert, from: identityOf(at().node, a.username) })
    const ack = await writeAndDeliver(b, b.collector, ACK, { alertEventId: theirs.id, ackId: theirs.id })
    expect((await storedEvent(a, String(ack.content['remoteEventId']))).content).toMatchObject({ ackId: theirs.id, from: { username: b.username } })
    expect([await inStream(a, a.collector), await inStream(b, b.collector)].map((events) => events.length)).toEqual([2, 2])
  })

  const failures: [name: string, arrange: (pair: RelatedPair) => Promise<unknown>, reason: string][] = [
    ['while system messages are disabled', ({ a }) => updateMark(a, (mark) => ({ ...mark, features: { systemMessaging: false } })), 'cmc-system-messaging-disabled'],
    ['without a known address', ({ a }) => setPeerEndpoint(a, undefined), 'cmc-system-no-remote-apiendpoint'],
    ['with an access of another scope', ({ a }) => updateMark(a, (mark) => ({ ...mark, scopeStreamId: ':_cmc:apps:other' })), 'cmc-system-counterparty-access-not-found'],
    [
      'without a known stream',
      ({ a }) => updateMark(a, (mark) => ({ ...mark, counterparty: { ...mark.counterparty, remoteCollectorStreamId: undefined } as unknown as typeof mark.counterparty })),
      'cmc-system-no-remote-collector-stream',
    ],
  ]
  it.each(failures)('is not delivered %s', async (_, arrange, reason) => {
    const pair = await relatedPair(at())
    await arrange(pair)
    expect((await writeAndDeliver(pair.a, pair.a.collector, ALERT, alert)).content).toMatchObject({ status: 'failed', failure: { reason } })
    expect(await inStream(pair.b, pair.b.collector)).toEqual([])
  })

  it('can be disabled, but requests for another scope cannot', async () => {
    const { a, b } = await relatedPair(at(), at(), { features: { chat: false, systemMessaging: false } })
    const { content } = await writeAndDeliver(a, a.collector, 'consent/scope-request-cmc', { newPermissions: [{ streamId: 'steps', level: 'read' }] })
    expect(content).toMatchObject({ status: 'completed' })
    expect(await inStream(b, b.collector)).toHaveLength(1)
  })
})
