/** A database whose writes fail or wait as a test says. */
import type { Database } from '../../src/store/engine/database.js'

export interface Faults {
  /** Lets writes wait until `release`. */
  hold(): void
  /** Lets them go on. */
  release(): void
  /** Makes all writes fail from now on, those that wait too, with these words. Nothing of them reaches the database. */
  fail(words?: string): void
  /** How many writes have been asked for. */
  readonly writes: number
}

/** Puts itself between a database and its batches. */
export function injectFaults(db: Database): Faults {
  const makeBatch = db.batch.bind(db)
  let failing: string | undefined
  let writes = 0
  let held: Promise<void> | undefined
  let release = (): void => {}
  db.batch = () => {
    const batch = makeBatch()
    return {
      put: (key, value) => batch.put(key, value),
      delete: (key) => batch.delete(key),
      get length() {
        return batch.length
      },
      async write(options) {
        writes += 1
        await held
        if (failing !== undefined) throw Object.assign(new Error(`IO error: ${failing}`), { code: 'LEVEL_IO_ERROR' })
        await batch.write(options)
      },
    }
  }
  return {
    hold() {
      held = new Promise((resolve) => {
        release = resolve
      })
    },
    release() {
      held = undefined
      release()
    },
    fail(words = 'sync failed') {
      failing = words
    },
    get writes() {
      return writes
    },
  }
}
