/** Helpers shared by the `coffer config` commands. */
import { nearest } from '../../../server/base/didYouMean.js'
import { isSettingKey, settingKeys } from '../../../server/config/settings/settings.js'
import type { SettingKey } from '../../../server/config/settings/settings.js'
import { usageError } from '../../framework/exit.js'

export const hidden = '•••'

/** Checks that a setting exists. @throws CommandError 2 naming the nearest setting. */
export function settingNamed(key: string): SettingKey {
  if (isSettingKey(key)) return key
  const near = nearest(key, settingKeys)
  const hint = near === undefined ? 'List them: coffer help settings' : `Did you mean ${near}?`
  throw usageError(`${key} is not a setting`, hint)
}

/** Formats a value: text as is, other values as JSON, empty when not set. */
export function plainValue(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
