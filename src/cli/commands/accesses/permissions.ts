/** Permission options of commands, and their display. */
import { contactPermissionText } from '../../../server/api/accessRequests/consentWords.js'
import type { Level, Permission } from '../../../store/model/access.js'
import { usageError } from '../../framework/exit.js'
import { listOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { flag, list } from '../../framework/option.js'

const levels = ['read', 'create-only', 'contribute', 'manage', 'none'] as const
const tagLevels = ['read', 'contribute', 'manage'] as const

/** Options that set the permissions of an access. */
export const permissionOptions = {
  permission: list('Permission on a stream and the streams below it: a stream id, or * for all, and a level', {
    placeholder: 'stream:level',
    suggests: levels.map((level) => `*:${level}`),
  }),
  tagPermission: list('Permission on events with a tag', { placeholder: 'tag:level' }),
  noSelfRevoke: flag('Forbid the access to revoke itself'),
  noSelfAudit: flag('Forbid the access to read its audit log'),
  noSecretSharing: flag('Forbid the access to share secrets'),
}

type PermissionOptions = { [K in keyof typeof permissionOptions]: ReturnType<(typeof permissionOptions)[K]['read']> }

/**
 * Converts permission options into permissions of the API.
 * @throws CommandError 2 for an invalid permission.
 */
export function permissionsOf(options: PermissionOptions): Permission[] {
  const features = [
    options.noSelfRevoke ? 'selfRevoke' : undefined,
    options.noSelfAudit ? 'selfAudit' : undefined,
    options.noSecretSharing ? 'secretSharing' : undefined,
  ].filter((feature) => feature !== undefined)
  return [
    ...options.permission.map((word) => {
      const { name, level } = splitLevel(word, '--permission', 'heart:read', levels)
      return { streamId: name, level }
    }),
    ...options.tagPermission.map((word) => {
      const { name, level } = splitLevel(word, '--tag-permission', 'holiday:read', tagLevels)
      return { tag: name, level }
    }),
    ...features.map((feature) => ({ feature, setting: 'forbidden' }) as const),
  ]
}

/** Splits `name:level` at the last colon: ids may contain colons, levels do not. */
function splitLevel<L extends string>(
  word: string,
  option: string,
  example: string,
  known: readonly L[],
): { name: string; level: L } {
  const colon = word.lastIndexOf(':')
  const level = known.find((each) => each === word.slice(colon + 1))
  if (colon < 1 || level === undefined) {
    throw usageError(`${option} takes a value like ${example}, not ${JSON.stringify(word)}`, `Valid levels: ${known.join(', ')}`)
  }
  return { name: word.slice(0, colon), level }
}

const levelVerbs: Readonly<Record<string, string>> = {
  read: 'read',
  'create-only': 'add to',
  contribute: 'read and change',
  manage: 'manage',
  none: 'not see',
}

/** Formats permissions for people: `read  heart, diary`, one line for each level, then features and other rights. */
export function permissionLines(permissions: unknown): string[] {
  const places = new Map<string, string[]>()
  const others: string[] = []
  for (const each of listOf(permissions)) {
    const { streamId, tag, feature, setting } = each
    if (feature !== undefined) {
      others.push(`${setting === 'forbidden' ? 'may not' : 'may'} ${featureWords(textOf(feature))}`)
      continue
    }
    const contact = contactPermissionText({ streamId: textOf(streamId), level: textOf(each['level']) as Level }, 'en')
    if (contact !== undefined) {
      others.push(`may ${contact}`)
      continue
    }
    const place = streamId === '*' ? 'everything' : streamId === undefined ? `events tagged ${textOf(tag)}` : textOf(streamId)
    const action = levelVerbs[textOf(each['level'])] ?? textOf(each['level'])
    places.set(action, [...(places.get(action) ?? []), place])
  }
  return [...[...places].map(([action, where]) => `${action.padEnd(15)} ${where.join(', ')}`), ...others]
}

function featureWords(feature: string): string {
  const words: Readonly<Record<string, string>> = {
    selfRevoke: 'revoke itself',
    selfAudit: 'read its audit log',
    secretSharing: 'share secrets',
    webhooks: 'create webhooks',
  }
  return words[feature] ?? feature
}

/** Formats permissions in one line: `heart:read diary:create-only`. */
export function permissionsText(access: Record_): string {
  if (access['type'] === 'personal') return 'everything'
  return listOf(access['permissions'])
    .map(({ streamId, tag, level, feature, setting }) => {
      if (feature !== undefined) return `${textOf(feature)}=${textOf(setting)}`
      return `${streamId === undefined ? `#${textOf(tag)}` : textOf(streamId)}:${textOf(level)}`
    })
    .join(' ')
}
