/** Bringing points into the order of time, each time once. */
import type { Column, Points } from './points.js'

/** Points of columns in any order: ascending, and of those with the same time the last one. */
export function arranged(deltaTimes: Float64Array, columns: ReadonlyMap<string, Column>): Points {
  if (isAscending(deltaTimes)) return { deltaTimes, columns }
  const order = orderOf(deltaTimes)
  const taken = new Map<string, Column>()
  for (const [name, column] of columns) taken.set(name, picked(column, order))
  return { deltaTimes: numbersAt(deltaTimes, order), columns: taken }
}

/** The points of both; where they have the same time those of `later`. */
export function joined(former: Points, later: Points): Points {
  const [before, after] = [former.deltaTimes.length, later.deltaTimes.length]
  const deltaTimes = new Float64Array(before + after)
  deltaTimes.set(former.deltaTimes)
  deltaTimes.set(later.deltaTimes, before)
  const columns = new Map<string, Column>()
  for (const name of new Set([...former.columns.keys(), ...later.columns.keys()])) {
    columns.set(name, appended(former.columns.get(name), before, later.columns.get(name), after))
  }
  return arranged(deltaTimes, columns)
}

function isAscending(times: Float64Array): boolean {
  let last = -1
  for (let i = 0; i < times.length; i++) {
    const time = times[i] ?? 0
    if (time <= last) return false
    last = time
  }
  return true
}

/** Positions in the order of time, the last of each. */
function orderOf(times: Float64Array): Uint32Array {
  const at = (i: number): number => times[i] ?? 0
  const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => at(a) - at(b) || a - b)
  let kept = 0
  for (let i = 0; i < order.length; i++) {
    const position = order[i] ?? 0
    const next = order[i + 1]
    if (next !== undefined && at(next) === at(position)) continue
    order[kept] = position
    kept += 1
  }
  return order.subarray(0, kept)
}

function numbersAt(values: Float64Array, order: Uint32Array): Float64Array {
  const taken = new Float64Array(order.length)
  for (let i = 0; i < order.length; i++) taken[i] = values[order[i] ?? 0] ?? NaN
  return taken
}

function picked(column: Column, order: Uint32Array): Column {
  switch (column.kind) {
    case 'number':
      return { kind: 'number', values: numbersAt(column.values, order) }
    case 'string':
      return { kind: 'string', values: Array.from(order, (i) => column.values[i] ?? null) }
    case 'boolean':
      return { kind: 'boolean', values: Array.from(order, (i) => column.values[i] ?? null) }
    case 'null':
      return column
  }
}

const nulls = (count: number): null[] => new Array<null>(count).fill(null)

/** A column of two after each other; one that is missing is null throughout. Both are of one field, so of one kind. */
function appended(former: Column | undefined, before: number, later: Column | undefined, after: number): Column {
  const kind = (former ?? later)?.kind ?? 'null'
  switch (kind) {
    case 'number': {
      const values = new Float64Array(before + after).fill(NaN)
      if (former?.kind === 'number') values.set(former.values)
      if (later?.kind === 'number') values.set(later.values, before)
      return { kind, values }
    }
    case 'string':
      return {
        kind,
        values: [
          ...(former?.kind === 'string' ? former.values : nulls(before)),
          ...(later?.kind === 'string' ? later.values : nulls(after)),
        ],
      }
    case 'boolean':
      return {
        kind,
        values: [
          ...(former?.kind === 'boolean' ? former.values : nulls(before)),
          ...(later?.kind === 'boolean' ? later.values : nulls(after)),
        ],
      }
    case 'null':
      return { kind }
  }
}
