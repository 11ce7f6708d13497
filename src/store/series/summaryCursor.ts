/** Reads the summary records of a series in order of time, from a snapshot, and stores those that are missing or damaged. */
import type { Account } from '../engine/account.js'
import type { Pages, Snapshot } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import { headOf, type SegmentKey } from './head.js'
import { decodeSummary, encodeSummary, type SegmentSummary } from './summaryRecord.js'

/** Records read from disk at once. */
const READ_AT_ONCE = 100
/** Records stored per write. */
const STORED_AT_ONCE = 32

/** A computed summary, with its segment. */
interface ComputedSummary {
  place: SegmentKey
  /** Bytes of the segment. */
  bytes: Uint8Array
  summary: SegmentSummary
}

export class SummaryCursor {
  readonly #account: Account
  readonly #event: string
  readonly #epoch: number
  readonly #snapshot: Snapshot
  #source: Pages<[string, Uint8Array]> | undefined
  #page: [string, Uint8Array][] = []
  #at = 0
  #computed: ComputedSummary[] = []

  constructor(account: Account, event: string, epoch: number, snapshot: Snapshot) {
    this.#account = account
    this.#event = event
    this.#epoch = epoch
    this.#snapshot = snapshot
  }

  /**
   * Returns the summary of a segment, with the columns `fields`; undefined without an intact record. Segments are given in order of
   * time.
   */
  async find(place: SegmentKey, fields: ReadonlySet<string>): Promise<SegmentSummary | undefined> {
    const { db, prefix } = this.#account
    const key = summaryKey(prefix, this.#event, this.#epoch, place)
    const range = under(accountKeys.pointsSummariesOf(prefix, this.#event, this.#epoch))
    this.#source ??= db.byteEntries({ ...range, gte: key }, {}, this.#snapshot)
    for (;;) {
      const entry = this.#page[this.#at]
      if (entry !== undefined && entry[0] >= key) return entry[0] === key ? decodeSummary(entry[1], place, fields) : undefined
      if (entry !== undefined) this.#at += 1
      else {
        this.#page = await this.#source.next(READ_AT_ONCE)
        this.#at = 0
        if (this.#page.length === 0) return undefined
      }
    }
  }

  /** Stores the record of a segment in the background; `bytes` are those of the segment. */
  store(place: SegmentKey, bytes: Uint8Array, summary: SegmentSummary): void {
    this.#computed.push({ place, bytes, summary })
    if (this.#computed.length >= STORED_AT_ONCE) this.#write()
  }

  async close(): Promise<void> {
    this.#write()
    await this.#source?.close()
  }

  /** Writes the computed records of segments that are still the same. Failures are ignored: the next reader computes them again. */
  #write(): void {
    const computed = this.#computed
    this.#computed = []
    if (computed.length === 0) return
    const write = this.#account.write((t) => {
      if (headOf(t, t.account, this.#event)?.epoch !== this.#epoch) return
      for (const { place, bytes, summary } of computed) {
        const stored = t.getBytes(place.key)
        if (stored === undefined || Buffer.compare(stored, bytes) !== 0) continue
        t.put(summaryKey(t.account, this.#event, this.#epoch, place), encodeSummary(summary))
      }
    })
    write.catch(() => {})
  }
}

const summaryKey = (account: string, event: string, epoch: number, { from, to, count }: SegmentKey): string =>
  accountKeys.pointsSummary(account, event, epoch, from, to, count)
