/** Database that counts scans of key families and open iterators. */
import type { Account } from '../../../src/store/engine/account.js'
import type { Database, Pages, Range } from '../../../src/store/engine/database.js'

export interface Counts {
  /** Number of scans, by the letter of their key family: `e` by time, `s` streams, `m` modified, `r` periods, `d` deletions. */
  scans: Record<string, number>
  /** Number of reads from disk by scans, entries that they read, and records read by key. */
  pages: number
  entries: number
  records: number
  /** Number of open iterators and snapshots. */
  open: number
}

export const newCounts = (): Counts => ({ scans: {}, pages: 0, entries: 0, records: 0, open: 0 })

/** Returns the account for readers, over a counting database. */
export function counted(account: Account, counts: Counts): Account {
  return Object.create(account, { db: { value: countingDatabase(account.db, counts) } }) as Account
}

function countingDatabase(db: Database, counts: Counts): Database {
  function watched<T>({ gte, gt }: Range, pages: Pages<T>): Pages<T> {
    const family = (gte ?? gt ?? '').split('/')[1] ?? ''
    counts.scans[family] = (counts.scans[family] ?? 0) + 1
    counts.open += 1
    let isOpen = true
    return {
      async next(size) {
        const page = await pages.next(size)
        counts.pages += 1
        counts.entries += page.length
        return page
      },
      close() {
        if (isOpen) counts.open -= 1
        isOpen = false
        return pages.close()
      },
    }
  }
  return {
    ...db,
    values: (range, options, snapshot) => watched(range, db.values(range, options, snapshot)),
    keys: (range, options, snapshot) => watched(range, db.keys(range, options, snapshot)),
    entries: (range, options, snapshot) => watched(range, db.entries(range, options, snapshot)),
    byteEntries: (range, options, snapshot) => watched(range, db.byteEntries(range, options, snapshot)),
    getMany(keys, snapshot) {
      counts.records += keys.length
      return db.getMany(keys, snapshot)
    },
    snapshot() {
      const snapshot = db.snapshot()
      counts.open += 1
      const close = snapshot.close.bind(snapshot)
      let isOpen = true
      snapshot.close = () => {
        if (isOpen) counts.open -= 1
        isOpen = false
        return close()
      }
      return snapshot
    },
  }
}
