/** Types of message handlers: their input and outcome (docs/interface/messages.md#delivery). */
import type { Account } from '../../../../store/engine/account.js'
import type { ConsentTask } from '../../../../store/accesses/consentTasks.js'
import type { Event } from '../../../../store/model/event.js'
import type { User } from '../../../../store/accounts/users.js'
import type { Stamps } from '../stamp.js'
import type { PeerDeps } from './peerClient.js'
import type { Context } from '../../../call/context.js'

/** Input of a handler. Handlers are idempotent: after a crash at any point they run again and complete the rest. */
export interface Job {
  node: Context & PeerDeps
  account: Account
  user: User
  task: ConsentTask
  /** Current version of the event of the task. Notices have none. */
  event: Event
  /** Aborts calls to other accounts. */
  signal: AbortSignal
}

/** Outcome of a task. `stamps` are merged into the content of its event. */
export type Outcome =
  | { is: 'completed'; stamps?: Stamps }
  /** `mayRetry`: another attempt may succeed. */
  | { is: 'failed'; reason: string; detail?: Record<string, unknown>; mayRetry: boolean; stamps?: Stamps }

export type Handler = (work: Job) => Promise<Outcome>

/** Returns a final failure, which is not retried. */
export const failed = (reason: string, detail?: Record<string, unknown>): Outcome => ({
  is: 'failed',
  reason,
  ...(detail === undefined ? {} : { detail }),
  mayRetry: false,
})
