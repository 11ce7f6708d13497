/** Entry of the thread that inspects the files of a store: its data is the task, its only message the result. */
import { parentPort, workerData } from 'node:worker_threads'
import { inspectFiles } from '../leveldb/inspect.js'
import type { InspectionTask } from './inspection.js'

const { folder, options } = workerData as InspectionTask
parentPort?.postMessage(await inspectFiles(folder, options))
