/** Checks accesses, their index entries, earlier versions, and deletions. */
import { accessClaims, findAccessByToken, tokenKey } from '../accesses/accesses.js'
import { accountKeys, ordered, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Access } from '../model/access.js'
import { isConsistent } from '../model/accessMerge.js'
import { accessIntegrity, type IntegrityAlgorithm } from '../model/integrity.js'
import type { Seal } from '../keyring/seal.js'
import { expectValue, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Checks an access, `<id>`: its index entries, and its integrity if the seal can decrypt the token. */
export function checkAccess(context: CheckContext, entry: Entry, claims: { tokens: number }, seal: Seal | undefined): ExpectedEntry[] {
  const { db, findings } = context
  findings.count('accesses')
  claims.tokens += 1
  const { account, rest: id } = entry
  const where = `account ${account}, access ${id}`
  const stored = accessIn(textOf(entry))
  if (stored === undefined || stored.id !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  const { sealedToken, ...access } = stored
  const demands = accessClaims(account, access).map(([key, value]) => expectValue(key, value, where, 'index entry'))
  if (seal === undefined) return demands
  const token = openedToken(context, where, seal, account, id, sealedToken)
  if (token === undefined) return demands
  const found = findAccessByToken(db, seal, account, token)?.access
  if (found?.id !== id) findings.report(where, 'has a token that does not resolve to it', { repair: { put: tokenKey(seal, account, token), value: `${account}/${id}` } })
  else {
    checkAccessIntegrity(findings, where, found, token)
    if (!isConsistent(found, token)) findings.report(where, 'does not match its causal state')
  }
  return demands
}

type StoredAccess = Access & { sealedToken: string }

/** Parses a stored access; undefined when required members are missing. */
function accessIn(text: string | undefined): StoredAccess | undefined {
  const stored = objectIn(text)
  const isAccess = [stored?.['id'], stored?.['type'], stored?.['name'], stored?.['sealedToken']].every(
    (member) => typeof member === 'string',
  )
  return isAccess ? (stored as unknown as StoredAccess) : undefined
}

function openedToken(
  { findings }: CheckContext,
  where: string,
  seal: Seal,
  account: string,
  id: string,
  sealed: string,
): string | undefined {
  try {
    return seal.open(sealed, `${account}/${id}`)
  } catch {
    findings.report(where, 'has a token that this node key cannot decrypt')
    return undefined
  }
}

/** Expects the access of a name, `<type>/<hash>`, or of a managed entry, `<app>/<id>`, to match its key. */
export function expectedAccessEntries(
  { findings }: CheckContext,
  entry: Entry,
  family: 'name' | 'managed',
): ExpectedEntry[] {
  const { account, rest } = entry
  findings.count(family === 'name' ? 'access names' : 'managed accesses')
  const id = family === 'name' ? textOf(entry) : rest.slice(rest.indexOf('/') + 1)
  const key = family === 'name' ? accountKeys.accessNames(account) + rest : accountKeys.managed(account, ...splitAtSlash(rest))
  return [expectAccess(key, account, id, `the ${family === 'name' ? 'name' : 'entry'} of access ${id} of account ${account}`)]
}

const splitAtSlash = (rest: string): [string, string] => {
  const slash = rest.indexOf('/')
  return [rest.slice(0, slash), rest.slice(slash + 1)]
}

/** Expects an access whose index entries include `key`. */
export const expectAccess = (key: string, account: string, id: string, where: string): ExpectedEntry => ({
  key: accountKeys.access(account, id),
  where,
  wrong(text) {
    const access = accessIn(text)
    if (access === undefined) return 'refers to a missing access'
    return accessClaims(account, access).some(([own]) => own === key) ? undefined : 'does not match the access'
  },
})

/** Expects the access of an earlier version, `<id>/<serial>`. */
export function expectedAccessVersionEntries({ findings }: CheckContext, { account, rest }: Entry): ExpectedEntry[] {
  findings.count('access versions')
  const [id, serial] = splitAtSlash(rest)
  const wrong = (text: string | undefined): string | undefined => {
    const latest = accessIn(text)?.serial ?? 0
    return latest > orderedToNumber(serial) ? undefined : 'has an invalid earlier version'
  }
  return [{ key: accountKeys.access(account, id), where: `account ${account}, access ${id}`, wrong }]
}

/** Expects the deletion record for the deletion time of an access, `<id>`. */
export function expectedAccessDeletionEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('times of deleted accesses')
  const { account, rest: id } = entry
  const deleted = orderedToNumber(textOf(entry))
  const wrong = (text: string | undefined): string | undefined =>
    text === undefined ? 'has a deletion time without a deletion' : undefined
  return [{ key: accountKeys.accessDeletion(account, deleted, id), where: `account ${account}, access ${id}`, wrong }]
}

/** Checks a deleted access, `<deleted><id>`: its index entry by id exists, and no live access has the id. */
export function checkAccessDeletion(context: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  const { findings } = context
  findings.count('deleted accesses')
  const { account, rest } = entry
  const id = rest.slice(ORDERED_LENGTH)
  const where = `account ${account}, deleted access ${id}`
  const stored = accessIn(textOf(entry)) as (StoredAccess & { deleted?: number }) | undefined
  if (stored === undefined || stored.id !== id || stored.deleted !== orderedToNumber(rest)) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  const key = accountKeys.accessDeleted(account, id)
  const isAlive = (text: string | undefined): string | undefined => (text === undefined ? undefined : 'still exists')
  const demands = [
    expectValue(key, ordered(stored.deleted), where, 'time under its id'),
    { key: accountKeys.access(account, id), where, wrong: isAlive, goes: true as const },
  ]
  if (seal === undefined) return demands
  const { sealedToken, ...access } = stored
  const token = openedToken(context, where, seal, account, id, sealedToken)
  if (token !== undefined) checkAccessIntegrity(findings, where, access, token)
  return demands
}

const ALGORITHMS: readonly IntegrityAlgorithm[] = ['sha256', 'sha512', 'sha1', 'md5']

function checkAccessIntegrity(findings: CheckContext['findings'], where: string, access: Access, token: string): void {
  const { integrity } = access
  if (integrity === undefined) return
  findings.count('access integrity')
  const algorithm = ALGORITHMS.find((one) => integrity.startsWith(`ACCESS:0:${one}-`))
  if (algorithm === undefined || accessIntegrity({ ...access, token }, algorithm) !== integrity) {
    findings.report(where, 'does not match its integrity')
  }
}
