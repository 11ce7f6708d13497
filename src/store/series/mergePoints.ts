/** Merges points, as pure functions: of points with equal deltaTime, the one with the latest stamp wins. */
import type { Column, Points } from '../model/points.js'
import { isLater, type Segment, type Stamp } from './segment.js'

/** Selected points in time order: for each, its segment and its index there. */
interface SelectedPoints {
  deltaTimes: Float64Array
  source: Uint32Array
  row: Uint32Array
  length: number
}

const newSelection = (size: number): SelectedPoints => ({
  deltaTimes: new Float64Array(size),
  source: new Uint32Array(size),
  row: new Uint32Array(size),
  length: 0,
})

/** Returns the stamp of a point. */
const stampAt = ({ stamps, stampOf }: Segment, row: number): Stamp => stamps[stampOf?.[row] ?? 0] as Stamp

/** Returns the index of the first of ascending numbers that is not below `limit`. */
export function lowerBound(numbers: Float64Array, limit: number, from = 0): number {
  let low = from
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Merges the points of segments: ascending, each deltaTime once. Returns several segments when a field has values of
 * different kinds, as after a change of the holder's type, since a segment has one kind per field.
 */
export function mergePoints(segments: readonly Segment[]): Segment[] {
  const [only] = segments
  if (segments.length === 1 && only !== undefined) return [only]
  const taken = choose(segments, segments.map((segment, source) => allOf(segment, source)))
  return runs(segments, taken).map(([from, to]) => gather(segments, taken, from, to))
}

/** Returns some points of a segment, by ascending indexes; at least one. */
export function select(segment: Segment, rows: Uint32Array): Segment {
  const deltaTimes = Float64Array.from(rows, (row) => segment.deltaTimes[row] as number)
  const taken = { deltaTimes, source: new Uint32Array(rows.length), row: rows, length: rows.length }
  return gather([segment], taken, 0, rows.length)
}

function allOf({ deltaTimes }: Segment, source: number): SelectedPoints {
  const { length } = deltaTimes
  const row = new Uint32Array(length)
  for (let i = 0; i < length; i++) row[i] = i
  return { deltaTimes, source: new Uint32Array(length).fill(source), row, length }
}

/** Merges lists of points pairwise. */
function choose(segments: readonly Segment[], lists: SelectedPoints[]): SelectedPoints {
  let level = lists
  while (level.length > 1) {
    const next: SelectedPoints[] = []
    for (let i = 0; i < level.length; i += 2) {
      const a = level[i] as SelectedPoints
      const b = level[i + 1]
      next.push(b === undefined ? a : chooseOf(segments, a, b))
    }
    level = next
  }
  return level[0] ?? newSelection(0)
}

function chooseOf(segments: readonly Segment[], a: SelectedPoints, b: SelectedPoints): SelectedPoints {
  const out = newSelection(a.length + b.length)
  // Points before and after the other list need no comparison.
  const [first, second] = (a.deltaTimes[0] ?? Infinity) <= (b.deltaTimes[0] ?? Infinity) ? [a, b] : [b, a]
  let i = lowerBound(first.deltaTimes.subarray(0, first.length), second.deltaTimes[0] ?? Infinity)
  let j = 0
  copy(first, 0, i, out)
  const { deltaTimes: left, source: leftSource, row: leftRow } = first
  const { deltaTimes: right, source: rightSource, row: rightRow } = second
  let n = out.length
  while (i < first.length && j < second.length) {
    const mine = left[i] as number
    const other = right[j] as number
    let isMine = mine < other
    if (mine === other) {
      const stamp = stampAt(segments[leftSource[i] as number] as Segment, leftRow[i] as number)
      isMine = !isLater(stampAt(segments[rightSource[j] as number] as Segment, rightRow[j] as number), stamp)
      if (isMine) j += 1
      else i += 1
    }
    out.deltaTimes[n] = isMine ? mine : other
    out.source[n] = (isMine ? leftSource[i] : rightSource[j]) as number
    out.row[n] = (isMine ? leftRow[i] : rightRow[j]) as number
    if (isMine) i += 1
    else j += 1
    n += 1
  }
  out.length = n
  copy(first, i, first.length, out)
  copy(second, j, second.length, out)
  return out
}

/** Appends a range of a list's points to another list. */
function copy(list: SelectedPoints, from: number, to: number, out: SelectedPoints): void {
  out.deltaTimes.set(list.deltaTimes.subarray(from, to), out.length)
  out.source.set(list.source.subarray(from, to), out.length)
  out.row.set(list.row.subarray(from, to), out.length)
  out.length += to - from
}

const kindOf = (column: Column | undefined): Column['kind'] => column?.kind ?? 'null'

const namesOf = (segments: readonly Segment[]): string[] => [...new Set(segments.flatMap(({ columns }) => [...columns.keys()]))]

/** Returns the ranges of points in which each field has one kind; nulls fit any kind. */
function runs(segments: readonly Segment[], { source, row, length }: SelectedPoints): [from: number, to: number][] {
  const mixed = namesOf(segments).filter((name) => {
    const kinds = new Set(segments.map(({ columns }) => kindOf(columns.get(name))))
    kinds.delete('null')
    return kinds.size > 1
  })
  if (mixed.length === 0) return [[0, length]]
  const found: [number, number][] = []
  let from = 0
  const kinds = new Map<string, Column['kind']>()
  for (let i = 0; i < length; i++) {
    const { columns } = segments[source[i] as number] as Segment
    const at = row[i] as number
    const own = mixed.map((name) => {
      const column = columns.get(name)
      return [name, isNullAt(column, at) ? 'null' : kindOf(column)] as const
    })
    if (own.some(([name, kind]) => kind !== 'null' && (kinds.get(name) ?? kind) !== kind)) {
      found.push([from, i])
      from = i
      kinds.clear()
    }
    for (const [name, kind] of own) if (kind !== 'null') kinds.set(name, kind)
  }
  found.push([from, length])
  return found
}

function isNullAt(column: Column | undefined, at: number): boolean {
  if (column === undefined || column.kind === 'null') return true
  return column.kind === 'number' ? Number.isNaN(column.values[at]) : column.values[at] === null
}

/** Returns the selected points from `from` to `to` as a segment. */
function gather(segments: readonly Segment[], selected: SelectedPoints, from: number, to: number): Segment {
  const columns = new Map<string, Column>()
  const source = selected.source.subarray(from, to)
  const row = selected.row.subarray(from, to)
  const isUsed = new Uint8Array(segments.length)
  for (const i of source) isUsed[i] = 1
  const used = segments.map((segment, i) => (isUsed[i] === 1 ? segment : undefined))
  for (const name of namesOf(segments)) {
    const parts = used.map((segment) => segment?.columns.get(name))
    const column = gatherColumn(parts, source, row)
    if (column !== undefined) columns.set(name, column)
  }
  return { deltaTimes: selected.deltaTimes.slice(from, to), columns, ...gatherStamps(segments, source, row) }
}

function gatherColumn(parts: readonly (Column | undefined)[], source: Uint32Array, row: Uint32Array): Column | undefined {
  const length = source.length
  const has = (kind: Column['kind']): boolean => parts.some((part) => part?.kind === kind)
  // In a run, values of another kind than the first are nulls.
  const kind = (['number', 'string', 'boolean'] as const).filter(has).find((one) => hasAny(parts, one, source, row))
  if (kind === undefined) return undefined
  if (kind === 'number') {
    const lists = parts.map((part) => (part?.kind === 'number' ? part.values : undefined))
    const values = new Float64Array(length)
    for (let i = 0; i < length; i++) values[i] = lists[source[i] as number]?.[row[i] as number] ?? NaN
    return { kind, values }
  }
  const pick = <T>(lists: readonly (readonly (T | null)[] | undefined)[]): (T | null)[] =>
    Array.from(source, (from, i) => lists[from]?.[row[i] as number] ?? null)
  if (kind === 'string') {
    return { kind, values: pick(parts.map((part) => (part?.kind === 'string' ? part.values : undefined))) }
  }
  return { kind, values: pick(parts.map((part) => (part?.kind === 'boolean' ? part.values : undefined))) }
}

function hasAny(
  parts: readonly (Column | undefined)[],
  kind: Column['kind'],
  source: Uint32Array,
  row: Uint32Array,
): boolean {
  for (let i = 0; i < source.length; i++) {
    const part = parts[source[i] as number]
    if (part?.kind === kind && !isNullAt(part, row[i] as number)) return true
  }
  return false
}

function gatherStamps(
  segments: readonly Segment[],
  source: Uint32Array,
  row: Uint32Array,
): Pick<Segment, 'stamps' | 'stampOf'> {
  const stamps: Stamp[] = []
  const known = new Map<string, number>()
  const places = segments.map((segment) => new Int32Array(segment.stamps.length).fill(-1))
  const stampOf = new Uint32Array(source.length)
  for (let i = 0; i < source.length; i++) {
    const from = source[i] as number
    const segment = segments[from] as Segment
    const own = places[from] as Int32Array
    const at = segment.stampOf?.[row[i] as number] ?? 0
    let place = own[at] as number
    if (place < 0) {
      const stamp = segment.stamps[at] as Stamp
      const name = `${stamp.time} ${stamp.actor}`
      place = known.get(name) ?? stamps.push(stamp) - 1
      known.set(name, place)
      own[at] = place
    }
    stampOf[i] = place
  }
  return stamps.length === 1 ? { stamps } : { stamps, stampOf }
}

/** Concatenates points with columns of the same names and kinds. */
export function joined(parts: readonly Points[]): Points {
  const columns = new Map<string, Column>()
  for (const name of parts[0]?.columns.keys() ?? []) {
    const all = parts.map((part) => part.columns.get(name)).filter((column) => column !== undefined)
    const kind = all[0]?.kind ?? 'null'
    const values = (): never[] => all.flatMap((column) => (column.kind === 'string' || column.kind === 'boolean' ? (column.values as never[]) : []))
    if (kind === 'null') columns.set(name, { kind })
    else if (kind === 'number') columns.set(name, { kind, values: joinedNumbers(all.flatMap((column) => (column.kind === 'number' ? [column.values] : []))) })
    else columns.set(name, { kind, values: values() })
  }
  return { deltaTimes: joinedNumbers(parts.map(({ deltaTimes }) => deltaTimes)), columns }
}

function joinedNumbers(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Sorts points by deltaTime, keeping the last of equal ones. Returns the argument if it is sorted already. */
export function inOrder(points: Points): Points {
  const { deltaTimes, columns } = points
  const length = deltaTimes.length
  let before = -Infinity
  let isOrdered = true
  for (let i = 0; i < length; i++) {
    const deltaTime = deltaTimes[i] as number
    // Neither infinite nor NaN.
    if (deltaTime - deltaTime !== 0) throw new RangeError('A deltaTime is not a number.')
    if (!(deltaTime > before) || (deltaTime === 0 && Object.is(deltaTime, -0))) isOrdered = false
    before = deltaTime
  }
  for (const column of columns.values()) {
    if (column.kind !== 'null' && column.values.length !== length) throw new RangeError('Columns differ in length.')
  }
  if (isOrdered) return points
  const rows = Array.from(deltaTimes, (_, i) => i).sort((a, b) => (deltaTimes[a] as number) - (deltaTimes[b] as number))
  const stored = Uint32Array.from(rows.filter((row, i) => i === length - 1 || deltaTimes[row] !== deltaTimes[rows[i + 1] as number]))
  const parts = new Map<string, Column>()
  const source = new Uint32Array(stored.length)
  for (const [name, column] of columns) parts.set(name, gatherColumn([column], source, stored) ?? { kind: 'null' })
  return { deltaTimes: Float64Array.from(stored, (row) => (deltaTimes[row] as number) + 0), columns: parts }
}
