/**
 * Entry of the threads that inspect the files of a store: their data is the task. They report the result of the inspection, or each
 * damage that they find in other tables.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { dbFolder, inspectStore, ledgerFile, type InspectionMessage, type InspectionTask } from './inspection.js'
import { verifyOtherTables } from './otherTables.js'

const { store, newBytes, againBytes, known } = workerData as InspectionTask
const send = (message: InspectionMessage): void => parentPort?.postMessage(message)

if (known === undefined) send({ inspection: await inspectStore(store, newBytes) })
else await verifyOtherTables({ folder: dbFolder(store), ledger: ledgerFile(store), known, againBytes }, (damage) => send({ damage }))
