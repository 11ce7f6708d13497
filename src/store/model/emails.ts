/**
 * E-mail addresses of an account and their operations (docs/interface/account.md#e-mail-addresses). Lists have the primary first,
 * then the secondary ones, oldest first. Functions return new lists.
 */
import { Failure } from './failure.js'

/** Method by which an address was verified: the first three are proofs, the others assertions. */
type VerificationMethod = 'email-link' | 'email-code' | 'operator' | 'registration' | 'legacy'

/** An e-mail address of an account. */
export interface EmailEntry {
  value: string
  primary: boolean
  status: 'pending' | 'verified'
  /** In seconds; null while pending, and for addresses without proof. */
  verifiedAt: number | null
  verificationMethod: VerificationMethod | null
  /** The mailed token: SHA-256 in hexadecimal and expiry time in seconds. */
  token?: { digest: string; expires: number }
}

/** Normalises an address for comparison: ignores case and surrounding blanks. */
export const normalEmail = (address: string): string => address.trim().toLowerCase()

/** Checks whether two texts are the same address. */
export const isSameAddress = (one: string, other: string): boolean => normalEmail(one) === normalEmail(other)

/** Creates the entry of an account's only address, while it never had another. */
export const initialEntry = (value: string): EmailEntry => ({
  value,
  primary: true,
  status: 'verified',
  verifiedAt: null,
  verificationMethod: 'registration',
})

/** Checks whether an address was proved to reach its owner. */
export const isVerified = ({ status, verificationMethod }: EmailEntry): boolean =>
  status === 'verified' && verificationMethod !== null && PROOFS.has(verificationMethod)

const PROOFS: ReadonlySet<VerificationMethod> = new Set(['email-link', 'email-code', 'operator'])

export const primaryOf = (list: readonly EmailEntry[]): EmailEntry | undefined => list.find(({ primary }) => primary)

export const entryOf = (list: readonly EmailEntry[], address: string): EmailEntry | undefined =>
  list.find(({ value }) => isSameAddress(value, address))

/** Returns an entry as clients see it: all five members, without the token. */
export function publicEntry({ value, primary, status, verifiedAt, verificationMethod }: EmailEntry): EmailEntry {
  return { value, primary, status, verifiedAt, verificationMethod }
}

/**
 * Adds a pending address to a list.
 * @throws Failure `invalid-operation`, with `email` for a duplicate, with `maxEmails` when the list is full
 */
export function withAddress(list: readonly EmailEntry[], address: string, max: number): EmailEntry[] {
  if (entryOf(list, address) !== undefined) throw refused(address, `${address} is already an address of this account.`)
  assertEmailCount(list.length + 1, max)
  return [
    ...list,
    { value: address, primary: false, status: 'pending', verifiedAt: null, verificationMethod: null },
  ]
}

/**
 * Checks the number of addresses.
 * @throws Failure `invalid-operation` with `maxEmails`
 */
export function assertEmailCount(count: number, max: number): void {
  if (count <= max) return
  throw new Failure('invalid-operation', `An account has at most ${max} e-mail addresses.`, { maxEmails: max })
}

/**
 * Makes another address of the list primary; the old one stays, verified.
 * @throws Failure `invalid-operation` with `email` unless it is in the list and verified
 */
export function withPrimary(list: readonly EmailEntry[], address: string): EmailEntry[] {
  const found = entryOf(list, address)
  if (found === undefined) throw refused(address, `${address} is not an address of this account.`)
  if (found.status !== 'verified') throw refused(address, `${address} is not verified.`)
  return promoted(list, found)
}

/**
 * Removes an address from the list.
 * @throws Failure `invalid-operation` with `email` when it is unknown, or the primary
 */
export function withoutAddress(list: readonly EmailEntry[], address: string): EmailEntry[] {
  const found = entryOf(list, address)
  if (found === undefined) throw refused(address, `${address} is not an address of this account.`)
  if (found.primary) throw refused(address, `${address} is the primary address: make another one primary first.`)
  return list.filter((entry) => entry !== found)
}

/** Marks an address of the list as verified and removes its token. */
export function withProof(
  list: readonly EmailEntry[],
  address: string,
  verificationMethod: 'email-link' | 'operator',
  verifiedAt: number,
): EmailEntry[] {
  return list.map((entry) =>
    isSameAddress(entry.value, address)
      ? { value: entry.value, primary: entry.primary, status: 'verified', verifiedAt, verificationMethod }
      : entry,
  )
}

/**
 * Sets the single address of an account, for clients that support only one: it becomes primary and counts as verified,
 * as an assertion unless it was proved before. Drops the oldest secondary address when the list is full.
 */
export function withSingular(list: readonly EmailEntry[], address: string, max: number): EmailEntry[] {
  const found = entryOf(list, address)
  if (found?.primary === true) return list.map((entry) => (entry === found ? { ...found, value: address } : entry))
  if (found?.status === 'verified') return promoted(list, found)
  const asserted: EmailEntry = { ...initialEntry(address), verificationMethod: 'legacy' }
  if (found !== undefined) return promoted(list, asserted)
  const grown = promoted(list, asserted)
  return grown.length <= max ? grown : grown.filter((_, at) => at !== 1)
}

/** Returns the list with a new or existing entry as primary. */
function promoted(list: readonly EmailEntry[], entry: EmailEntry): EmailEntry[] {
  const old = primaryOf(list)
  if (old === entry) return [...list]
  const others = list.filter((other) => other !== old && !isSameAddress(other.value, entry.value))
  return [{ ...entry, primary: true }, ...others, ...(old === undefined ? [] : [{ ...old, primary: false }])]
}

const refused = (email: string, message: string): Failure => new Failure('invalid-operation', message, { email })
