/** Options of a consent request, and their conversion to the request of the API (docs/interface/consents.md#events). */
import { appCodeOf } from '../../../../store/model/cmc.js'
import { permissionOptions, permissionsOf } from '../../accesses/permissions.js'
import { usageError } from '../../../framework/exit.js'
import { listOf, textOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import { choice, flag, list, text } from '../../../framework/option.js'
import { provideScope } from './trigger.js'

const { permission, noSelfRevoke, noSecretSharing } = permissionOptions

/** Options for the requested permissions. */
export const requestOptions = {
  permission: { ...permission, required: true },
  noSelfRevoke,
  noSecretSharing,
  allowUserChoice: flag('Let people deselect permissions'),
  mandatory: list('Requested stream that cannot be deselected; repeatable', { placeholder: 'stream' }),
  optIn: list('Requested stream that is deselected by default; repeatable', { placeholder: 'stream' }),
  streamName: list('Name of a stream for accounts that do not have it yet', { placeholder: 'stream=name' }),
  from: text('Name of the requester (default: the username)', { placeholder: 'name' }),
  accessType: choice(['shared', 'app'], 'Type of the requested access (default: shared)'),
  noChat: flag('Disable messages'),
  noSystemMessaging: flag('Disable alerts'),
}

interface EntryOptions {
  permission: string[]
  noSelfRevoke: boolean
  noSecretSharing: boolean
  allowUserChoice: boolean
  mandatory: readonly string[]
  optIn: readonly string[]
  streamName: readonly string[]
}

/**
 * Returns the requested permissions with their annotations.
 * @throws CommandError 2 for contradictory options
 */
function annotated(options: EntryOptions): object[] {
  const { allowUserChoice, mandatory, optIn } = options
  const permissions = listOf(permissionsOf({ ...options, tagPermission: [], noSelfAudit: false }))
  const names = permissions.map(({ streamId, feature }) => textOf(streamId ?? feature))
  const namesByStream = namesOf(options.streamName)
  const marked = [...mandatory, ...optIn]
  if (marked.length > 0 && !allowUserChoice) throw usageError('--mandatory and --opt-in require --allow-user-choice')
  const unknown = [...marked, ...namesByStream.keys()].find((name) => !names.includes(name))
  if (unknown !== undefined) throw usageError(`${JSON.stringify(unknown)} is not requested`, `Requested: ${names.join(', ')}`)
  const both = mandatory.find((name) => optIn.includes(name))
  if (both !== undefined) throw usageError(`${both} cannot be mandatory and opt-in`)
  return permissions.map((entry, at) => ({
    ...entry,
    ...(mandatory.includes(names[at] ?? '') ? { mandatory: true } : {}),
    ...(optIn.includes(names[at] ?? '') ? { optIn: true } : {}),
    ...(namesByStream.has(names[at] ?? '') ? { defaultName: namesByStream.get(names[at] ?? '') } : {}),
  }))
}

/**
 * Parses stream names.
 * @throws CommandError 2
 */
function namesOf(words: readonly string[]): Map<string, string> {
  return new Map(
    words.map((word) => {
      const [, stream = '', name = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
      if (name.trim() !== '') return [stream, name]
      throw usageError(`--stream-name takes a stream and its name, such as heart=Heart, not ${JSON.stringify(word)}`)
    }),
  )
}

interface RequestOptions extends EntryOptions {
  accessType: string | undefined
  noChat: boolean
  noSystemMessaging: boolean
}

/** Texts by language. */
export type Texts = Readonly<Record<string, string>>

/**
 * Builds the request of an offer. `expiresAt` in seconds; null for a link without expiry, undefined for the default.
 * @throws CommandError 2 for contradictory options
 */
export function requestOf(
  options: RequestOptions,
  texts: Readonly<Record<'title' | 'description' | 'consent', Texts | undefined>>,
  expiresAt: number | null | undefined,
): Record_ {
  return {
    ...texts,
    permissions: annotated(options),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(options.allowUserChoice ? { allowUserChoice: true } : {}),
    ...(options.accessType === undefined ? {} : { accessType: options.accessType }),
    features: { chat: !options.noChat, systemMessaging: !options.noSystemMessaging },
  }
}

/** Creates the request event and returns it; its content has the link. */
export async function createRequest(
  client: NodeClient,
  as: { user: string },
  details: { scope: string; mode: 'single-use' | 'open-link'; request: Record_; from: string | undefined },
): Promise<Record<string, unknown>> {
  const { scope, mode, request, from } = details
  const content = {
    to: null,
    capabilityRequested: true,
    capability: { mode },
    request,
    requesterMeta: { displayName: from ?? as.user, appId: appCodeOf(scope) },
  }
  await provideScope(client, as, scope)
  return client.call('events.create', { streamIds: [scope], type: 'consent/request-cmc', content }, as)
}
