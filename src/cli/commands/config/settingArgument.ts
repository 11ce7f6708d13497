/** What the commands of `coffer config` share. */
import { nearest } from '../../../server/base/didYouMean.js'
import { isSettingKey, settingKeys, settings } from '../../../server/config/settings/settings.js'
import type { SettingKey } from '../../../server/config/settings/settings.js'
import { usageError } from '../../framework/exit.js'

export const hidden = '•••'

/** @throws CommandError 2 naming the nearest setting. */
export function settingNamed(key: string): SettingKey {
  if (isSettingKey(key)) return key
  const near = nearest(key, settingKeys)
  const hint = near === undefined ? 'See them: coffer help settings' : `Did you mean ${near}?`
  throw usageError(`${key} is not a setting`, hint)
}

export function isSecret(key: SettingKey): boolean {
  return 'secret' in settings[key]
}

/** A value as a person and a script read it: text as it is, the rest as JSON, nothing when not set. */
export function plainValue(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
