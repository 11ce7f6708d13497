/** Filter options of event commands, and the API parameters they produce. */
import { peopleStreamsQuery } from '../../../store/model/peopleStreams.js'
import { ACCOUNT_ROOT } from '../../../store/model/systemStreams.js'
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

/** Names the records that lists leave out, for help texts. */
export const SYSTEM_RECORDS = 'account fields, messages and consents'

interface Selection extends Pick<FilterOptions, 'stream' | 'type'> {
  all: boolean
  /** Access of `--access`, which may have no account fields. */
  access?: string | undefined
}

/** Returns streams and types, as `events.get` takes them. Without streams: those of people, or all readable ones with `all`. */
export function matching({ stream, type, all, access }: Selection): Record<string, unknown> {
  // Naming the account fields makes the node measure the storage that they show.
  const everything = access === undefined ? ['*', ACCOUNT_ROOT] : undefined
  const streams = stream.length > 0 ? stream : all ? everything : peopleStreamsQuery
  return { ...(streams === undefined ? {} : { streams }), ...(type.length === 0 ? {} : { types: type }) }
}

/** Returns the time range with both bounds, which the API needs to return everything in it. */
export function within({ from, to }: Pick<FilterOptions, 'from' | 'to'>): { fromTime: number; toTime: number } {
  return { fromTime: from ?? EVER, toTime: to ?? FOREVER }
}
