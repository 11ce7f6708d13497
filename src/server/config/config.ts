/**
 * Loads the configuration of a node: flags override `COFFER_SET_…` variables, which override `config.toml`, which overrides the
 * defaults. Records the origin of every value (docs/interface/limits.md#settings).
 */
import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import { errorMessage } from '../../store/model/errorMessage.js'
import { isJsonObject } from '../../store/model/json.js'
import { ConfigError } from './problem.js'
import type { ConfigProblem, Origin } from './problem.js'
import { readValue } from './readValue.js'
import { yesOrNo } from './setting.js'
import { lineAt, scanToml } from './tomlScan.js'
import { nearest } from '../base/didYouMean.js'
import { dnsLacks } from './settings/dns.js'
import { letsEncryptLacks } from './settings/letsEncrypt.js'
import { mfaLacks } from './settings/mfa.js'
import { platformLacks } from './settings/platform.js'
import { ssoLacks } from './settings/sso.js'
import { tlsLacks } from './settings/tls.js'
import { isSecretSetting, environmentName, isSettingKey, settingKeys, settings } from './settings/settings.js'
import type { SettingKey, SettingValue } from './settings/settings.js'

/** One setting with its effective value. */
export interface ConfigEntry {
  key: SettingKey
  /** `null` when not set. Secrets are not hidden here. */
  value: unknown
  origin: Origin
  /** `<file>:<line>` or the name of the variable; absent for flags and defaults. */
  place?: string
  secret: boolean
}

export interface Config {
  get<K extends SettingKey>(key: K): SettingValue<K>
  origin(key: SettingKey): Origin
  /** All settings, in the order of the table. */
  entries(): ConfigEntry[]
}

export interface ConfigSources {
  /** Path of `config.toml`; a file that does not exist counts as empty. */
  file?: string
  env?: Readonly<Record<string, string | undefined>>
  /**
   * Values by setting. Strings are parsed like those of variables; other values must match the schema. Undefined values are
   * ignored.
   */
  flags?: Readonly<Record<string, unknown>>
}

interface RawSetting {
  key: string
  value: unknown
  origin: Origin
  place?: string
  /** The term for an unknown key in the error message, and the names to suggest from. */
  written?: string
  known?: readonly string[]
}

/**
 * Loads the configuration from its sources. Checks every value, including those that a higher source overrides.
 * @throws ConfigError that lists every problem with its place, the expected form and the nearest known name.
 */
export function loadConfig(sources: ConfigSources = {}): Config {
  const problems: ConfigProblem[] = []
  const entries = new Map<SettingKey, ConfigEntry>()
  for (const key of settingKeys) {
    entries.set(key, { key, value: settings[key].default, origin: 'default', secret: isSecretSetting(key) })
  }
  // From the lowest source to the highest: later ones replace earlier ones.
  const raw = [...fromFile(sources.file, problems), ...fromEnvironment(sources.env), ...fromFlags(sources.flags)]
  for (const each of raw.flatMap(expandSwitches)) {
    const place = each.place === undefined ? {} : { place: each.place }
    if (!isSettingKey(each.key)) {
      problems.push({ ...unknownKey(each), origin: each.origin, ...place })
      continue
    }
    const reading = readValue(each.key, each.value)
    if ('wrong' in reading) problems.push({ key: each.key, origin: each.origin, ...place, message: reading.wrong })
    else {
      const { key, origin } = each
      entries.set(key, { key, value: reading.value, origin, ...place, secret: isSecretSetting(key) })
    }
  }
  if (problems.length === 0) problems.push(...crossChecks(entries))
  if (problems.length > 0) throw new ConfigError(problems)
  substituteDomain(entries)
  return configOf(entries)
}

function configOf(entries: ReadonlyMap<SettingKey, ConfigEntry>): Config {
  const entry = (key: SettingKey): ConfigEntry => {
    const found = entries.get(key)
    if (found === undefined) throw new Error(`${key} is not a setting`)
    return found
  }
  return {
    get: <K extends SettingKey>(key: K) => entry(key).value as SettingValue<K>,
    origin: (key) => entry(key).origin,
    entries: () => [...entries.values()],
  }
}

/** Expands `true` or `false` for a group that has only switches to each of them: `services.email.enabled = false`. */
function expandSwitches(entry: RawSetting): RawSetting[] {
  const group = keyByGroupVariable.get(entry.key) ?? entry.key
  const value = entry.value === 'true' ? true : entry.value === 'false' ? false : entry.value
  if (typeof value !== 'boolean' || isSettingKey(entry.key)) return [entry]
  const keys = settingKeys.filter((key) => key.startsWith(`${group}.`))
  if (keys.length === 0 || keys.some((key) => settings[key].kind !== yesOrNo)) return [entry]
  return keys.map((key) => ({ ...entry, key, value }))
}

function fromFlags(flags: Readonly<Record<string, unknown>> = {}): RawSetting[] {
  return Object.entries(flags)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value, origin: 'flag' }))
}

const keyByVariable = new Map(settingKeys.map((key) => [environmentName(key), key]))

/** Groups of settings by the name of their environment variable. */
const keyByGroupVariable = new Map(
  settingKeys.flatMap((key) =>
    key.split('.').slice(0, -1).map((_, at, words): [string, string] => {
      const group = words.slice(0, at + 1).join('.')
      return [environmentName(group), group]
    }),
  ),
)

function fromEnvironment(env: Readonly<Record<string, string | undefined>> = {}): RawSetting[] {
  return Object.entries(env).flatMap(([name, value]): RawSetting[] =>
    name.startsWith('COFFER_SET_') && value !== undefined
      ? [{
          key: keyByVariable.get(name) ?? name,
          value,
          origin: 'environment',
          place: name,
          written: 'this variable',
          known: [...keyByVariable.keys()],
        }]
      : [],
  )
}

/** Returns the settings of the file with their lines. Invalid TOML is reported as one problem. */
function fromFile(file: string | undefined, problems: ConfigProblem[]): RawSetting[] {
  if (file === undefined) return []
  const text = readIfThere(file, problems)
  let root: unknown
  try {
    root = parse(text)
  } catch (error) {
    const place = error instanceof TomlError ? `${file}:${error.line}` : file
    problems.push({ origin: 'file', place, message: `this is not TOML: ${firstLine(error)}` })
    return []
  }
  const layout = scanToml(text)
  const lineOf = (path: readonly string[]): number | undefined => {
    const isBelow = (other: readonly string[]): boolean => path.every((name, index) => other[index] === name)
    const pair = layout.pairs.find((each) => isBelow(each.path))
    const header = layout.headers.find((each) => isBelow(each.path))
    const at = pair?.keyStart ?? header?.start
    return at === undefined ? undefined : lineAt(text, at)
  }
  return leaves(root, []).map(({ path, value }) => {
    const line = lineOf(path)
    return { key: path.join('.'), value, origin: 'file', place: line === undefined ? file : `${file}:${line}` }
  })
}

function readIfThere(file: string, problems: ConfigProblem[]): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      problems.push({ origin: 'file', place: file, message: `this file cannot be read: ${firstLine(error)}` })
    }
    return ''
  }
}

/** Walks tables down to known settings, or to values that are not tables. */
function leaves(value: unknown, path: readonly string[]): Array<{ path: readonly string[]; value: unknown }> {
  const isTable = isJsonObject(value) && !(value instanceof Date)
  if (!isTable || isSettingKey(path.join('.'))) return [{ path, value }]
  const members = Object.entries(value)
  // An empty table has no effect, unless its name is unknown.
  if (members.length === 0) return path.length === 0 || isGroup(path.join('.')) ? [] : [{ path, value }]
  return members.flatMap(([name, each]) => leaves(each, [...path, name]))
}

function isGroup(key: string): boolean {
  return settingKeys.some((known) => known.startsWith(`${key}.`))
}

function unknownKey({ key, written = key, known = settingKeys }: RawSetting): { message: string; nearest?: string } {
  if (isGroup(key)) return { message: `${key} is a group of settings, such as ${exampleOf(key)}` }
  const near = nearest(key, known)
  return { message: `${written} is not a setting`, ...(near === undefined ? {} : { nearest: near }) }
}

function exampleOf(group: string): string {
  return settingKeys.find((known) => known.startsWith(`${group}.`)) ?? group
}

type Entries = ReadonlyMap<SettingKey, ConfigEntry>

/** Checks that involve several settings. */
const crossChecks = (entries: Entries): ConfigProblem[] => [
  ...addressingProblems(entries),
  ...passwordAgeProblems(entries),
  ...mfaProblems(entries),
  ...tlsProblems(entries),
  ...letsEncryptProblems(entries),
  ...platformProblems(entries),
    ...dnsProblems(entries),
  ...ssoProblems(entries),
]

function mfaProblems(entries: Entries): ConfigProblem[] {
  const lack = mfaLacks((key) => entries.get(key)?.value)
  return lack === undefined ? [] : [lackOf(lack, undefined)]
}

function tlsProblems(entries: Entries): ConfigProblem[] {
  const lack = tlsLacks((key) => entries.get(key)?.value)
  return lack === undefined ? [] : [lackOf(lack, entries.get(lack.for))]
}

function letsEncryptProblems(entries: Entries): ConfigProblem[] {
  const lack = letsEncryptLacks((key) => entries.get(key)?.value)
  return lack === undefined ? [] : [lackOf(lack, entries.get('letsEncrypt.enabled'))]
}

function dnsProblems(entries: Entries): ConfigProblem[] {
  const lack = dnsLacks((key) => entries.get(key)?.value)
  return lack === undefined ? [] : [lackOf(lack, entries.get('dns.active'))]
}

function platformProblems(entries: Entries): ConfigProblem[] {
  const lack = platformLacks((key) => entries.get(key)?.value)
  return lack === undefined ? [] : [lackOf(lack, entries.get('platform.etcd'))]
}

function ssoProblems(entries: Entries): ConfigProblem[] {
  const lack = ssoLacks((key) => entries.get(key)?.value)
  return lack === undefined ? [] : [lackOf(lack, entries.get('sso.enabled'))]
}

/** Returns the problem of a missing setting, at the place of the setting that requires it. */
function lackOf({ key, why }: { key: SettingKey; why: string }, needing: ConfigEntry | undefined): ConfigProblem {
  return { key, origin: needing?.origin ?? 'default', ...(needing === undefined ? {} : placeOf(needing)), message: why }
}

function addressingProblems(entries: Entries): ConfigProblem[] {
  const addressing = entries.get('dnsLess.isActive')
  if (addressing?.value !== false || entries.get('dns.domain')?.value !== null) return []
  const message = 'dnsLess.isActive = false addresses accounts by host name and needs dns.domain'
  return [{ key: 'dns.domain', origin: addressing.origin, ...placeOf(addressing), message }]
}

function passwordAgeProblems(entries: Entries): ConfigProblem[] {
  const min = entries.get('auth.passwordAgeMinDays')
  const max = Number(entries.get('auth.passwordAgeMaxDays')?.value)
  if (min === undefined || max === 0 || Number(min.value) < max) return []
  const message = `auth.passwordAgeMaxDays = ${max} expires passwords before they can be changed; it must be greater`
  return [{ key: 'auth.passwordAgeMinDays', origin: min.origin, ...placeOf(min), message }]
}

const placeOf = ({ place }: ConfigEntry): { place?: string } => (place === undefined ? {} : { place })

/** Replaces `{domain}` in the trusted apps; drops entries with `{domain}` when no domain is set. */
function substituteDomain(entries: Map<SettingKey, ConfigEntry>): void {
  const apps = entries.get('auth.trustedApps')
  const domain = entries.get('dns.domain')?.value
  if (apps === undefined || typeof apps.value !== 'string') return
  const value = apps.value
    .split(',')
    .map((app) => app.trim())
    .filter((app) => typeof domain === 'string' || !app.includes('{domain}'))
    .join(', ')
    .replaceAll('{domain}', String(domain))
  entries.set('auth.trustedApps', { ...apps, value })
}

function firstLine(error: unknown): string {
  return errorMessage(error).split('\n')[0] ?? ''
}
