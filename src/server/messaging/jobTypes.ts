/** What those who deal with messages work with, and what they answer (consent supplement 1.18). */
import type { Account } from '../../store/engine/account.js'
import type { ConsentTask } from '../../store/accesses/consentTasks.js'
import type { Event } from '../../store/model/event.js'
import type { User } from '../../store/accounts/users.js'
import type { Stamps } from '../consent/stamp.js'
import type { Node } from '../node.js'

/** What a handler works with. It may be called again after a crash at any point, and does then what is left. */
export interface Job {
  node: Node
  account: Account
  user: User
  task: ConsentTask
  /** Of a task about an event: the event, as it is now. Notices have none. */
  event: Event
  /** Gives up calls to others. */
  signal: AbortSignal
}

/** What came of a task. `stamps` go into the content of its event. */
export type Outcome =
  | { is: 'completed'; stamps?: Stamps }
  /** `mayRetry`: it may go well another time. */
  | { is: 'failed'; reason: string; detail?: Record<string, unknown>; mayRetry: boolean; stamps?: Stamps }

export type Handler = (work: Job) => Promise<Outcome>

/** An outcome that another attempt would not change. */
export const failed = (reason: string, detail?: Record<string, unknown>): Outcome => ({
  is: 'failed',
  reason,
  ...(detail === undefined ? {} : { detail }),
  mayRetry: false,
})
