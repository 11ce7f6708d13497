/**
 * Merges accesses of other nodes of the same owner. Edits join field by field (store/model/accessMerge.ts), so that no order of
 * merges gives a token more permissions than a node left it; a deletion wins over edits. Every node resolves duplicates of unique
 * values by the same rules:
 *
 * - name: the younger of two accesses gets another
 * - token: the younger keeps it and absorbs the other: it is restricted to the permissions of both, and the other ends. An owner
 *   who deletes one of both withdraws the token: accesses created with it before that time end too
 * - alias: refused; nodes choose aliases at random
 *
 * Every node reaches the same outcome and sends it as its own change.
 */
import type { Transaction } from '../../store/engine/account.js'
import { accessText } from '../../store/accesses/accessRecord.js'
import {
  accessNamed,
  contestedNames,
  findAccess,
  findDeletedAccess,
  holderOfAlias,
  holderOfToken,
  putAccessDeletion,
  putMergedAccess,
  removeAccess,
  storeVersion,
  type LiveAccess,
} from '../../store/accesses/accesses.js'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import {
  absorbAccess,
  absorbedBy,
  absorbedDeletion,
  isAbsorbed,
  joinAccesses,
  releaseAbsorbed,
  renameAccess,
  withdrawnDeletion,
} from '../../store/model/accessMerge.js'
import { isNodeLocalAccess } from '../../store/model/delegation.js'
import type { Seconds } from '../../store/model/event.js'
import type { Secret } from '../../store/model/secret.js'
import { noteConflict } from '../../store/engine/mergeState.js'
import type { Seal } from '../../store/keyring/seal.js'
import type { AccessEntry, Outcome } from '../wire/entry.js'
import { accessFault } from './accessShape.js'
import { applied, known, refused, type MergeSource } from './context.js'

type Deleted = LiveAccess<AccessDeletion>

/** Transaction and origin of one merge. */
interface Work {
  t: Transaction
  seal: Seal
  /** Number of the peer. */
  peer: number
  /** Seconds. */
  now: Seconds
}

const isDeletion = (access: Access | AccessDeletion): access is AccessDeletion => Object.hasOwn(access, 'deleted')

/**
 * Merges an access or the deletion of one. A revocation takes effect at once, as a local one does. Refused: `out-of-scope`
 * from a peer that is not a mirror; `invalid` for anything but an app or shared access that is replicated; `taken` when
 * another access has its alias, or a node-local access has its id or token.
 */
export function mergeAccess(t: Transaction, seal: Seal, entry: AccessEntry, from: MergeSource, now: Seconds): Outcome {
  const { id, access, token } = entry
  if (from.scope.is !== 'mirror') return refused('out-of-scope', 'Accesses are exchanged between mirrors only.')
  const fault = access.id === id ? accessFault(access, token) : 'Its id differs from that of its entry.'
  if (fault !== undefined) return refused('invalid', fault)
  const former = findAccess(t, seal, t.account, id)
  if (isNodeLocalAccess(access)) return refused('invalid', 'It is an access that is not replicated.')
  if (former !== undefined && isNodeLocalAccess(former.access)) return refused('taken', 'A local access of this node has its id.')
  const deleted = findDeletedAccess(t, seal, t.account, id)
  const work = { t, seal, peer: from.peer, now }
  if (deleted !== undefined) {
    if (isAbsorbed(deleted.access)) return mergeWithAbsorbed(work, { access, token }, deleted)
    return isDeletion(access) && !isAbsorbed(access) ? mergeDeletion(work, { access, token }, deleted) : known
  }
  if (!isDeletion(access)) return mergeLive(work, { access, token }, former)
  if (isAbsorbed(access)) return applyAbsorption(work, { access, token }, former)
  return applyDeletion(work, { access, token }, former)
}

const textOf = ({ access, token }: LiveAccess): string => accessText(access, token).reveal()
const isSame = (a: LiveAccess, b: LiveAccess): boolean => textOf(a) === textOf(b)
const largerToken = (a: LiveAccess, b: LiveAccess): Secret<string> => (a.token.reveal() < b.token.reveal() ? b.token : a.token)

/** Keeps the later of two owner deletions. */
function mergeDeletion({ t, seal, peer }: Work, received: Deleted, deleted: Deleted): Outcome {
  const difference = received.access.deleted - deleted.access.deleted
  if (difference === 0 ? textOf(received) <= textOf(deleted) : difference < 0) return known
  putAccessDeletion(t, seal, received, deleted, peer)
  return applied
}

/** Merges a deletion by an owner. */
function applyDeletion(work: Work, received: Deleted, former: LiveAccess | undefined): Outcome {
  const { t, seal, peer } = work
  if (former !== undefined) removeAccess(t, seal, former, received.access, peer, received.token)
  else putAccessDeletion(t, seal, received, undefined, peer)
  refreshHolder(work, received)
  return applied
}

/** Merges the absorption of an access by another with the same token. */
function applyAbsorption(work: Work, received: Deleted, former: LiveAccess | undefined): Outcome {
  const { t, seal, peer } = work
  if (former === undefined) putAccessDeletion(t, seal, received, undefined, peer)
  else {
    const token = largerToken(received, former)
    const next = { access: joinAccesses(received.access, former.access as AccessDeletion, token.reveal()), token }
    removeAccess(t, seal, former, next.access, isSame(next, received) ? peer : undefined, token)
  }
  refreshHolder(work, received)
  return applied
}

/** Merges another node's copy of an access absorbed here: a deletion by its owner wins, edits still restrict. */
function mergeWithAbsorbed(work: Work, received: LiveAccess<Access | AccessDeletion>, deleted: Deleted): Outcome {
  const { t, seal, peer } = work
  const token = largerToken(received, deleted)
  const next = ownDeletion(received) ?? { access: joinAccesses(deleted.access, received.access as AccessDeletion, token.reveal()), token }
  if (isSame(next, deleted)) return known
  putAccessDeletion(t, seal, next, deleted, isSame(next, received) ? peer : undefined)
  refreshHolder(work, next)
  return applied
}

const ownDeletion = ({ access, token }: LiveAccess<Access | AccessDeletion>): Deleted | undefined =>
  isDeletion(access) && !isAbsorbed(access) ? { access, token } : undefined

/** Updates the access with the token of a deleted one: it ends, or its restrictions change. */
function refreshHolder(work: Work, { access, token }: Deleted): void {
  const { t, seal } = work
  const id = holderOfToken(t, seal, t.account, token.reveal())
  const holder = id === undefined ? undefined : findAccess(t, seal, t.account, id)
  if (holder === undefined || isNodeLocalAccess(holder.access)) return
  if (isWithdrawn(holder.access, access)) return withdraw(work, holder, holder, access.deleted)
  if (!absorbedBy(holder.access).includes(access.id)) return
  const next = { access: restrictByAbsorbed(work, holder), token: holder.token }
  if (!isSame(next, holder)) put(work, next, holder)
}

/** Checks whether an owner's deletion withdraws the token of another access, created before it. */
const isWithdrawn = ({ created }: Access, deletion: AccessDeletion): boolean => !isAbsorbed(deletion) && created < deletion.deleted

/** Ends an access whose token was withdrawn; `former` is the local copy. */
function withdraw({ t, seal }: Work, { access, token }: LiveAccess, former: LiveAccess | undefined, deleted: Seconds): void {
  const deletion = withdrawnDeletion(access, deleted, token.reveal())
  if (former === undefined) putAccessDeletion(t, seal, { access: deletion, token }, undefined)
  else removeAccess(t, seal, former, deletion, undefined, token)
}

/** Returns an access restricted by all that it absorbed, as far as known here. */
function restrictByAbsorbed({ t, seal }: Work, { access, token }: LiveAccess): Access {
  return absorbedBy(access).reduce((next, id) => {
    const deleted = findDeletedAccess(t, seal, t.account, id)?.access
    if (deleted === undefined) return next
    return isAbsorbed(deleted) ? absorbAccess(next, deleted, token.reveal()) : releaseAbsorbed(next, id, token.reveal())
  }, access)
}

function mergeLive(work: Work, received: LiveAccess, former: LiveAccess | undefined): Outcome {
  const { t, seal } = work
  const a = t.account
  const token = former === undefined ? received.token : largerToken(received, former)
  const joined = former === undefined ? received.access : joinAccesses(former.access, received.access, token.reveal())
  let live: LiveAccess = { access: restrictByAbsorbed(work, { access: joined, token }), token }
  if (former !== undefined && isSame(live, former)) return known
  const withdrawal = absorbedBy(live.access)
    .flatMap((one) => findDeletedAccess(t, seal, a, one)?.access ?? [])
    .find((deletion) => isWithdrawn(live.access, deletion))
  if (withdrawal !== undefined) {
    withdraw(work, live, former, withdrawal.deleted)
    return applied
  }
  const { id, alias } = live.access
  const withAlias = alias === undefined ? undefined : holderOfAlias(t, alias)
  if (withAlias !== undefined && !(withAlias.account === a && withAlias.id === id)) {
    return refused('taken', 'Another access has its alias.')
  }
  const withToken = holderOfToken(t, seal, a, token.reveal())
  const rival = withToken === undefined || withToken === id ? undefined : findAccess(t, seal, a, withToken)
  if (rival !== undefined) {
    if (isNodeLocalAccess(rival.access)) return refused('taken', 'Another access has its token.')
    if (!isYounger(live.access, rival.access)) {
      endAsAbsorbed(work, live, former, rival)
      put(work, { access: absorbAccess(rival.access, live.access, token.reveal()), token }, rival)
      return applied
    }
    endAsAbsorbed(work, rival, rival, live)
    live = { access: absorbAccess(live.access, rival.access, token.reveal()), token }
  }
  const named = accessNamed(t, a, live.access)
  const holder = named === undefined || named === id ? undefined : findAccess(t, seal, a, named)
  if (holder === undefined) put(work, live, former, received)
  else if (isYounger(live.access, holder.access)) {
    storeVersion(t, live.access)
    put(work, renamed(t, live), former, received)
  } else {
    put(work, renamed(t, holder), holder)
    put(work, live, former, received)
  }
  return applied
}

/** Ends an access whose token `winner` has; `former` is the local copy. */
function endAsAbsorbed({ t, seal }: Work, live: LiveAccess, former: LiveAccess | undefined, winner: LiveAccess): void {
  const { access, token } = live
  const deletion = absorbedDeletion(access, Math.max(access.created, winner.access.created), token.reveal())
  if (former === undefined) putAccessDeletion(t, seal, { access: deletion, token }, undefined)
  else removeAccess(t, seal, former, deletion, undefined, token)
}

/** Writes the merged access; sends it to the peer as well unless it equals the received one. */
function put({ t, seal, peer, now }: Work, live: LiveAccess, former: LiveAccess | undefined, received?: LiveAccess): void {
  if (former !== undefined && (former.access.serial ?? 0) < (live.access.serial ?? 0)) storeVersion(t, former.access)
  noteConflict(t, `a${live.access.id}`, { edits: contestedNames(live.access) }, now)
  putMergedAccess(t, seal, live, former, received !== undefined && isSame(live, received) ? peer : undefined)
}

const isYounger = (a: Access, b: Access): boolean => (a.created === b.created ? a.id > b.id : a.created > b.created)

/** Returns the next version of an access whose name is taken: with the first free number appended. */
function renamed(t: Transaction, { access, token }: LiveAccess): LiveAccess {
  const base = access.name.replace(/ \(\d+\)$/, '')
  for (let number = 2; ; number++) {
    const name = `${base} (${number})`
    const taken = accessNamed(t, t.account, { ...access, name })
    if (name === access.name || (taken !== undefined && taken !== access.id)) continue
    return { access: renameAccess(access, name, token.reveal()), token }
  }
}
