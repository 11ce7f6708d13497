/** Permissions as a person types and reads them. */
import { contactPermissionText } from '../../../server/accessRequest/consentWords.js'
import type { Level } from '../../../store/model/access.js'
import type { Permission } from '../../../store/model/access.js'
import { usageError } from '../../framework/exit.js'
import { listOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { flag, list } from '../../framework/option.js'

const levels = ['read', 'create-only', 'contribute', 'manage', 'none'] as const
const ofTags = ['read', 'contribute', 'manage'] as const

/** What an access may do, as options of a command. */
export const permissionOptions = {
  permission: list('What it may do in a stream and below: a stream, or * for all, and a level', {
    placeholder: 'stream:level',
    suggests: levels.map((level) => `*:${level}`),
  }),
  tagPermission: list('What it may do with events that have a tag', { placeholder: 'tag:level' }),
  noSelfRevoke: flag('It may not give itself up'),
  noSelfAudit: flag('It may not read what was recorded of its calls'),
  noSecretSharing: flag('It may not hand over secrets'),
}

type GivenPermissions = { [K in keyof typeof permissionOptions]: ReturnType<(typeof permissionOptions)[K]['read']> }

/**
 * The permissions typed, as the API takes them.
 * @throws CommandError 2 for what is none.
 */
export function permissionsOf(given: GivenPermissions): Permission[] {
  const features = [
    given.noSelfRevoke ? 'selfRevoke' : undefined,
    given.noSelfAudit ? 'selfAudit' : undefined,
    given.noSecretSharing ? 'secretSharing' : undefined,
  ].filter((feature) => feature !== undefined)
  return [
    ...given.permission.map((word) => {
      const { name, level } = parted(word, '--permission', 'heart:read', levels)
      return { streamId: name, level }
    }),
    ...given.tagPermission.map((word) => {
      const { name, level } = parted(word, '--tag-permission', 'holiday:read', ofTags)
      return { tag: name, level }
    }),
    ...features.map((feature) => ({ feature, setting: 'forbidden' }) as const),
  ]
}

/** Ids hold colons, levels hold none. */
function parted<L extends string>(
  word: string,
  option: string,
  example: string,
  known: readonly L[],
): { name: string; level: L } {
  const colon = word.lastIndexOf(':')
  const level = known.find((each) => each === word.slice(colon + 1))
  if (colon < 1 || level === undefined) {
    throw usageError(`${option} takes one like ${example}, not ${JSON.stringify(word)}`, `Levels: ${known.join(', ')}`)
  }
  return { name: word.slice(0, colon), level }
}

const deeds: Readonly<Record<string, string>> = {
  read: 'read',
  'create-only': 'add to',
  contribute: 'read and change',
  manage: 'manage',
  none: 'not see',
}

/** `read  heart, diary`: one line for each level, then what else it may or may not. */
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
    const action = deeds[textOf(each['level'])] ?? textOf(each['level'])
    places.set(action, [...(places.get(action) ?? []), place])
  }
  return [...[...places].map(([action, where]) => `${action.padEnd(15)} ${where.join(', ')}`), ...others]
}

function featureWords(feature: string): string {
  const words: Readonly<Record<string, string>> = {
    selfRevoke: 'give itself up',
    selfAudit: 'read what was recorded of its calls',
    secretSharing: 'hand over secrets',
    webhooks: 'have web addresses told about changes',
  }
  return words[feature] ?? feature
}

/** `heart:read diary:create-only`: permissions in one line. */
export function permissionsText(access: Record_): string {
  if (access['type'] === 'personal') return 'everything'
  return listOf(access['permissions'])
    .map(({ streamId, tag, level, feature, setting }) => {
      if (feature !== undefined) return `${textOf(feature)}=${textOf(setting)}`
      return `${streamId === undefined ? `#${textOf(tag)}` : textOf(streamId)}:${textOf(level)}`
    })
    .join(' ')
}
