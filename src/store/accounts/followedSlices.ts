/**
 * Storage of followed slices: a record with a sealed access token, and two unique claims, on the name and on address
 * and token together. Claims are keyed digests, which reveal no token and differ between accounts.
 */
import type { Account, Transaction } from '../engine/account.js'
import { each } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'
import type { FollowedSlice } from '../model/followedSlice.js'
import type { Seal } from '../keyring/seal.js'

interface StoredSlice extends Omit<FollowedSlice, 'accessToken'> {
  sealedToken: string
}

const nameClaim = (seal: Seal, account: string, { name }: Pick<FollowedSlice, 'name'>): string =>
  accountKeys.sliceClaim(account, `n${seal.digest(JSON.stringify([account, name]))}`)

const accessClaim = (seal: Seal, account: string, slice: Pick<FollowedSlice, 'url' | 'accessToken'>): string =>
  accountKeys.sliceClaim(account, `u${seal.digest(JSON.stringify([account, slice.url, slice.accessToken]))}`)

/** Returns the keys of a slice's unique claims. */
export const claimsOf = (seal: Seal, account: string, slice: FollowedSlice): string[] => [
  nameClaim(seal, account, slice),
  accessClaim(seal, account, slice),
]

/** Returns the id of the slice that has a name. */
export const sliceOfName = (reader: RecordReader, seal: Seal, account: string, name: string): string | undefined =>
  reader.get(nameClaim(seal, account, { name }))

/** Returns the id of the slice with an address and a token. */
export const sliceOfAccess = (
  reader: RecordReader,
  seal: Seal,
  account: string,
  access: Pick<FollowedSlice, 'url' | 'accessToken'>,
): string | undefined => reader.get(accessClaim(seal, account, access))

/**
 * Decodes a record.
 * @throws Error when its token was sealed elsewhere
 */
export function textToSlice(seal: Seal, account: string, text: string): FollowedSlice {
  const { sealedToken, ...slice } = JSON.parse(text) as StoredSlice
  // Sealed as JSON, since a token may contain text that UTF-8 cannot represent.
  return { ...slice, accessToken: JSON.parse(seal.open(sealedToken, accountKeys.slice(account, slice.id))) as string }
}

function sliceToText(seal: Seal, account: string, { accessToken, ...slice }: FollowedSlice): string {
  const sealedToken = seal.seal(JSON.stringify(accessToken), accountKeys.slice(account, slice.id))
  return JSON.stringify({ ...slice, sealedToken } satisfies StoredSlice)
}

/** Returns a followed slice by id. */
export function findSlice(reader: RecordReader, seal: Seal, account: string, id: string): FollowedSlice | undefined {
  const text = reader.get(accountKeys.slice(account, id))
  return text === undefined ? undefined : textToSlice(seal, account, text)
}

/** Returns all followed slices of an account, by name. */
export async function listSlices({ db, prefix }: Account, seal: Seal): Promise<FollowedSlice[]> {
  const slices = []
  for await (const text of each(db.values(under(accountKeys.slices(prefix))))) {
    slices.push(textToSlice(seal, prefix, text))
  }
  return slices.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Adds a slice, or replaces `former`. The caller has checked in this transaction that its claims are free. */
export function putSlice(t: Transaction, seal: Seal, slice: FollowedSlice, former?: FollowedSlice): void {
  if (former !== undefined) for (const claim of claimsOf(seal, t.account, former)) t.delete(claim)
  for (const claim of claimsOf(seal, t.account, slice)) t.put(claim, slice.id)
  t.put(accountKeys.slice(t.account, slice.id), sliceToText(seal, t.account, slice))
  t.journal('slice', former === undefined ? 'create' : 'update', slice.id)
}

/** Removes a slice. */
export function removeSlice(t: Transaction, seal: Seal, slice: FollowedSlice): void {
  for (const claim of claimsOf(seal, t.account, slice)) t.delete(claim)
  t.delete(accountKeys.slice(t.account, slice.id))
  t.journal('slice', 'delete', slice.id)
}
