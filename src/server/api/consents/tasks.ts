/** Schedules consent tasks (docs/interface/messages.md#delivery). */
import type { Transaction } from '../../../store/engine/account.js'
import { putTask, type ConsentTask } from '../../../store/accesses/consentTasks.js'
import type { Context } from '../../call/context.js'
import type { ConsentDeps } from './service.js'

/** Stages a task; it starts after commit. */
export function scheduleTask(node: Context & ConsentDeps, t: Transaction, task: ConsentTask): void {
  putTask(t, node.store.seal, task)
  const { account } = t
  t.onSettled(() => node.consents.wake(account, task.id))
}
