/**
 * Entry of the thread that helps to check a closed store: opens the database of the process, answers tasks one at a time, and
 * closes it when it is asked to end.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createPartReader } from '../../../store/check/parts.js'
import { openDatabase } from '../../../store/engine/database.js'
import { changeComparison } from '../../../sync/merge/changeComparison.js'
import type { CheckRequest } from './checkHelper.js'

const { folder } = workerData as { folder: string }
const db = await openDatabase(folder, { isShared: true })
const read = createPartReader(db, changeComparison)

parentPort?.on('message', (request: CheckRequest) => void answer(request))

/** A rejection ends the thread with its error, which the process receives. */
async function answer(request: CheckRequest): Promise<void> {
  if (request !== 'end') return parentPort?.postMessage(await read(request))
  await db.close()
  parentPort?.close()
}
