/**
 * Local failures in the processing of messages (docs/interface/messages.md#scope-changes,
 * docs/interface/consents.md#failures).
 */
import { hash } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Account } from '../../../../src/store/engine/account.js'
import { findTask, putTask } from '../../../../src/store/accesses/consentTasks.js'
import { peerSlug } from '../../../../src/store/model/consentAccess.js'
import { putUser, readUser } from '../../../../src/store/accounts/users.js'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, accountOf, contentOf, internalEvents, invite, newRequester, deliverDue, relationsOf, SCOPE, type CreatedEvent } from './consentFlow.js'
import { accessOf, entries, relatedPair, writeAndDeliver, storedEvent } from './support.js'

const clock = fakeClock()
const at = withNode({}, { clock })

/** Fails the next exclusive transaction of an account. */
function failNextTransaction(account: Account): void {
  const broken = vi.spyOn(account, 'exclusively').mockRejectedValueOnce(new Error('the disk is gone'))
  onTestFinished(() => broken.mockRestore())
}

/** Returns the log entries about the answer to a link. */
async function logOfAnswer(stage: Stage, { content }: CreatedEvent): Promise<unknown[]> {
  const [answer] = await internalEvents(stage, `:_cmc:_internal:responses:${String(content['capabilityId'])}`)
  return at().logged.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ task }) => task === answer?.id)
}

it('an answer fails permanently if no access name is left for the back channel', async () => {
  const alice = await newRequester(at())
  const bob = await newStage(at())
  const peer = peerSlug(identityOf(at().node, bob.username))
  const name = `cmc-back-channel-study--${peer}`
  for (const existing of [name, `${name}--${hash('sha1', SCOPE).slice(0, 12)}`]) {
    await alice.arrange('accesses.create', { name: existing, permissions: [{ streamId: SCOPE, level: 'read' }] })
  }
  const invited = await invite(alice)
  await acceptLink(bob, invited.content['capabilityUrl'])
  await deliverDue(at())
  expect(await logOfAnswer(alice, invited)).toMatchObject([{ level: 'warn', kind: 'response', reason: 'cmc-back-channel-create-failed' }])
  expect((await contentOf(alice, invited.id))['status']).toBe('pending')
  expect(await relationsOf(alice)).toEqual([])
})

it('a grant fails without effect if the account exceeds its quota before a retry', async () => {
  const alice = await newRequester(at())
  const bob = await newStage(at())
  const invited = await invite(alice)
  const { seal } = at().node.store
  const account = await accountOf(bob)
  // The link is unreachable at first; at the retry the account exceeds its quota.
  const { id } = await acceptLink(bob, 'http://token@127.0.0.1:9/nobody/')
  const task = findTask(account.db, seal, account.prefix, String(id))
  const user = readUser(account.db, account.prefix)
  if (task === undefined || user === undefined) throw new Error('no task')
  await account.write((t) => {
    putUser(t, { ...user, quota: { dbDocuments: 0 } }, 'update')
    putTask(t, seal, { ...task, payload: { ...task.payload, capabilityUrl: invited.content['capabilityUrl'] }, due: 0 })
  })
  await deliverDue(at())
  expect(await contentOf(bob, String(id))).toMatchObject({
    status: 'failed',
    failure: { reason: 'cmc-handler-data-grant-create-failed', detail: { id: 'user-intervention-required' } },
  })
  expect(await relationsOf(bob)).toEqual([])
  expect(account.tree.has('diary')).toBe(false)
})

it('a handler that throws hides the reason from clients, and is retried', async () => {
  const alice = await newRequester(at())
  const bob = await newStage(at())
  const invited = await invite(alice)
  const account = await accountOf(bob)
  // Fails the transaction that creates the grant, once.
  const write = account.write.bind(account)
  let isBroken = true
  const broken = vi.spyOn(account, 'write').mockImplementation((work, ...more) =>
    write((t) => {
      const result = work(t)
      if (isBroken && t.account === account.prefix && account.tree.has('diary')) {
        isBroken = false
        throw new Error('the disk is gone')
      }
      return result
    }, ...more),
  )
  onTestFinished(() => broken.mockRestore())
  const { id, ...content } = await acceptLink(bob, invited.content['capabilityUrl'])
  expect(content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-threw' } })
  expect(JSON.stringify(content)).not.toContain('disk')
  expect(await relationsOf(bob)).toEqual([])
  clock.pass(2)
  await deliverDue(at())
  expect(await contentOf(bob, String(id))).toMatchObject({ status: 'completed' })
  expect(await relationsOf(bob)).toHaveLength(1)
})

it('a scope change that fails locally is retried', async () => {
  const { b } = await relatedPair(at())
  failNextTransaction(b.account)
  const { id, content } = await writeAndDeliver(b, b.collector, 'consent/scope-update-cmc', { newPermissions: entries('steps') })
  expect(content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-scope-update-local-apply-failed', detail: { error: 'Error: the disk is gone' } } })
  expect(accessOf(b)?.serial).toBeUndefined()
  clock.pass(2)
  await deliverDue(at())
  expect((await storedEvent(b, id)).content).toMatchObject({ status: 'completed', applied: true })
  expect(accessOf(b)?.serial).toBe(1)
})
