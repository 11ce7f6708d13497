/**
 * The e-mail addresses of an account and what may be done to them (accounts supplement 8). Lists have the primary first,
 * then the others in the order in which they became secondary: the oldest first. Functions answer new lists.
 */
import { Failure } from './failure.js'

/** How an address came to be: the first three are proofs, the others assertions. */
export type VerificationMethod = 'email-link' | 'email-code' | 'operator' | 'registration' | 'legacy'

/** An e-mail address of an account. */
export interface EmailEntry {
  value: string
  primary: boolean
  status: 'pending' | 'verified'
  /** In seconds; null while pending, and for addresses that nobody proved. */
  verifiedAt: number | null
  verificationMethod: VerificationMethod | null
  /** The mailed token: its SHA-256 in hexadecimal, and when it ends, in seconds. */
  token?: { digest: string; expires: number }
}

/** An e-mail address as addresses are compared: letter case and blanks around it make no other one. */
export const normalEmail = (address: string): string => address.trim().toLowerCase()

/** Whether two texts are the same address. */
export const isSameAddress = (one: string, other: string): boolean => normalEmail(one) === normalEmail(other)

/** The entry of an account's only address, as long as the account never had another. */
export const initialEntry = (value: string): EmailEntry => ({
  value,
  primary: true,
  status: 'verified',
  verifiedAt: null,
  verificationMethod: 'registration',
})

/** Whether somebody proved that an address reaches its owner, rather than said so. */
export const isVerified = ({ status, verificationMethod }: EmailEntry): boolean =>
  status === 'verified' && verificationMethod !== null && PROOFS.has(verificationMethod)

const PROOFS: ReadonlySet<VerificationMethod> = new Set(['email-link', 'email-code', 'operator'])

export const primaryOf = (list: readonly EmailEntry[]): EmailEntry | undefined => list.find(({ primary }) => primary)

export const entryOf = (list: readonly EmailEntry[], address: string): EmailEntry | undefined =>
  list.find(({ value }) => isSameAddress(value, address))

/** An entry as clients see it: all five members, and never the token. */
export function publicEntry({ value, primary, status, verifiedAt, verificationMethod }: EmailEntry): EmailEntry {
  return { value, primary, status, verifiedAt, verificationMethod }
}

/**
 * The list with one more address, pending.
 * @throws Failure `invalid-operation`, with `email` when the list has it already, `maxEmails` when there is no room
 */
export function withAddress(list: readonly EmailEntry[], address: string, max: number): EmailEntry[] {
  if (entryOf(list, address) !== undefined) throw refused(address, `${address} is an address of this account already.`)
  assertEmailCount(list.length + 1, max)
  return [
    ...list,
    { value: address, primary: false, status: 'pending', verifiedAt: null, verificationMethod: null },
  ]
}

/** @throws Failure `invalid-operation` with `maxEmails` */
export function assertEmailCount(count: number, max: number): void {
  if (count <= max) return
  throw new Failure('invalid-operation', `An account has at most ${max} e-mail addresses.`, { maxEmails: max })
}

/**
 * The list with another of its addresses as primary; the old one stays, verified.
 * @throws Failure `invalid-operation` with `email` unless it is on the list and verified
 */
export function withPrimary(list: readonly EmailEntry[], address: string): EmailEntry[] {
  const found = entryOf(list, address)
  if (found === undefined) throw refused(address, `${address} is no address of this account.`)
  if (found.status !== 'verified') throw refused(address, `${address} is not verified.`)
  return promoted(list, found)
}

/**
 * The list without an address.
 * @throws Failure `invalid-operation` with `email` when it is unknown, or the primary
 */
export function withoutAddress(list: readonly EmailEntry[], address: string): EmailEntry[] {
  const found = entryOf(list, address)
  if (found === undefined) throw refused(address, `${address} is no address of this account.`)
  if (found.primary) throw refused(address, `${address} is the primary address: make another one primary first.`)
  return list.filter((entry) => entry !== found)
}

/** The list with an address proved; its token has done its duty. The address is on the list. */
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
 * The list after the singular address of the account was set, as clients do that know only one: it becomes primary and
 * counts as verified, on the word of who set it unless it was proved before. When the list has no room for it, the
 * oldest secondary address makes room.
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

/** The list with an entry as primary, be it new or one that is taken from its place. */
function promoted(list: readonly EmailEntry[], entry: EmailEntry): EmailEntry[] {
  const old = primaryOf(list)
  if (old === entry) return [...list]
  const others = list.filter((other) => other !== old && !isSameAddress(other.value, entry.value))
  return [{ ...entry, primary: true }, ...others, ...(old === undefined ? [] : [{ ...old, primary: false }])]
}

const refused = (email: string, message: string): Failure => new Failure('invalid-operation', message, { email })
