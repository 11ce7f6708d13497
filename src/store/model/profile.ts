/** Profile sets: free keys that an account keeps for everyone, for its owner, or for one app (specification, "Profile sets"). */
import type { ClientData, Seconds } from './event.js'

/** A profile set as it is stored. */
export interface Profile {
  /** `public`, `private`, or `app:<escaped name>`; see `appProfileId`. */
  id: string
  keys: ClientData
  modified: Seconds
}

/**
 * The id of an app's profile set. Names may hold anything: what is not a letter, a digit or one of `_ . -` becomes `%`
 * and the four hexadecimal digits of its code unit, so that different names have different ids.
 */
export const appProfileId = (name: string): string =>
  'app:' + name.replace(/[^A-Za-z0-9_.-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Whether a text is the id of a profile set. */
export const isProfileId = (id: string): boolean => /^(public|private|app:([A-Za-z0-9_.-]|%[0-9a-f]{4})*)$/.test(id)

/** Apps of these names would be taken for the sets of the owner: they have no profile set. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['public', 'private'])

export const hasAppProfile = (name: string): boolean => !RESERVED_NAMES.has(name)

/** Names in the private set that belong to the second factor and the password: clients do not set them. */
const PROTECTED_KEYS: ReadonlySet<string> = new Set(['mfa', 'mfaThrottle', 'passwordThrottle'])

/** The keys of an update that clients must not touch. */
export const protectedIn = (keys: ClientData): string[] => Object.keys(keys).filter((key) => PROTECTED_KEYS.has(key))

/** The private set as its owner sees it. */
export const withoutProtected = (keys: ClientData): ClientData =>
  Object.fromEntries(Object.entries(keys).filter(([key]) => !PROTECTED_KEYS.has(key)))
