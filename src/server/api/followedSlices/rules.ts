/** Shared schemas and checks of the followed slice methods (docs/interface/followed-slices.md#rules). */
import * as z from 'zod'
import type { Transaction } from '../../../store/engine/account.js'
import { findSlice, sliceOfAccess, sliceOfName } from '../../../store/accounts/followedSlices.js'
import { Failure } from '../../../store/model/failure.js'
import type { FollowedSlice } from '../../../store/model/followedSlice.js'
import type { Seal } from '../../../store/keyring/seal.js'

export const SliceView = z.object({
  id: z.string().describe('Id of the slice.'),
  name: z.string().describe('Name.'),
  url: z.string().describe('Address of the other account.'),
  accessToken: z.string().describe('Token of an access of the other account.'),
})

/**
 * Returns the slice with an id.
 * @throws Failure `unknown-resource`
 */
export function sliceAt(t: Transaction, seal: Seal, id: string): FollowedSlice {
  const slice = findSlice(t, seal, t.account, id)
  if (slice === undefined) throw new Failure('unknown-resource', `Unknown followed slice "${id}".`)
  return slice
}

/** Throws Failure `item-already-exists` for a name that another slice has. */
export function assertNameFree(t: Transaction, seal: Seal, id: string, name: string): void {
  const holder = sliceOfName(t, seal, t.account, name)
  if (holder === undefined || holder === id) return
  throw new Failure('item-already-exists', `A followed slice "${name}" already exists.`, { name })
}

/** Throws Failure `item-already-exists` for an access that another slice refers to. */
export function assertAccessFree(t: Transaction, seal: Seal, { url, accessToken }: FollowedSlice): void {
  if (sliceOfAccess(t, seal, t.account, { url, accessToken }) === undefined) return
  throw new Failure('item-already-exists', 'This access is already followed.', { url, accessToken })
}
