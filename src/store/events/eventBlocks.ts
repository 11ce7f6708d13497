/**
 * Values of events in memory, as columns: blocks of rows in the order of time. A row has the time and end of an event, a group
 * and a value; events with several values have several rows, one after another.
 */
import { recordEnd, recordTime } from '../model/eventRecord.js'
import type { EventGroups, VisitRow } from './eventGroups.js'

export interface EventBlock {
  /** Earliest time that the block may contain, in seconds; it ends where the next one begins. */
  readonly from: number
  readonly times: Float64Array
  /** Ends of the events, infinite for running periods; undefined when all are points in time. */
  readonly ends: Float64Array | undefined
  /** Index of the group, with the flags of the row. */
  readonly marks: Uint32Array
  readonly values: Float64Array
  /** Latest end, infinite with a running period. */
  readonly maxEnd: number
}

/** Flags of a row; the index of the group is in the bits above. */
export const FIRST_OF_EVENT = 1
export const FIRST_OF_KIND = 2
export const GROUP_SHIFT = 2

/** Bytes of a block besides its rows. */
const OVERHEAD = 300
/** Rows after which a block ends, once the time changes. */
const BLOCK_ROWS = 4096

export const blockBytes = ({ times, ends }: EventBlock): number => OVERHEAD + times.length * (ends === undefined ? 20 : 28)

interface BlockBuilder {
  /** Adds a record; they come in the order of time. */
  add(record: string): void
  /** Approximate bytes of the rows so far. */
  readonly bytes: number
  /** Returns the blocks: at least one, the first one from `from` on. */
  finish(): EventBlock[]
}

/** Creates a builder of blocks. `from`: earliest time of the first one. */
export function createBlockBuilder(groups: EventGroups, from: number): BlockBuilder {
  const blocks: EventBlock[] = []
  let bytes = 0
  let rows = emptyRows()
  let begin = from
  let time = 0
  let end = 0

  const visit: VisitRow = (group, value, isFirst, isFirstOfKind) => {
    rows.times.push(time)
    rows.ends.push(end)
    rows.marks.push((group << GROUP_SHIFT) | (isFirst ? FIRST_OF_EVENT : 0) | (isFirstOfKind ? FIRST_OF_KIND : 0))
    rows.values.push(value)
  }

  function close(next: number): void {
    const block = blockOf(begin, rows)
    blocks.push(block)
    bytes += blockBytes(block)
    rows = emptyRows()
    begin = next
  }

  return {
    add(record) {
      const next = recordTime(record)
      if (rows.times.length >= BLOCK_ROWS && next !== time) close(next)
      time = next
      end = recordEnd(record)
      groups.rowsOf(record, visit)
    },
    get bytes() {
      return bytes
    },
    finish() {
      close(begin)
      return blocks
    },
  }
}

interface Rows {
  times: number[]
  ends: number[]
  marks: number[]
  values: number[]
}

const emptyRows = (): Rows => ({ times: [], ends: [], marks: [], values: [] })

function blockOf(from: number, { times, ends, marks, values }: Rows): EventBlock {
  let maxEnd = -Infinity
  for (const end of ends) if (end > maxEnd) maxEnd = end
  const hasPeriods = ends.some((end, at) => end !== times[at])
  return {
    from,
    times: Float64Array.from(times),
    ends: hasPeriods ? Float64Array.from(ends) : undefined,
    marks: Uint32Array.from(marks),
    values: Float64Array.from(values),
    maxEnd,
  }
}

/** Returns the index of the block that contains a time. Blocks are in order, and the first contains all earlier times. */
export function blockAt(blocks: readonly EventBlock[], time: number): number {
  let low = 0
  let high = blocks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((blocks[middle]?.from ?? 0) <= time) low = middle
    else high = middle - 1
  }
  return low
}
