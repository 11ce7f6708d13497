/**
 * Record of an access: the stored form with its token sealed, its digest element (model/digestElement.ts) and the journal
 * fields of its changes. The element is a hash over record and token; node-local accesses have none.
 */
import type { Journaled } from '../engine/account.js'
import type { JournalDetail } from '../engine/journal.js'
import type { Seal } from '../keyring/seal.js'
import type { Access, AccessDeletion } from '../model/access.js'
import { canonicalText } from '../model/canonicalText.js'
import { isNodeLocalAccess } from '../model/delegation.js'
import { textElement, xorInto, zeroDigest, type DigestElement } from '../model/digestElement.js'
import { Secret } from '../model/secret.js'

/** Stored record of an access. */
export type StoredAccess<A> = A & { sealedToken: string }

/** An access with its token. */
export interface LiveAccess<A extends Access = Access> {
  access: A
  token: Secret<string>
}

/** Returns the context that binds a sealed token to its account and access. */
export const tokenContext = (account: string, id: string): string => `${account}/${id}`

/** Encodes an access as its stored text. */
export const recordOf = <A extends Access>({ access, token }: LiveAccess<A>, seal: Seal, account: string): string => {
  const stored: StoredAccess<A> = { ...access, sealedToken: seal.seal(token.reveal(), tokenContext(account, access.id)) }
  return JSON.stringify(stored)
}

/**
 * Decodes the stored text of an access.
 * @throws Error when the token was sealed with another key or for another access
 */
export function readRecord<A extends Access = Access>(text: string, seal: Seal, account: string): LiveAccess<A> {
  const { sealedToken, ...access } = JSON.parse(text) as StoredAccess<A>
  // Without the sealed token, a stored access is an access.
  const own = access as unknown as A
  return { access: own, token: new Secret(seal.open(sealedToken, tokenContext(account, own.id))) }
}

/** Returns the digest element of an access with its token; undefined for node-local ones. */
export const elementOf = ({ access, token }: LiveAccess): DigestElement | undefined => accessElement(access, token)

/** Returns the optional journal fields of an access change. */
export const journaled = (about: JournalDetail['access'], change: DigestElement | undefined, origin: number | undefined): Journaled => ({
  ...(about === undefined ? {} : { about: { access: about } }),
  ...(change === undefined ? {} : { change }),
  ...(origin === undefined ? {} : { origin }),
})

/** Returns the canonical text of an access or access deletion with its token, the last tie-breaker between versions. */
export const accessText = (access: Access | AccessDeletion, token: Secret<string>): Secret<string> =>
  new Secret(canonicalText([access, token.reveal()]))

/** Returns the digest element of an access or access deletion; undefined for node-local accesses. */
export function accessElement(access: Access | AccessDeletion, token: Secret<string>): DigestElement | undefined {
  return isNodeLocalAccess(access) ? undefined : textElement(`a${access.id}`, accessText(access, token).reveal())
}

/** Returns the digest change when one access replaces another or is added; undefined when the digest stays the same. */
export function accessDelta(...elements: readonly (DigestElement | undefined)[]): DigestElement | undefined {
  const present = elements.filter((element) => element !== undefined)
  if (present.length === 0) return undefined
  const delta = zeroDigest()
  for (const element of present) xorInto(delta, element)
  return delta
}
