/** Compaction: LevelDB rewrites its tables without deleted or replaced entries. */
import { join } from 'node:path'
import { accountKeys, nodeKeys, PLATFORM, under } from '../../../store/engine/keys.js'
import { directorySize } from '../../base/directorySize.js'
import type { WorkTarget, WorkProgress } from './workTarget.js'

interface Compacted {
  /** Size of the database's files, in bytes. */
  before: number
  after: number
  seconds: number
}

/** Compacts all key ranges in turn, in LevelDB's own thread; reads and writes continue meanwhile. */
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
  // Covers keys between the ranges, such as those of deleted accounts.
  await db.compact({ gte: '', lt: '\u{10ffff}' })
  return { before, after: await directorySize(files), seconds: (performance.now() - began) / 1000 }
}
