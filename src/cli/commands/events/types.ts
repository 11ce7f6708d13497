/** Event types in options: their form, and the nearest known ones for a type that is mistyped. */
import { didYouMean, nearestNames } from '../../../server/base/didYouMean.js'
import { EVENT_TYPE } from '../../../store/model/event.js'
import { peopleStreamsQuery } from '../../../store/model/peopleStreams.js'
import type { Context } from '../../command.js'
import { textOf } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { usageError } from '../../framework/exit.js'
import { text, type Parameter } from '../../framework/option.js'

/** Types of the examples in messages. */
const EXAMPLES = ['mass/kg', 'note/txt', 'picture/attached']
/** Number of the latest events whose types a message names. */
const EVENTS_READ = 200
/** A type that differs by more is one of the person's own. */
const MAX_DISTANCE = 1

/** Returns the next step after a filter with a mistyped type. */
export const otherTypes = ({ commandFor }: Pick<Context, 'commandFor'>): string => `List events with their types: ${commandFor('events', 'list')}`

/** Creates an option for the type of new or changed events. */
export function typeOption(summary: string): Parameter<string | undefined> {
  return {
    ...text(summary, { placeholder: 'class/format' }),
    read: (words) => {
      const word = words?.at(-1)
      if (word !== undefined && !EVENT_TYPE.test(word)) throw new Error(`a class and a format, such as ${EXAMPLES.slice(0, 2).join(' or ')}`)
      return word
    },
  }
}

/** Returns the types of the latest events of people in an account, the most frequent first; empty for an access that reads none. */
export async function typesInUse(client: NodeClient, as: Authority): Promise<string[]> {
  const query = { streams: peopleStreamsQuery, state: 'all', limit: EVENTS_READ }
  const { events } = await client.call('events.get', query, as).catch(() => ({ events: [] }))
  const counts = new Map<string, number>()
  for (const event of events) counts.set(textOf(event['type']), (counts.get(textOf(event['type'])) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type)
}

/** Returns the line of a message that names types: those in use, else common ones. */
export const typeExamples = (inUse: readonly string[]): string =>
  inUse.length === 0 ? `Types are a class and a format: ${EXAMPLES.join(', ')}, …` : `Types in this account: ${inUse.slice(0, 6).join(', ')}${inUse.length > 6 ? ', …' : ''}`

const elementOf = (type: string): string => type.replace(/^series:/, '')

/**
 * Returns the known types nearest to one that neither the directory of the node nor the account has; empty for a type that they
 * have, and for one unlike all others, which is taken for one of the person's own.
 */
async function nearestTypes(client: NodeClient, as: Authority, type: string): Promise<string[]> {
  const element = elementOf(type)
  // Loaded here: most calls filter by no type, and the directory takes 20 ms.
  const { contentKind } = await import('../../terminal/input/content.js')
  if (contentKind(element) !== undefined) return []
  const { types } = await client.call('assets.eventTypes', {}, {})
  const isClass = type.endsWith('/*')
  const form = (known: string): string => (isClass ? known.replace(/\/.*$/, '/*') : known)
  const directory = Object.keys(types).map(form)
  if (directory.includes(element) || directory.includes(element.replace(/\/.*$/, '/*'))) return []
  const inUse = (await typesInUse(client, as)).map(form)
  if (inUse.includes(type)) return []
  const prefix = type.slice(0, type.length - element.length)
  return nearestNames(element, [...inUse.map(elementOf), ...directory], { distance: MAX_DISTANCE }).map((near) => `${prefix}${near}`)
}

/**
 * Checks that types are not mistyped: the directory or the account has each, or it is unlike all of theirs.
 * @param next next step for a type that is meant as typed
 * @throws CommandError 2 with the nearest types
 */
export async function assertTypesKnown(client: NodeClient, as: Authority, types: readonly string[], next: string): Promise<void> {
  for (const type of types) {
    const near = await nearestTypes(client, as, type)
    if (near.length > 0) throw usageError(`There is no event type ${JSON.stringify(type)}`, `${didYouMean(near)}\n${next}`)
  }
}
