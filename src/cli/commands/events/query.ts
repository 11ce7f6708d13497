/** Which events a command is about: the options that choose, and what the API is asked. */
import { timeOption } from '../../terminal/input/time.js'
import { list } from '../../framework/option.js'

/** Before every event: the API takes a day for a range without beginning. */
const EVER = -Number.MAX_VALUE
/** After every event, running ones included. */
const FOREVER = Number.MAX_VALUE

export const choiceOptions = {
  stream: list('Only of this stream and those below it', { placeholder: 'id', names: 'stream' }),
  type: list('Only of this type; mass/* takes all of a class', { placeholder: 'class/format' }),
  from: timeOption('Only what is not over before this'),
  to: timeOption('Only what begins at or before this'),
}

export interface FilterOptions {
  stream: readonly string[]
  type: readonly string[]
  from: number | undefined
  to: number | undefined
}

/** Streams and types, as `events.get` takes them. */
export function matching({ stream, type }: Pick<FilterOptions, 'stream' | 'type'>): Record<string, unknown> {
  return { ...(stream.length === 0 ? {} : { streams: stream }), ...(type.length === 0 ? {} : { types: type }) }
}

/** The window of time; everything in it, which for the API takes bounds on both sides. */
export function within({ from, to }: Pick<FilterOptions, 'from' | 'to'>): { fromTime: number; toTime: number } {
  return { fromTime: from ?? EVER, toTime: to ?? FOREVER }
}
