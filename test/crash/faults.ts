/** Database whose writes fail or wait on request of a test. */
import type { Database } from '../../src/store/engine/database.js'

export interface Faults {
  /** Delays writes until `release`. */
  hold(): void
  /** Releases delayed writes. */
  release(): void
  /** Makes all writes fail from now on, delayed ones too, with this message; none of them reaches the database. */
  fail(words?: string): void
  /** Number of requested writes. */
  readonly writes: number
}

/** Wraps the batches of a database. */
export function injectFaults(db: Database): Faults {
  const makeBatch = db.batch.bind(db)
  let failing: string | undefined
  let writes = 0
  let gate: Promise<void> | undefined
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
        await gate
        if (failing !== undefined) throw Object.assign(new Error(`IO error: ${failing}`), { code: 'LEVEL_IO_ERROR' })
        await batch.write(options)
      },
    }
  }
  return {
    hold() {
      gate = new Promise((resolve) => {
        release = resolve
      })
    },
    release() {
      gate = undefined
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
