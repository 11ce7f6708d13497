/** Parses and validates the values of settings. */
import { parse } from 'smol-toml'
import { nearest } from '../base/didYouMean.js'
import { settings } from './settings/settings.js'
import type { SettingKey, SettingValue } from './settings/settings.js'

type Reading<K extends SettingKey> = { value: SettingValue<K> } | { wrong: string }

/**
 * Validates a value of a setting. Strings are parsed according to the kind of the setting (JSON or TOML literal,
 * comma-separated words); other values must match the schema. `null` and the text `null` unset optional settings.
 * `wrong` describes the expected form, and the value found unless the setting is a secret.
 */
export function readValue<K extends SettingKey>(key: K, input: unknown): Reading<K> {
  const setting = settings[key]
  const { kind } = setting
  const candidate = typeof input === 'string' && kind.reads !== 'text' ? fromText(input, kind.reads) : input
  if (setting.default === null && (candidate === null || candidate === 'null')) return { value: valueOf<K>(null) }
  const checked = kind.schema().safeParse(candidate)
  if (checked.success) return { value: valueOf<K>(checked.data) }
  if ('secret' in setting) return { wrong: `${key} must be ${kind.form}` }
  const issue = checked.error.issues.find((each) => each.path.length > 0)
  const detail = issue === undefined ? '' : ` (${issueText(issue)})`
  return { wrong: `${key} must be ${kind.form}, not ${formatValue(input)}${detail}` }
}

/** Narrows a value to the type of its setting. The schema of the setting guarantees that type. */
function valueOf<K extends SettingKey>(value: unknown): SettingValue<K> {
  return value as SettingValue<K>
}

function fromText(text: string, reads: 'literal' | 'list'): unknown {
  const literal = jsonOrToml(text.trim())
  if (literal.read && (reads === 'literal' || Array.isArray(literal.value) || literal.value === null)) {
    return literal.value
  }
  if (reads === 'literal') return text
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function jsonOrToml(text: string): { read: true; value: unknown } | { read: false } {
  try {
    return { read: true, value: JSON.parse(text) }
  } catch {
    // Not JSON; perhaps TOML.
  }
  try {
    return text.includes('\n') ? { read: false } : { read: true, value: parse(`v = ${text}`)['v'] }
  } catch {
    return { read: false }
  }
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

const accountFieldKeys = [
  'children',
  'default',
  'id',
  'isEditable',
  'isIndexed',
  'isRequiredInValidation',
  'isShown',
  'isUnique',
  'name',
  'regexError',
  'regexValidation',
  'type',
]

interface Issue {
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
}

function issueText(issue: Issue): string {
  const place = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  const unknown = issue.keys?.[0]
  const near = unknown === undefined ? undefined : nearest(unknown, accountFieldKeys)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return `${place.replace(/^\./, '')}: ${issue.message}${hint}`
}
