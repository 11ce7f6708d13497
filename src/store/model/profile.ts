/** Profile sets: free key-value maps of an account, public, private or per app (docs/interface/profile.md#sets). */
import type { ClientData, Seconds } from './event.js'

/** A stored profile set. */
export interface Profile {
  /** `public`, `private`, or `app:<escaped name>`; see `appProfileId`. */
  id: string
  keys: ClientData
  modified: Seconds
}

/**
 * Returns the id of an app's profile set. Characters other than letters, digits and `_ . -` become `%` and the four
 * hexadecimal digits of their code unit, so that ids are unique per name.
 */
export const appProfileId = (name: string): string =>
  'app:' + name.replace(/[^A-Za-z0-9_.-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Checks whether a text is the id of a profile set. */
export const isProfileId = (id: string): boolean => /^(public|private|app:([A-Za-z0-9_.-]|%[0-9a-f]{4})*)$/.test(id)

/** Apps with these names have no profile set: they would collide with the sets of the owner. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['public', 'private'])

export const hasAppProfile = (name: string): boolean => !RESERVED_NAMES.has(name)

/** Keys of the private set for the second factor and the password; clients cannot set them. */
const PROTECTED_KEYS: ReadonlySet<string> = new Set(['mfa', 'mfaThrottle', 'passwordThrottle'])

/** Lists the keys of an update that clients must not set. */
export const protectedIn = (keys: ClientData): string[] => Object.keys(keys).filter((key) => PROTECTED_KEYS.has(key))

/** Returns the private set as its owner sees it. */
export const withoutProtected = (keys: ClientData): ClientData =>
  Object.fromEntries(Object.entries(keys).filter(([key]) => !PROTECTED_KEYS.has(key)))
