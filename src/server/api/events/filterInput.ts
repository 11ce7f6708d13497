/** Parses the event filter (streams, types, conditions) shared by queries and notification scopes. */
import * as z from 'zod'
import { matchesConditions, parseConditions } from '../../../store/model/conditions.js'
import type { Event } from '../../../store/model/event.js'

/** Schema members of the events.get filter (docs/interface/events.md#queries). */
export const filterShape = {
  streams: z.unknown().optional().describe('Stream ids, with their children; or a query {"any":[…],"all":[…],"not":[…]}, or a list of them. Default: all readable streams.'),
  types: z.array(z.string().regex(/^(series:)?[a-z0-9-]+\/([a-z0-9-]+|\*)$/)).optional().describe('Event types, such as mass/kg, or mass/* for a whole class.'),
  content: z.unknown().optional().describe('Conditions on the content, such as [{"path":"$","gt":72}].'),
  clientData: z.unknown().optional().describe('Conditions on the client data, in the form of those on content.'),
}

/** Returns a predicate of event types. Types are literal; `class/*` matches any format of the class. */
export function typeFilter(types: readonly string[]): (type: string) => boolean {
  const exact = new Set(types.filter((type) => !type.endsWith('/*')))
  const classes = types.filter((type) => type.endsWith('/*')).map((type) => type.slice(0, -1))
  return (type) => exact.has(type) || classes.some((prefix) => type.startsWith(prefix))
}

/**
 * Returns the combined conditions on content and client data; undefined when there are none.
 * @throws Failure `invalid-parameters-format`
 */
export function conditionsFilter(input: {
  content?: unknown
  clientData?: unknown
}): ((event: Pick<Event, 'content' | 'clientData'>) => boolean) | undefined {
  const content = parseConditions(input.content, 'content')
  const clientData = parseConditions(input.clientData, 'clientData')
  if (content.length === 0 && clientData.length === 0) return undefined
  return (event) => matchesConditions(content, event.content) && matchesConditions(clientData, event.clientData)
}
