/**
 * Entry of the thread that inspects the files of a store: its data is the task, its first message the result. Told to go on, it
 * verifies the other tables, and reports damage.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { dbFolder, GO_ON, inspectStore, ledgerFile, type InspectionMessage, type InspectionTask } from './inspection.js'
import { verifyOtherTables } from './otherTables.js'

const { store, limits } = workerData as InspectionTask
const send = (message: InspectionMessage): void => parentPort?.postMessage(message)

const inspection = await inspectStore(store, limits.before)
parentPort?.once('message', (message) => {
  if (message !== GO_ON) return
  const tables = { folder: dbFolder(store), ledger: ledgerFile(store), inspection, limits }
  void verifyOtherTables(tables, (damage) => send({ damage })).finally(() => parentPort?.close())
})
send({ inspection })
