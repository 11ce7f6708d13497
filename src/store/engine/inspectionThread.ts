/**
 * Entry of the threads that inspect the files of a store: their data is the task. They report the result of the inspection, or each
 * damage that they find in other tables.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { dbFolder, inspectStore, ledgerFile, type InspectionMessage, type InspectionTask } from './inspection.js'
import { verifyOtherTables } from './otherTables.js'

const task = workerData as InspectionTask
const { store } = task
const send = (message: InspectionMessage): void => parentPort?.postMessage(message)

if ('known' in task) {
  await verifyOtherTables({ ...task, folder: dbFolder(store), ledger: ledgerFile(store) }, (damage) => send({ damage }))
} else send({ inspection: await inspectStore(store, task.newBytes) })
