/** Checks an event without its account, as a node would. */
import { isSeriesType } from '../../../../store/model/eventTypes/series.js'
import { NewEvent } from '../../../../server/api/events/schema.js'
import type { EventTypes } from '../../../../store/model/eventTypes/types.js'
import { Failure, invalidFormat } from '../../../../store/model/failure.js'
import { parseInput } from '../../../../store/model/validation.js'
import type { EventLine, Problem } from './line.js'

/** Returns the reason why the event of a line cannot be created in any account; undefined when it is valid. */
export function checkEvent({ event }: EventLine, types: EventTypes): Problem | undefined {
  try {
    const { type, content } = parseInput(NewEvent, event)
    const isSeries = isSeriesType(type)
    if (isSeries && types.seriesType(type) === undefined) {
      throw new Failure('invalid-event-type', `Unknown event type "${type}".`, { type })
    }
    const items = isSeries ? undefined : types.check(type, content)
    if (items !== undefined) throw invalidFormat(items)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { id: error.id, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }
  }
}
