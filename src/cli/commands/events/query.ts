/** Filter options of event commands, and the API parameters they produce. */
import { timeOption } from '../../terminal/input/time.js'
import { list } from '../../framework/option.js'

/** Before every event. The API limits a range without a start to one day. */
const EVER = -Number.MAX_VALUE
/** After every event, including running ones. */
const FOREVER = Number.MAX_VALUE

export const filterOptions = {
  stream: list('Only events of this stream and those below it', { placeholder: 'id', names: 'stream' }),
  type: list('Only events of this type; mass/* matches a class', { placeholder: 'class/format' }),
  from: timeOption('Only events that end at or after this time'),
  to: timeOption('Only events that start at or before this time'),
}

interface FilterOptions {
  stream: readonly string[]
  type: readonly string[]
  from: number | undefined
  to: number | undefined
}

/** Returns streams and types, as `events.get` takes them. */
export function matching({ stream, type }: Pick<FilterOptions, 'stream' | 'type'>): Record<string, unknown> {
  return { ...(stream.length === 0 ? {} : { streams: stream }), ...(type.length === 0 ? {} : { types: type }) }
}

/** Returns the time range with both bounds, which the API needs to return everything in it. */
export function within({ from, to }: Pick<FilterOptions, 'from' | 'to'>): { fromTime: number; toTime: number } {
  return { fromTime: from ?? EVER, toTime: to ?? FOREVER }
}
