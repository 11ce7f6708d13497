/** Digest element of an access (model/digestElement.ts): a hash over its record and its token. Node-local accesses have none. */
import { canonicalText } from '../model/canonicalText.js'
import { zeroDigest, textElement, xorInto, type DigestElement } from '../model/digestElement.js'
import type { Access, AccessDeletion } from '../model/access.js'
import { isNodeLocalAccess } from '../model/delegation.js'
import { Secret } from '../model/secret.js'

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
