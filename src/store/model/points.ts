/** Points of a series in memory: columns of equal length (docs/interface/series.md#format). */

/** Numbers; NaN stands for null, which JSON numbers never are. */
interface NumberColumn {
  kind: 'number'
  values: Float64Array
}

interface TextColumn {
  kind: 'string'
  values: (string | null)[]
}

interface FlagColumn {
  kind: 'boolean'
  values: (boolean | null)[]
}

/** A column with only nulls, for fields of type null. */
interface NullColumn {
  kind: 'null'
}

export type Column = NumberColumn | TextColumn | FlagColumn | NullColumn

/** Points in order of time, with unique times. */
export interface Points {
  /** Seconds after the time of the holder event, ascending. */
  deltaTimes: Float64Array
  /** Columns by field name; a missing field is null in every point. */
  columns: ReadonlyMap<string, Column>
}
