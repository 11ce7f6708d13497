/**
 * Renders an offer of another account for people, and selects the permissions to give (docs/interface/consents.md#events,
 * docs/interface/consents.md#grants).
 */
import { usageError } from '../../../framework/exit.js'
import { permissionLines } from '../../accesses/permissions.js'
import { listOf, numberOf, recordOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import { when } from '../../../terminal/output/format.js'
import { wordsIn } from '../../../../server/api/consents/relations.js'

/** The offer in an event of type consent/request-cmc. */
export interface Offer {
  /** The requester: `Dr A, ana-lovelace@example.org`. */
  from: string
  /** Stream of the events that follow the offer. */
  scopeStreamId?: string
  entries: Record_[]
  allowUserChoice: boolean
  content: Record_
}

/**
 * Parses the content of an offer; `account` is its author: `ana-lovelace@example.org`. Malformed parts become empty
 * here; the node refuses them.
 */
export function offerOf(content: Record_, account: string): Offer {
  const request = recordOf(content['request'])
  const { originStreamId } = content
  const name = textOf(recordOf(content['requesterMeta'])['displayName'])
  return {
    from: name === '' || name === account.split('@')[0] ? account : `${name}, ${account}`,
    ...(typeof originStreamId === 'string' ? { scopeStreamId: originStreamId } : {}),
    entries: listOf(request['permissions']),
    allowUserChoice: request['allowUserChoice'] === true,
    content,
  }
}

const isOff = (features: unknown, name: string): boolean => recordOf(features)[name] === false

/** Returns the channels of a consent: those of the offer, except for chat with `noChat`. */
export function featuresOf(offer: Offer, noChat: boolean): { chat: boolean; systemMessaging: boolean } {
  const { features } = recordOf(offer.content['request'])
  return { chat: !noChat && !isOff(features, 'chat'), systemMessaging: !isOff(features, 'systemMessaging') }
}

/** Renders an offer as lines; the entries in `selected` are ticked. */
export function offerLines(offer: Offer, selected: readonly Record_[], language: string): string[] {
  const request = recordOf(offer.content['request'])
  const words = (name: string): string[] => {
    const text = wordsIn(request[name], language)
    return text === '' ? [] : [text]
  }
  const expires = numberOf(request['expiresAt'])
  const features = featuresOf(offer, false)
  return [
    ...words('title'),
    `requested by ${offer.from}`,
    ...words('description'),
    '',
    request['accessType'] === 'app' ? 'They can, and can let others:' : 'They can:',
    ...offer.entries.map((entry) => `  ${boxOf(offer, entry, selected)} ${entryText(entry)}`),
    ...(features.chat ? ['  - write messages to you'] : []),
    ...(features.systemMessaging ? ['  - send you alerts'] : []),
    '  - ask you for more access, which you can refuse',
    '  - write to your consent inbox, without reading it',
    ...(expires === undefined ? [] : [`The offer expires on ${when(expires)}.`]),
    '',
    ...words('consent').map((text) => `You agree to: ${text}`),
  ]
}

function boxOf({ allowUserChoice }: Offer, entry: Record_, selected: readonly Record_[]): string {
  if (!allowUserChoice) return '-'
  return selected.includes(entry) ? '[x]' : '[ ]'
}

/** Renders an entry: `read  diary (required)`. */
export function entryText(entry: Record_): string {
  const [line = ''] = permissionLines([entry])
  return `${line.replace(/ {2,}/, ' ')}${entry['mandatory'] === true ? ' (required)' : ''}`
}

const nameOf = (entry: Record_): string => textOf(entry['streamId'] ?? entry['feature'])
const wholeNameOf = (entry: Record_): string => `${nameOf(entry)}:${textOf(entry['level'] ?? entry['setting'])}`

/**
 * Returns the entries to give: the default ones, without some and with others, each named by stream, feature or
 * `stream:level`.
 * @throws CommandError 2 for an unknown entry, or one that cannot be deselected
 */
export function choiceOf(offer: Offer, without: readonly string[], also: readonly string[]): Record_[] {
  const { entries, allowUserChoice } = offer
  const named = (word: string): Record_[] => {
    const found = entries.filter((entry) => nameOf(entry) === word || wholeNameOf(entry) === word)
    if (found.length > 0) return found
    throw usageError(`The offer does not request ${JSON.stringify(word)}`, `It requests: ${entries.map(wholeNameOf).join(', ')}`)
  }
  const excluded = new Set(without.flatMap(named))
  const added = new Set(also.flatMap(named))
  const locked = [...excluded].find((entry) => !allowUserChoice || entry['mandatory'] === true)
  if (locked !== undefined) {
    const why = allowUserChoice ? 'The offer requires it' : 'The offer is all or nothing'
    throw usageError(`${wholeNameOf(locked)} cannot be deselected. ${why}`)
  }
  if (!allowUserChoice) return entries
  return entries.filter((entry) => !excluded.has(entry) && (entry['optIn'] !== true || added.has(entry)))
}

/** Returns an entry as it is granted, without the annotations of the offer. */
export function grantOf({ streamId, level, feature, setting }: Record_): Record_ {
  return feature === undefined ? { streamId, level } : { feature, setting }
}
