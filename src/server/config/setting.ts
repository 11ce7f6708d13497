/** Definition of a setting, and the kinds of values that settings have. */
import { isIP } from 'node:net'
import * as z from 'zod'
import { isScriptAddress } from '../../store/model/urlScheme.js'

/** A kind of value: its text syntax, its description and its schema. */
export interface Kind<T> {
  /** `text` is taken literally; `list` is a literal or comma-separated words; `literal` is JSON or TOML. */
  reads: 'text' | 'list' | 'literal'
  /** The expected form, for messages and manual pages: "a whole number from 0 to 65535". */
  form: string
  /** Creates the schema when a value is checked. Few settings have one; the schemas of all would be a tenth of those of a start. */
  schema(): z.ZodType<T>
}

export interface Setting<T> {
  kind: Kind<unknown>
  /** `null` stands for "not set" where that is allowed. */
  default: T
  /** One line for lists, manual pages and messages. */
  summary: string
  /** True when the value is hidden unless requested by name. */
  secret?: true
}

interface SettingDetails<T> {
  default: T
  summary: string
  secret?: true
}

/** Defines a setting; a default of `null` makes it optional. */
export function setting<T>(kind: Kind<T>, details: SettingDetails<null>): Setting<T | null>
export function setting<T>(kind: Kind<T>, details: SettingDetails<NoInfer<T>>): Setting<T>
export function setting<T>(kind: Kind<T>, details: SettingDetails<T | null>): Setting<T | null> {
  return { kind, ...details }
}

/** Any text. */
export function text(form = 'a text'): Kind<string> {
  return { reads: 'text', form, schema: () => z.string() }
}

/** Text that apps show as a link if it is an address; rejects addresses that run scripts. */
export function linkText(form: string): Kind<string> {
  return { reads: 'text', form, schema: () => z.string().refine((value) => !isScriptAddress(value)) }
}

/** Text that matches `pattern`. */
export function textLike(pattern: RegExp, form: string): Kind<string> {
  return { reads: 'text', form, schema: () => z.string().regex(pattern) }
}

/** One of several words. */
export function oneOf<const W extends string>(...words: W[]): Kind<W> {
  return { reads: 'text', form: `one of ${words.join(', ')}`, schema: () => z.enum(words) }
}

export const yesOrNo: Kind<boolean> = { reads: 'literal', form: 'true or false', schema: () => z.boolean() }

/** An integer within bounds; `unit` only appears in the description. */
export function whole(from: number, to: number = Number.MAX_SAFE_INTEGER, unit = ''): Kind<number> {
  const range = to === Number.MAX_SAFE_INTEGER ? `, ${from} or more` : ` from ${from} to ${to}`
  return { reads: 'literal', form: `a whole number${unit}${range}`, schema: () => z.number().int().min(from).max(to) }
}

/** A positive number. */
export function positive(unit: string): Kind<number> {
  return { reads: 'literal', form: `a number${unit} above 0`, schema: () => z.number().positive() }
}

/** A list of texts that each match the schema that `item` creates. */
export function listOf<T extends string>(item: () => z.ZodType<T>, form: string): Kind<T[]> {
  return { reads: 'list', form, schema: () => z.array(item()) }
}

/** An object that matches `schema`. */
export const objectOf = <T>(form: string, schema: () => z.ZodType<T>): Kind<T> => ({ reads: 'literal', form, schema })

/** An address to listen on. */
export const listenAddress: Kind<string> = {
  reads: 'text',
  form: 'an IP address of this machine, or localhost',
  schema: () => z.string().refine((value) => value === 'localhost' || isIP(value) !== 0),
}

/** An http(s) address without query or fragment. */
export const webAddress: Kind<string> = {
  reads: 'text',
  form: 'an http:// or https:// address',
  schema: () => z.string().refine(isWebAddress),
}

/** The http(s) address of a page, to which parameters can be added. */
export const pageAddress: Kind<string> = {
  reads: 'text',
  form: 'an http:// or https:// address without a fragment',
  schema: () => z.string().refine((value) => isWebAddress(value.replace(/\?[^#]*/, ''))),
}

/** A generated key; rejects placeholders of sample files (docs/interface/limits.md#settings). */
export const secretKey: Kind<string> = {
  reads: 'text',
  form: 'a secret text, not a placeholder',
  schema: () => z.string().refine((value) => value.trim() !== '' && !/^(REPLACE|OVERRIDE ME)|\$\{.*\}/i.test(value)),
}

/**
 * Proxies whose forwarding headers are trusted; rejects networks that cover all addresses (docs/interface/limits.md#settings).
 */
export const proxyList: Kind<string[]> = listOf(
  () => z.string().refine((value) => value === 'loopback' || isNetwork(value)),
  'a list of IP addresses, networks (10.0.0.0/8) and the word loopback, but not a network that covers all addresses',
)

function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.search === '' && url.hash === ''
}

function isNetwork(value: string): boolean {
  const [address = '', prefix, more] = value.split('/')
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (version === 4 ? 32 : 128)
}
