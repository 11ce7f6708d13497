/**
 * Pending tasks about messages between accounts (docs/interface/messages.md#delivery). A task is written in the transaction of
 * the change that requires it, so that no crash loses it. A node-wide list finds the tasks at startup.
 */
import type { Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import type { RecordReader } from '../engine/recordReader.js'

export const TASK_KINDS = ['trigger', 'response', 'arrival', 'notice'] as const

/**
 * `trigger`: an event of this account requests an action; `response`: an account answered a link; `arrival`: the other account of
 * a relationship wrote to the inbox; `notice`: the other account must be notified.
 */
type TaskKind = (typeof TASK_KINDS)[number]

export interface ConsentTask {
  /** Id of the event, for tasks about an event. */
  id: string
  kind: TaskKind
  /** Number of attempts so far. */
  attempts: number
  /** Time of the next attempt, in seconds. */
  due: number
  /** Data besides the event; sealed in the record, since it contains tokens. */
  payload?: Record<string, unknown>
}

type Stored = Omit<ConsentTask, 'payload'> & { sealedPayload?: string }

export const taskContext = (account: string, id: string): string => `consent task ${account}/${id}`

/** Writes a task, new or to be retried. */
export function putTask(t: Transaction, seal: Seal, { payload, ...task }: ConsentTask): void {
  const stored: Stored = { ...task }
  if (payload !== undefined) stored.sealedPayload = seal.seal(JSON.stringify(payload), taskContext(t.account, task.id))
  t.put(accountKeys.consentTask(t.account, task.id), JSON.stringify(stored))
  t.put(nodeKeys.consentDue(t.account, task.id), '')
  t.sync()
}

/** Returns the task of an id; undefined when there is none. */
export function findTask(reader: RecordReader, seal: Seal, account: string, id: string): ConsentTask | undefined {
  const text = reader.get(accountKeys.consentTask(account, id))
  if (text === undefined) return undefined
  const { sealedPayload, ...task } = JSON.parse(text) as Stored
  if (sealedPayload === undefined) return task
  return { ...task, payload: JSON.parse(seal.open(sealedPayload, taskContext(account, id))) as Record<string, unknown> }
}

/** Removes a task that is done or cannot succeed. */
export function removeTask(t: Transaction, id: string): void {
  t.delete(accountKeys.consentTask(t.account, id))
  t.delete(nodeKeys.consentDue(t.account, id))
}

/** Returns the tasks of all accounts of the node. */
export async function* listTasks(db: Database): AsyncGenerator<{ account: string; id: string }> {
  for await (const key of each(db.keys(under(nodeKeys.consentDues)))) {
    const [account = '', id = ''] = key.slice(nodeKeys.consentDues.length).split('/')
    yield { account, id }
  }
}
