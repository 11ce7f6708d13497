/** Staging what is to be done about messages (consent supplement 1.18). */
import type { Transaction } from '../../store/engine/account.js'
import { putTask, type ConsentTask } from '../../store/accesses/consentTasks.js'
import type { Node } from '../node.js'

/** Stages a task; it is begun once that is on disk. */
export function scheduleTask(node: Node, t: Transaction, task: ConsentTask): void {
  putTask(t, node.store.seal, task)
  const { account } = t
  t.onSettled(() => node.consents.wake(account, task.id))
}
