/** Checks followed slices and their claims. */
import { claimsOf, textToSlice } from '../accounts/followedSlices.js'
import { accountKeys } from '../engine/keys.js'
import type { FollowedSlice } from '../model/followedSlice.js'
import type { Seal } from '../keyring/seal.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const sliceAt = (account: string, id: string): string => `account ${account}, followed slice ${id}`

/** Checks a slice, `<id>`: with a seal, its token can be decrypted and its claims refer to it. */
export function expectedSliceEntries({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('followed slices')
  const { account, rest: id } = entry
  const where = sliceAt(account, id)
  const text = textOf(entry)
  if (objectIn(text)?.['id'] !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  if (seal === undefined) return []
  const slice = openedBy(seal, account, text)
  if (slice === undefined) {
    findings.report(where, 'has a token that this node key cannot decrypt')
    return []
  }
  return claimsOf(seal, account, slice).map((key) => holding(key, id, where, 'claim of its name or access'))
}

function openedBy(seal: Seal, account: string, text: string): FollowedSlice | undefined {
  try {
    return textToSlice(seal, account, text)
  } catch {
    return undefined
  }
}

/** Expects the slice of a claim, `<digest>`, to have the claimed value. */
export function expectedSliceClaimEntries({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('slice claims')
  const { account, rest } = entry
  const id = textOf(entry)
  const isStale = (text: string): boolean => {
    if (seal === undefined) return false
    const slice = openedBy(seal, account, text)
    return slice !== undefined && !claimsOf(seal, account, slice).includes(accountKeys.sliceClaim(account, rest))
  }
  const wrong = (text: string | undefined): string | undefined =>
    text === undefined || isStale(text) ? 'has a stale claim of a name or access' : undefined
  return [{ key: accountKeys.slice(account, id), where: sliceAt(account, id), wrong }]
}
