/**
 * What is still to be done about messages between accounts (consent supplement 1.18): kept with the change that asks for
 * it, so that no crash loses it, and found by a list of the node's when it starts.
 */
import type { Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'

export const TASK_KINDS = ['trigger', 'response', 'arrival', 'notice'] as const

/**
 * `trigger`: an event of this account asks for something; `response`: somebody answered a link; `arrival`: the other
 * account of a relationship wrote to the inbox; `notice`: the other account is to be told.
 */
export type TaskKind = (typeof TASK_KINDS)[number]

export interface ConsentTask {
  /** Of a task about an event, the event's. */
  id: string
  kind: TaskKind
  /** How often it was tried. */
  attempts: number
  /** When it is tried next, in seconds. */
  due: number
  /** What it needs beside the event; sealed in the record, since it holds tokens. */
  payload?: Record<string, unknown>
}

type Stored = Omit<ConsentTask, 'payload'> & { sealedPayload?: string }

type Reader = { get(key: string): string | undefined }

export const taskPlace = (account: string, id: string): string => `consent task ${account}/${id}`

/** Keeps a task, new or tried again. */
export function putTask(t: Transaction, seal: Seal, { payload, ...task }: ConsentTask): void {
  const stored: Stored = { ...task }
  if (payload !== undefined) stored.sealedPayload = seal.seal(JSON.stringify(payload), taskPlace(t.account, task.id))
  t.put(accountKeys.consentTask(t.account, task.id), JSON.stringify(stored))
  t.put(nodeKeys.consentDue(t.account, task.id), '')
  t.sync()
}

/** The task of an id, if there is one. */
export function findTask(reader: Reader, seal: Seal, account: string, id: string): ConsentTask | undefined {
  const text = reader.get(accountKeys.consentTask(account, id))
  if (text === undefined) return undefined
  const { sealedPayload, ...task } = JSON.parse(text) as Stored
  if (sealedPayload === undefined) return task
  return { ...task, payload: JSON.parse(seal.open(sealedPayload, taskPlace(account, id))) as Record<string, unknown> }
}

/** Drops a task that is done, or that cannot be. */
export function removeTask(t: Transaction, id: string): void {
  t.delete(accountKeys.consentTask(t.account, id))
  t.delete(nodeKeys.consentDue(t.account, id))
}

/** The tasks of all accounts of a node. */
export async function* listDue(db: Database): AsyncGenerator<{ account: string; id: string }> {
  for await (const key of each(db.keys(under(nodeKeys.consentDues)))) {
    const [account = '', id = ''] = key.slice(nodeKeys.consentDues.length).split('/')
    yield { account, id }
  }
}
