/** Validates points received from another node against the fields of their series. */
import type { Column, Points } from '../points.js'
import type { SeriesField, SeriesFields } from './series.js'

/** Returns a sentence that describes why points are invalid for these fields; undefined when they are valid. */
export function pointsFault({ deltaTimes, columns }: Points, fields: SeriesFields): string | undefined {
  if ((deltaTimes[0] ?? 0) < 0) return 'A point is earlier than its event.'
  for (const name of columns.keys()) if (!fields.has(name)) return 'A point has a field that its series does not have.'
  for (const [name, field] of fields) {
    if (!isFit(columns.get(name), field)) return `A point has an invalid value of "${name}".`
  }
  return undefined
}

/** Checks whether a column fits its field. A missing column is null in every point. */
function isFit(column: Column | undefined, { kind, isWhole, takesNull }: SeriesField): boolean {
  if (column === undefined || column.kind === 'null') return takesNull || kind === 'null'
  if (column.kind !== kind) return false
  if (column.kind !== 'number') return takesNull || !column.values.includes(null as never)
  for (const value of column.values) {
    if (Number.isNaN(value)) {
      if (!takesNull) return false
    } else if (!Number.isFinite(value) || (isWhole && !Number.isInteger(value))) {
      return false
    }
  }
  return true
}
