/**
 * What a node cannot do on its own side of a message, and what becomes of the message then
 * (docs/interface/messages.md#scope-changes, docs/interface/consents.md#failures).
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
import { accepting, accountOf, contentOf, inside, invite, newRequester, quiet, relationsOf, SCOPE, type Told } from './agreeing.js'
import { accessOf, entries, relatedPair, said, seen } from './support.js'

const clock = fakeClock()
const at = withNode({}, { clock })

/** Breaks the next transaction of an account that looks at what others have first, once. */
function breakNext(account: Account): void {
  const broken = vi.spyOn(account, 'exclusively').mockRejectedValueOnce(new Error('the disk is gone'))
  onTestFinished(() => broken.mockRestore())
}

/** What the log tells of the answer to a link, which the account that made it cannot be told of. */
async function toldOfAnswer(stage: Stage, { content }: Told): Promise<unknown[]> {
  const [answer] = await inside(stage, `:_cmc:_internal:responses:${String(content['capabilityId'])}`)
  return at().logged.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ task }) => task === answer?.id)
}

it('an answer for which there is no name left for the way back fails, and stays so', async () => {
  const alice = await newRequester(at())
  const bob = await newStage(at())
  const peer = peerSlug(identityOf(at().node, bob.username))
  const name = `cmc-back-channel-study--${peer}`
  for (const taken of [name, `${name}--${hash('sha1', SCOPE).slice(0, 12)}`]) {
    await alice.arrange('accesses.create', { name: taken, permissions: [{ streamId: SCOPE, level: 'read' }] })
  }
  const made = await invite(alice)
  await accepting(bob, made.content['capabilityUrl'])
  await quiet(at())
  expect(await toldOfAnswer(alice, made)).toMatchObject([{ level: 'warn', kind: 'response', reason: 'cmc-back-channel-create-failed' }])
  expect((await contentOf(alice, made.id))['status']).toBe('pending')
  expect(await relationsOf(alice)).toEqual([])
})

it('a grant fails of an account that has become too large meanwhile, and makes nothing', async () => {
  const alice = await newRequester(at())
  const bob = await newStage(at())
  const made = await invite(alice)
  const { seal } = at().node.store
  const account = await accountOf(bob)
  // The link is out of reach at first; by the next attempt the account is over its limit.
  const { id } = await accepting(bob, 'http://token@127.0.0.1:9/nobody/')
  const task = findTask(account.db, seal, account.prefix, String(id))
  const user = readUser(account.db, account.prefix)
  if (task === undefined || user === undefined) throw new Error('nothing is left to be done')
  await account.write((t) => {
    putUser(t, { ...user, quota: { dbDocuments: 0 } }, 'update')
    putTask(t, seal, { ...task, payload: { ...task.payload, capabilityUrl: made.content['capabilityUrl'] }, due: 0 })
  })
  await quiet(at())
  expect(await contentOf(bob, String(id))).toMatchObject({
    status: 'failed',
    failure: { reason: 'cmc-handler-data-grant-create-failed', detail: { id: 'user-intervention-required' } },
  })
  expect(await relationsOf(bob)).toEqual([])
  expect(account.tree.has('diary')).toBe(false)
})

it('a handler that throws says nothing of why to clients, and is tried again', async () => {
  const alice = await newRequester(at())
  const bob = await newStage(at())
  const made = await invite(alice)
  const account = await accountOf(bob)
  // The grant is made in the one transaction of an attempt that adds to the account.
  const write = account.write.bind(account)
  let isBroken = true
  const broken = vi.spyOn(account, 'write').mockImplementation((work, ...more) =>
    write((t) => {
      const made = work(t)
      if (isBroken && t.account === account.prefix && account.tree.has('diary')) {
        isBroken = false
        throw new Error('the disk is gone')
      }
      return made
    }, ...more),
  )
  onTestFinished(() => broken.mockRestore())
  const { id, ...content } = await accepting(bob, made.content['capabilityUrl'])
  expect(content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-threw' } })
  expect(JSON.stringify(content)).not.toContain('disk')
  expect(await relationsOf(bob)).toEqual([])
  clock.pass(2)
  await quiet(at())
  expect(await contentOf(bob, String(id))).toMatchObject({ status: 'completed' })
  expect(await relationsOf(bob)).toHaveLength(1)
})

it('a change of scope that cannot be applied here is tried again', async () => {
  const { b } = await relatedPair(at())
  breakNext(b.account)
  const { id, content } = await said(b, b.collector, 'consent/scope-update-cmc', { newPermissions: entries('steps') })
  expect(content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-scope-update-local-apply-failed', detail: { error: 'Error: the disk is gone' } } })
  expect(accessOf(b)?.serial).toBeUndefined()
  clock.pass(2)
  await quiet(at())
  expect((await seen(b, id)).content).toMatchObject({ status: 'completed', applied: true })
  expect(accessOf(b)?.serial).toBe(1)
})
