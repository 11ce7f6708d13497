/** Checks anchors and mirrors of delegations, and their accesses. */
import { controlleds, delegates, endpointPlace, type Relations } from '../accesses/delegations.js'
import { accountKeys } from '../engine/keys.js'
import { markerOf, type Controlled, type Delegate, type Marker } from '../model/delegation.js'
import type { Seal } from '../keyring/seal.js'
import { objectIn, recordOf, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

type Stored = Record<string, unknown>

const isIdentity = (value: unknown): boolean => {
  const { username, hostSlug } = recordOf(value) ?? {}
  return typeof username === 'string' && typeof hostSlug === 'string'
}

/** Parses the record of an entry, and checks that its endpoints can be decrypted; undefined when unreadable. */
function readHalf(
  { findings }: CheckContext,
  entry: Entry,
  where: string,
  isWhole: (stored: Stored) => boolean,
  { sealed }: Pick<Relations<Delegate> | Relations<Controlled>, 'sealed'>,
  seal: Seal | undefined,
): Stored | undefined {
  const stored = objectIn(textOf(entry))
  if (stored === undefined || stored['relId'] !== entry.rest || typeof stored['requestedAt'] !== 'number' || !isWhole(stored)) {
    findings.report(where, 'has a record that cannot be read')
    return undefined
  }
  for (const member of seal === undefined ? [] : sealed) {
    const value = stored[member]
    if (value === undefined) continue
    try {
      seal?.open(String(value), endpointPlace(entry.account, entry.rest, member))
    } catch {
      findings.report(where, 'has an endpoint that this node key cannot decrypt')
    }
  }
  return stored
}

/** Expects an access of the relationship. */
const ofRelation = (account: string, id: unknown, kind: Marker['kind'], relId: string, where: string): ExpectedEntry => ({
  key: accountKeys.access(account, String(id)),
  where,
  wrong(text) {
    const access = objectIn(text) as { clientData?: Record<string, unknown> } | undefined
    if (access === undefined) return `refers to a missing ${kind} access`
    const marker = markerOf(access)
    return marker?.kind === kind && marker.relId === relId ? undefined : `refers to an access that is not its ${kind} access`
  },
})

/** Expects the accesses of a delegate, `<relationship>`; an active one has a control access. */
export function expectedDelegateEntries(context: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  context.findings.count('delegates')
  const { account, rest: relId } = entry
  const where = `account ${account}, delegate ${relId}`
  const isWhole = ({ delegate, status, controlAccessId, notifyApiEndpoint }: Stored): boolean =>
    isIdentity(delegate) &&
    (status === 'invite' ||
      (status === 'active' && typeof controlAccessId === 'string' && typeof notifyApiEndpoint === 'string'))
  const stored = readHalf(context, entry, where, isWhole, delegates, seal)
  if (stored === undefined) return []
  const { controlAccessId, patAccessId } = stored
  return [
    ...(controlAccessId === undefined ? [] : [ofRelation(account, controlAccessId, 'control', relId, where)]),
    ...(patAccessId === undefined ? [] : [ofRelation(account, patAccessId, 'delegate-pat', relId, where)]),
  ]
}

/** Checks a controlled account, `<relationship>`; each status requires its endpoint. */
export function checkControlled(context: CheckContext, entry: Entry, seal: Seal | undefined): void {
  context.findings.count('controlled accounts')
  const isWhole = ({ controlled, status, capabilityUrl, controlApiEndpoint }: Stored): boolean =>
    isIdentity(controlled) &&
    ((status === 'invite' && typeof capabilityUrl === 'string') ||
      (status === 'active' && typeof controlApiEndpoint === 'string') ||
      status === 'stale')
  readHalf(context, entry, `account ${entry.account}, controlled ${entry.rest}`, isWhole, controlleds, seal)
}
