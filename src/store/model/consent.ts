/**
 * Consent forms: resolves the user's choices and checks grants against the offer (docs/interface/access-requests.md#consent-form,
 * docs/interface/consents.md#grants). Pure, so the node's pages, other pages and the terminal apply the same rules.
 */
import type { Permission, RequestedPermission } from './access.js'
import { Failure } from './failure.js'
import { lesser } from './grant.js'
import { isJsonObject } from './json.js'
import { compileScope, levelOn, type Scope } from './permission.js'
import type { Tree } from './tree.js'

/** A requested permission with its annotations from the form. */
export type ConsentEntry = RequestedPermission & { mandatory?: true; optIn?: true }

/** The resolved `consent` parameter of a request: all requested permissions in order, annotated. */
export interface ConsentForm {
  allowUserChoice: boolean
  permissions: readonly ConsentEntry[]
}

const refused = (message: string): Failure => new Failure('invalid-parameters', message, { param: 'consent' })

/**
 * Resolves the `consent` parameter. Without user choice the lists have no effect: only ids matching one entry are echoed.
 * @throws Failure `invalid-parameters`
 */
export function resolveConsent(input: unknown, permissions: readonly RequestedPermission[]): ConsentForm {
  if (!isJsonObject(input)) throw refused('consent must be an object.')
  const { allowUserChoice = false, mandatory, optIn } = input
  if (typeof allowUserChoice !== 'boolean') throw refused('consent.allowUserChoice must be true or false.')
  const locked = idsOf('mandatory', mandatory, permissions, allowUserChoice)
  const unticked = idsOf('optIn', optIn, permissions, allowUserChoice)
  const both = [...locked].find((id) => unticked.has(id))
  if (both !== undefined && !allowUserChoice) unticked.clear()
  else if (both !== undefined) throw refused(`consent: "${both}" is in both mandatory and optIn.`)
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

/** Returns the id of an entry in the lists: its stream or its feature. */
function consentIdOf({ streamId, feature }: RequestedPermission): string | undefined {
  if (typeof feature === 'string') return feature
  if (streamId === null) return '*'
  return typeof streamId === 'string' ? streamId : undefined
}

/** Returns the ids in a list that match exactly one permission; throws for other ids if `counts` is true. */
function idsOf(list: string, given: unknown, permissions: readonly RequestedPermission[], counts: boolean): Set<string> {
  if (given === undefined) return new Set()
  if (!Array.isArray(given)) throw refused(`consent.${list} must be an array.`)
  const ids = new Set<string>()
  for (const id of given as unknown[]) {
    if (typeof id !== 'string') throw refused(`consent.${list} must contain only strings.`)
    const matching = permissions.filter((entry) => consentIdOf(entry) === id)
    if (!counts && matching.length !== 1) continue
    if (matching.length === 0) throw refused(`consent.${list}: "${id}" is not a requested permission.`)
    if (matching.length > 1) throw refused(`consent.${list}: "${id}" matches several requested permissions.`)
    ids.add(id)
  }
  return ids
}

/** Reasons of `invalid-consent-grant`. */
export type GrantReason =
  | 'token-invalid'
  | 'not-app-access'
  | 'empty-grant'
  | 'not-subset'
  | 'choice-not-allowed'
  | 'mandatory-refused'

export interface GrantRefusal {
  reason: GrantReason
  /** Permissions that must not be granted, or that are missing. */
  offending?: Permission[]
}

/** An offered permission; `isMandatory` when it must be granted. */
export interface OfferedPermission {
  permission: Permission
  isMandatory: boolean
}

/**
 * Returns the identity of a permission (docs/interface/consents.md#grants): a lower level is a different permission, not a
 * narrower one.
 */
export function identityOf(permission: Permission): string {
  if ('streamId' in permission) return JSON.stringify(['stream', permission.streamId, permission.level])
  if ('tag' in permission) return JSON.stringify(['tag', permission.tag, permission.level])
  return JSON.stringify(['feature', permission.feature, permission.setting, permission.streams])
}

/**
 * Checks a grant against the offer; returns the refusal or undefined. `tree` is the account's: omitting an entry on a stream
 * may widen access to it through an entry on a parent stream, which is refused as `not-subset`.
 */
export function checkGrant(
  granted: readonly Permission[],
  offered: readonly OfferedPermission[],
  allowUserChoice: boolean,
  tree: Tree,
): GrantRefusal | undefined {
  return checkChoice(granted, offered, allowUserChoice) ?? checkWidening(granted, offered, tree)
}

/** Runs the part of `checkGrant` that does not depend on the account. */
export function checkChoice(
  granted: readonly Permission[],
  offered: readonly OfferedPermission[],
  allowUserChoice: boolean,
): GrantRefusal | undefined {
  if (granted.length === 0) return { reason: 'empty-grant' }
  const requested = new Set(offered.map(({ permission }) => identityOf(permission)))
  const given = new Set(granted.map(identityOf))
  const foreign = distinct(granted.filter((permission) => !requested.has(identityOf(permission))))
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

/** Runs the part of `checkGrant` that depends on the account's streams. */
export function checkWidening(granted: readonly Permission[], offered: readonly OfferedPermission[], tree: Tree): GrantRefusal | undefined {
  const widened = widenedBy(granted, offered, tree)
  return widened.length === 0 ? undefined : { reason: 'not-subset', offending: distinct(widened) }
}

function distinct(permissions: readonly Permission[]): Permission[] {
  return [...new Map(permissions.map((permission) => [identityOf(permission), permission])).values()]
}

const scopeOf = (permissions: readonly Permission[]): Scope =>
  compileScope({ id: '', type: 'app', permissions: [...permissions] }, false)

/** Lists the offered permissions on whose streams the grant allows more than the whole offer. */
function widenedBy(granted: readonly Permission[], offered: readonly OfferedPermission[], tree: Tree): Permission[] {
  const whole = scopeOf(offered.map(({ permission }) => permission))
  const chosen = scopeOf(granted)
  return offered.flatMap(({ permission }) => {
    if (!('streamId' in permission)) return []
    const max = levelOn(whole, permission.streamId, tree)
    const has = levelOn(chosen, permission.streamId, tree)
    return has === undefined || (max !== undefined && lesser(max, has) === has) ? [] : [permission]
  })
}
