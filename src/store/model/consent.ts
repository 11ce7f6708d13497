/**
 * Consent forms: what a person may choose of what is asked for, and whether what was granted fits (accounts supplement
 * 12.3; consent supplement 2). Pure: the same rule decides for the node's page, for other pages and at the terminal.
 */
import type { Permission } from './access.js'
import type { RequestedPermission } from './accessRequest.js'
import { Failure } from './failure.js'
import { lesser } from './grant.js'
import { compileScope, levelOn, type Scope } from './permission.js'
import type { Tree } from './tree.js'

/** A requested permission with what the form says of it. */
export type ConsentEntry = RequestedPermission & { mandatory?: true; optIn?: true }

/** The sidecar `consent` of a request, resolved: every requested permission in its order, with its annotations. */
export interface ConsentForm {
  allowUserChoice: boolean
  permissions: readonly ConsentEntry[]
}

const refused = (message: string): Failure => new Failure('invalid-parameters', message, { param: 'consent' })

/**
 * Resolves the sidecar `consent`. Without choice its lists mean nothing: of their ids only those of a single entry are echoed.
 * @throws Failure `invalid-parameters`
 */
export function resolveConsent(input: unknown, permissions: readonly RequestedPermission[]): ConsentForm {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw refused('consent is no object.')
  const { allowUserChoice = false, mandatory, optIn }: Record<string, unknown> = { ...input }
  if (typeof allowUserChoice !== 'boolean') throw refused('consent.allowUserChoice is true or false.')
  const locked = idsOf('mandatory', mandatory, permissions, allowUserChoice)
  const unticked = idsOf('optIn', optIn, permissions, allowUserChoice)
  const both = [...locked].find((id) => unticked.has(id))
  if (both !== undefined && !allowUserChoice) unticked.clear()
  else if (both !== undefined) throw refused(`consent: "${both}" is both in mandatory and in optIn.`)
  return {
    allowUserChoice,
    permissions: permissions.map((entry): ConsentEntry => {
      const { mandatory: _m, optIn: _o, ...plain }: Record<string, unknown> = { ...entry }
      const id = consentIdOf(entry)
      if (id === undefined) return plain
      return { ...plain, ...(locked.has(id) ? { mandatory: true } : {}), ...(unticked.has(id) ? { optIn: true } : {}) }
    }),
  }
}

/** What the lists of the sidecar call an entry: its stream or its feature. */
function consentIdOf({ streamId, feature }: RequestedPermission): string | undefined {
  if (typeof feature === 'string') return feature
  if (streamId === null) return '*'
  return typeof streamId === 'string' ? streamId : undefined
}

/** The ids of a list that name one permission; others are refused if the list counts. */
function idsOf(list: string, given: unknown, permissions: readonly RequestedPermission[], counts: boolean): Set<string> {
  if (given === undefined) return new Set()
  if (!Array.isArray(given)) throw refused(`consent.${list} is no list.`)
  const ids = new Set<string>()
  for (const id of given as unknown[]) {
    if (typeof id !== 'string') throw refused(`consent.${list} holds something that is no text.`)
    const matching = permissions.filter((entry) => consentIdOf(entry) === id)
    if (!counts && matching.length !== 1) continue
    if (matching.length === 0) throw refused(`consent.${list}: "${id}" is none of the requested permissions.`)
    if (matching.length > 1) throw refused(`consent.${list}: "${id}" means several of the requested permissions.`)
    ids.add(id)
  }
  return ids
}

/** Why a grant does not fit its form; the reasons of `invalid-consent-grant`. */
export type GrantReason =
  | 'token-invalid'
  | 'not-app-access'
  | 'empty-grant'
  | 'not-subset'
  | 'choice-not-allowed'
  | 'mandatory-refused'

export interface GrantRefusal {
  reason: GrantReason
  /** Permissions that should not be granted, or that are missing. */
  offending?: Permission[]
}

/** One permission of an offer, with whether it must be granted. */
export interface Offered {
  permission: Permission
  isMandatory: boolean
}

/** What makes two permissions the same (consent supplement 2): a lower level is another permission, not a narrower one. */
export function identityOf(permission: Permission): string {
  if ('streamId' in permission) return JSON.stringify(['stream', permission.streamId, permission.level])
  if ('tag' in permission) return JSON.stringify(['tag', permission.tag, permission.level])
  return JSON.stringify(['feature', permission.feature, permission.setting, permission.streams])
}

/**
 * Whether `granted` fits what was offered. `tree` is that of the account: leaving out an entry on a stream may open more
 * of it by an entry on a stream above, which is refused like a permission that was not asked for.
 */
export function checkGrant(
  granted: readonly Permission[],
  offered: readonly Offered[],
  allowUserChoice: boolean,
  tree: Tree,
): GrantRefusal | undefined {
  return checkChoice(granted, offered, allowUserChoice) ?? checkWidening(granted, offered, tree)
}

/** The part of `checkGrant` that can be told before it is known in whose account. */
export function checkChoice(
  granted: readonly Permission[],
  offered: readonly Offered[],
  allowUserChoice: boolean,
): GrantRefusal | undefined {
  if (granted.length === 0) return { reason: 'empty-grant' }
  const input = new Set(offered.map(({ permission }) => identityOf(permission)))
  const given = new Set(granted.map(identityOf))
  const foreign = distinct(granted.filter((permission) => !input.has(identityOf(permission))))
  if (foreign.length > 0) return { reason: 'not-subset', offending: foreign }
  const missing = offered.filter(({ permission }) => !given.has(identityOf(permission)))
  if (!allowUserChoice && missing.length > 0) {
    return { reason: 'choice-not-allowed', offending: distinct(missing.map(({ permission }) => permission)) }
  }
  const mandatory = missing.filter(({ isMandatory }) => isMandatory)
  if (mandatory.length > 0) {
    return { reason: 'mandatory-refused', offending: distinct(mandatory.map(({ permission }) => permission)) }
  }
  return undefined
}

/** The part of `checkGrant` that depends on the streams of the account. */
export function checkWidening(granted: readonly Permission[], offered: readonly Offered[], tree: Tree): GrantRefusal | undefined {
  const widened = widenedBy(granted, offered, tree)
  return widened.length === 0 ? undefined : { reason: 'not-subset', offending: distinct(widened) }
}

function distinct(permissions: readonly Permission[]): Permission[] {
  return [...new Map(permissions.map((permission) => [identityOf(permission), permission])).values()]
}

const scopeOf = (permissions: readonly Permission[]): Scope =>
  compileScope({ id: '', type: 'app', permissions: [...permissions] }, false)

/** The offered permissions on whose streams the grant lets do more than the whole offer would. */
function widenedBy(granted: readonly Permission[], offered: readonly Offered[], tree: Tree): Permission[] {
  const whole = scopeOf(offered.map(({ permission }) => permission))
  const chosen = scopeOf(granted)
  return offered.flatMap(({ permission }) => {
    if (!('streamId' in permission)) return []
    const max = levelOn(whole, permission.streamId, tree)
    const has = levelOn(chosen, permission.streamId, tree)
    return has === undefined || (max !== undefined && lesser(max, has) === has) ? [] : [permission]
  })
}
