/**
 * Executes message tasks once they are on disk (docs/interface/messages.md#delivery). Tasks of one stream run in order, so that
 * chats arrive in order. A task stays in the store until it succeeds or is given up.
 */
import type { Account } from '../../../../store/engine/account.js'
import { findTask, listTasks, putTask, removeTask } from '../../../../store/accesses/consentTasks.js'
import { findEvent } from '../../../../store/events/events.js'
import { nodeKeys } from '../../../../store/engine/keys.js'
import type { Event } from '../../../../store/model/event.js'
import { readUser } from '../../../../store/accounts/users.js'
import type { Context } from '../../../call/context.js'
import { serialiseByKey } from '../../../base/concurrency.js'
import { handlerOf } from './handlers.js'
import { objectOf } from '../objects.js'
import { stamp, stampEvent, type Stamps } from '../stamp.js'
import { createProof } from './proof.js'
import type { Consents } from '../service.js'
import type { Outcome, Job } from './jobTypes.js'
import type { PeerDeps } from './peerClient.js'

const MAX_ATTEMPTS = 6
const FIRST_DELAY_S = 1
const DELAY_FACTOR = 5
const MAX_DELAY_S = 600

/** Returns the delay before the next attempt in seconds, by the number of attempts so far. */
export const retryDelay = (attempts: number): number =>
  Math.min(MAX_DELAY_S, FIRST_DELAY_S * DELAY_FACTOR ** (attempts - 1))

export function createConsents(nodeOf: () => Context & PeerDeps): Consents {
  const stopping = new AbortController()
  const attempts = new Map<string, Promise<void>>()
  const timers = new Map<string, NodeJS.Timeout>()

  function wake(account: string, id: string): void {
    const name = `${account}/${id}`
    if (stopping.signal.aborted || attempts.has(name)) return
    clearTimeout(timers.get(name))
    timers.delete(name)
    const attempt = processTask(account, id)
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return
        nodeOf().log.error('failed to process a message', { task: id, error: String(error) })
        // For instance, the disk was full when the outcome was written.
        schedule(account, id, MAX_DELAY_S * 1000)
      })
      .finally(() => attempts.delete(name))
    attempts.set(name, attempt)
  }

  async function processTask(prefix: string, id: string): Promise<void> {
    const node = nodeOf()
    const { store } = node
    // Tasks may be visible before their data; after this, everything that they need is on disk.
    await store.settled()
    const task = findTask(store.db, store.seal, prefix, id)
    const user = readUser(store.db, prefix)
    if (task === undefined || user === undefined) {
      if (store.db.get(nodeKeys.consentDue(prefix, id)) !== undefined) {
        await store.platform.write((t) => t.delete(nodeKeys.consentDue(prefix, id)))
      }
      return
    }
    const wait = task.due - node.clock.now()
    // A wait above the maximum delay means that the task was deferred while the clock was ahead.
    if (wait > 0 && wait <= MAX_DELAY_S) return schedule(prefix, id, wait * 1000)
    const account = await store.account(prefix)
    const event = findEvent(store.db, prefix, id)
    if (event === undefined && task.kind !== 'notice') return account.write((t) => removeTask(t, id))
    const work: Job = { node, account, user, task, event: event ?? noEvent, signal: stopping.signal }
    await serialiseByKey(attempts, `${prefix}/${event?.streamIds[0] ?? id}`, () => perform(account, work))
  }

  async function perform(account: Account, work: Job): Promise<void> {
    const { node, task, event } = work
    if (stopping.signal.aborted) return
    let current = work
    if (task.kind === 'trigger' && objectOf(event.content)['status'] === undefined) {
      const stamped = await stamp(node, account, event.id, { status: 'delivered' })
      if (stamped !== undefined) current = { ...work, event: stamped }
    }
    const outcome = await attempted(current)
    if (stopping.signal.aborted) return
    await settle(account, current, outcome)
  }

  async function attempted(work: Job): Promise<Outcome> {
    try {
      return await handlerOf(work)(work)
    } catch (error) {
      if (!stopping.signal.aborted) work.node.log.error('failed to process a message', { task: work.task.id, error: String(error) })
      return { is: 'failed', reason: 'cmc-handler-threw', mayRetry: true }
    }
  }

  /** Records the outcome of an attempt in one transaction with the end of its task or its next due time. */
  async function settle(account: Account, { node, task }: Job, outcome: Outcome): Promise<void> {
    const tried = { attempts: task.attempts + 1 }
    const isAgain = outcome.is === 'failed' && outcome.mayRetry && tried.attempts < MAX_ATTEMPTS && node.config.get('cmc.retryLoop.enabled')
    const delay = retryDelay(tried.attempts)
    await account.write((t) => {
      // Keeps the state that the attempt stored with its task.
      if (isAgain) putTask(t, node.store.seal, { ...(findTask(t, node.store.seal, t.account, task.id) ?? task), ...tried, due: node.clock.now() + delay })
      else removeTask(t, task.id)
      if (task.kind === 'trigger') stampEvent(node, t, task.id, stampsOf(outcome))
      else if (outcome.stamps !== undefined) stampEvent(node, t, task.id, outcome.stamps)
    })
    if (isAgain) schedule(account.prefix, task.id, delay * 1000)
    // A trigger shows its own outcome; for messages from other accounts there is only the log.
    else if (outcome.is === 'failed' && task.kind !== 'trigger') {
      node.log.warn('a message from another account was not applied', { task: task.id, kind: task.kind, reason: outcome.reason })
    }
  }

  function schedule(account: string, id: string, ms: number): void {
    if (stopping.signal.aborted) return
    const name = `${account}/${id}`
    clearTimeout(timers.get(name))
    timers.set(name, setTimeout(() => wake(account, id), Math.min(ms, MAX_DELAY_S * 1000)).unref())
  }

  return {
    wake,
    proveAnswer: createProof(nodeOf, stopping.signal),
    get waiting() {
      return attempts.size + [...timers.keys()].filter((name) => !attempts.has(name)).length
    },
    settled: (account, id) => attempts.get(`${account}/${id}`) ?? Promise.resolve(),
    async resume() {
      for await (const { account, id } of listTasks(nodeOf().store.db)) {
        if (stopping.signal.aborted) return
        wake(account, id)
      }
    },
    async stop() {
      stopping.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      await Promise.all(attempts.values())
    },
  }
}

const stampsOf = (outcome: Outcome): Stamps =>
  outcome.is === 'completed'
    ? { ...outcome.stamps, status: 'completed', failure: undefined }
    : {
        ...outcome.stamps,
        status: 'failed',
        failure: { reason: outcome.reason, ...(outcome.detail === undefined ? {} : { detail: outcome.detail }) },
      }

/** Placeholder for the event of notices, which have none. */
const noEvent: Event = {
  ...{ id: '', streamIds: [], type: '', time: 0, tags: [] },
  ...{ created: 0, createdBy: '', modified: 0, modifiedBy: '' },
}
