/** Compaction: LevelDB writes its tables anew, without what was deleted or replaced. */
import { join } from 'node:path'
import { accountKeys, nodeKeys, PLATFORM, under } from '../../../store/engine/keys.js'
import { directorySize } from '../../base/directorySize.js'
import type { WorkTarget, WorkProgress } from './workTarget.js'

export interface Compacted {
  /** Bytes of the database's files. */
  before: number
  after: number
  seconds: number
}

/** Compacts every range of keys, one after another, in LevelDB's own thread: others read and write meanwhile. */
export async function compactTarget({ db, folder }: WorkTarget, notify: (progress: WorkProgress) => void): Promise<Compacted> {
  const began = performance.now()
  const files = join(folder, 'db')
  const before = await directorySize(files)
  const last = Number.parseInt(db.get(nodeKeys.lastAccount) ?? '0', 36)
  const ranges = [under('!'), under(accountKeys.all(PLATFORM))]
  for (let number = 1; number <= last; number++) ranges.push(under(accountKeys.all(number.toString(36))))
  for (const [done, range] of ranges.entries()) {
    notify({ work: 'compact', done, total: ranges.length })
    await db.compact(range)
  }
  // What lies between the ranges, such as the keys of accounts that are gone.
  await db.compact({ gte: '', lt: '\u{10ffff}' })
  return { before, after: await directorySize(files), seconds: (performance.now() - began) / 1000 }
}
