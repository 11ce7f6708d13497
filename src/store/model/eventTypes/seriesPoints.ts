/** Whether points that another node wrote are ones that this node would have taken: what a field may hold. */
import type { Column, Points } from '../points.js'
import type { SeriesField, SeriesFields } from './series.js'

/** What is wrong with points for a series of these fields, as a sentence; undefined when nothing is. */
export function pointsFault({ deltaTimes, columns }: Points, fields: SeriesFields): string | undefined {
  if ((deltaTimes[0] ?? 0) < 0) return 'A point lies before the time of its event.'
  for (const name of columns.keys()) if (!fields.has(name)) return 'A point has a field that its series has not.'
  for (const [name, field] of fields) {
    if (!isFit(columns.get(name), field)) return `A point has a value of "${name}" that it cannot have.`
  }
  return undefined
}

/** A column that is missing is null in every point. */
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
