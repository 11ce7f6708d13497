/**
 * What an access is among the elements of an account's state (model/element.ts): a hash over its record and its token.
 * Accesses that stay with their node have none.
 */
import { canonicalText } from '../model/canonicalText.js'
import { zeroDigest, textElement, xorInto, type DigestElement } from '../model/digestElement.js'
import type { Access, AccessDeletion } from '../model/access.js'
import { isNodeLocalAccess } from '../model/delegation.js'
import { Secret } from '../model/secret.js'

/** The canonical text of an access, or of a deleted one, with its token: what decides between versions at last. */
export const accessText = (access: Access | AccessDeletion, token: Secret<string>): Secret<string> =>
  new Secret(canonicalText([access, token.reveal()]))

/** The element of an access, or of the deletion of one; undefined for one that stays with its node. */
export function accessElement(access: Access | AccessDeletion, token: Secret<string>): DigestElement | undefined {
  return isNodeLocalAccess(access) ? undefined : textElement(`a${access.id}`, accessText(access, token).reveal())
}

/** By what the state changes when one access takes the place of another, or of none; undefined when it does not. */
export function accessDelta(...elements: readonly (DigestElement | undefined)[]): DigestElement | undefined {
  const present = elements.filter((element) => element !== undefined)
  if (present.length === 0) return undefined
  const delta = zeroDigest()
  for (const element of present) xorInto(delta, element)
  return delta
}
