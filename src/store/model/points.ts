/** The points of a series in memory: columns of equal length (specification, "HF series"; data supplement 10). */

/** Numbers; NaN stands for null, which JSON numbers never are. */
export interface NumberColumn {
  kind: 'number'
  values: Float64Array
}

export interface TextColumn {
  kind: 'string'
  values: (string | null)[]
}

export interface FlagColumn {
  kind: 'boolean'
  values: (boolean | null)[]
}

/** Nothing but nulls: what a field of such a type holds. */
export interface NullColumn {
  kind: 'null'
}

export type Column = NumberColumn | TextColumn | FlagColumn | NullColumn

/** Points in the order of time, each time once. */
export interface Points {
  /** Seconds after the time of the holder event, ascending. */
  deltaTimes: Float64Array
  /** By field name; a field that is missing is null in every point. */
  columns: ReadonlyMap<string, Column>
}
