/** How an access is written down: its record with the token sealed into it, and what the journal says of a change. */
import type { Journaled } from '../engine/account.js'
import { accessElement } from './accessElement.js'
import type { JournalDetail } from '../engine/journal.js'
import type { Access } from '../model/access.js'
import type { DigestElement } from '../model/digestElement.js'
import { Secret } from '../model/secret.js'
import type { Seal } from '../keyring/seal.js'

/** The record of an access as it is kept. */
export type StoredAccess<A> = A & { sealedToken: string }

/** An access with its token. */
export interface LiveAccess<A extends Access = Access> {
  access: A
  token: Secret<string>
}

/** What tells an access from those of other accounts. */
export const placeOf = (account: string, id: string): string => `${account}/${id}`

/** The text that is kept of an access. */
export const recordOf = <A extends Access>({ access, token }: LiveAccess<A>, seal: Seal, account: string): string => {
  const stored: StoredAccess<A> = { ...access, sealedToken: seal.seal(token.reveal(), placeOf(account, access.id)) }
  return JSON.stringify(stored)
}

/** Reads what is kept of an access. */
export function readRecord<A extends Access = Access>(text: string, seal: Seal, account: string): LiveAccess<A> {
  const { sealedToken, ...access } = JSON.parse(text) as StoredAccess<A>
  // What is left of a stored access is the access.
  const own = access as unknown as A
  return { access: own, token: new Secret(seal.open(sealedToken, placeOf(account, own.id))) }
}

/** The element of an access with its token; undefined for personal ones. */
export const elementOf = ({ access, token }: LiveAccess): DigestElement | undefined => accessElement(access, token)

/** What a journal entry says of a change of an access. */
export const journaled = (about: JournalDetail['access'], change: DigestElement | undefined, origin: number | undefined): Journaled => ({
  ...(about === undefined ? {} : { about: { access: about } }),
  ...(change === undefined ? {} : { change }),
  ...(origin === undefined ? {} : { origin }),
})
