/**
 * Taking in accesses of another node of the same owner. An access is a register: of two versions, its deletion wins, then
 * the higher serial, then the later modification, then the larger text; so copies agree in whatever order versions meet.
 * What must be unique and is not is settled by rules that every node applies alike: of two accesses with one name the
 * younger gets another, as a version of its own that goes out to the others; tokens and aliases are never changed.
 *
 * A record stays as it came, its integrity too, whatever the settings of this node: answers are equal on all nodes.
 */
import type { Transaction } from '../../store/account.js'
import { accessText } from '../../store/accessElement.js'
import {
  accessNamed,
  findAccess,
  holderOfAlias,
  holderOfToken,
  keepVersion,
  putAccess,
  putNextVersion,
  type LiveAccess,
} from '../../store/accesses.js'
import { findDeletedAccess, putAccessDeletion, removeAccess } from '../../store/deletedAccesses.js'
import type { Access, AccessDeletion } from '../../store/model/access.js'
import { isHomely } from '../../store/model/delegation.js'
import { accessIntegrity, algorithmIn } from '../../store/model/integrity.js'
import type { Seal } from '../../store/seal.js'
import type { AccessEntry, Outcome, RefusalReason } from '../entry.js'
import { accessFault } from './accessShape.js'
import type { From } from './merger.js'

const APPLIED: Outcome = { is: 'applied' }
const KNOWN: Outcome = { is: 'known' }
const refused = (reason: RefusalReason, message: string): Outcome => ({ is: 'refused', reason, message })

const isDeletion = (access: Access | AccessDeletion): access is AccessDeletion => Object.hasOwn(access, 'deleted')

/**
 * Takes in an access or the deletion of one. Of a revocation everything follows at once that follows one made here.
 * Refused: `out-of-scope` from a peer that is no mirror, `invalid` for what is no app or shared access or stays with its
 * node, `taken` when another access has its token or alias, or one that stays with this node its id.
 */
export function mergeAccess(t: Transaction, seal: Seal, entry: AccessEntry, from: From): Outcome {
  const { id, access, token } = entry
  if (from.scope.is !== 'mirror') return refused('out-of-scope', 'Accesses are exchanged between mirrors only.')
  const fault = access.id === id ? accessFault(access, token) : 'It has another id than its entry.'
  if (fault !== undefined) return refused('invalid', fault)
  const former = findAccess(t, seal, t.account, id)
  if (isHomely(access)) return refused('invalid', 'It is one that stays with its node.')
  if (former !== undefined && isHomely(former.access)) return refused('taken', 'An access that stays with this node has its id.')
  const deleted = findDeletedAccess(t, seal, t.account, id)
  if (isDeletion(access)) return mergeDeletion(t, seal, { access, token }, former, deleted, from.peer)
  if (deleted !== undefined) return KNOWN
  return mergeLive(t, seal, { access, token }, former, from.peer)
}

function mergeDeletion(
  t: Transaction,
  seal: Seal,
  left: LiveAccess<AccessDeletion>,
  former: LiveAccess | undefined,
  deleted: LiveAccess<AccessDeletion> | undefined,
  origin: number,
): Outcome {
  if (former !== undefined) removeAccess(t, seal, former, left.access, origin, left.token)
  else if (deleted === undefined || isLaterDeletion(left, deleted)) putAccessDeletion(t, seal, left, deleted, origin)
  else return KNOWN
  return APPLIED
}

function isLaterDeletion(a: LiveAccess<AccessDeletion>, b: LiveAccess<AccessDeletion>): boolean {
  const difference = a.access.deleted - b.access.deleted
  return difference === 0 ? textOf(a) > textOf(b) : difference > 0
}

const textOf = ({ access, token }: LiveAccess): string => accessText(access, token).reveal()

/** Whether `a` wins over `b`, another version of the same access. */
function isLater(a: LiveAccess, b: LiveAccess): boolean {
  const serials = (a.access.serial ?? 0) - (b.access.serial ?? 0)
  if (serials !== 0) return serials > 0
  const difference = a.access.modified - b.access.modified
  return difference === 0 ? textOf(a) > textOf(b) : difference > 0
}

function mergeLive(
  t: Transaction,
  seal: Seal,
  live: LiveAccess,
  former: LiveAccess | undefined,
  origin: number,
): Outcome {
  const { access, token } = live
  if (former !== undefined && !isLater(live, former)) return KNOWN
  const a = t.account
  const withToken = holderOfToken(t, seal, a, token.reveal())
  if (withToken !== undefined && withToken !== access.id) return refused('taken', 'Another access has its token.')
  const withAlias = access.alias === undefined ? undefined : holderOfAlias(t, access.alias)
  if (withAlias !== undefined && !(withAlias.account === a && withAlias.id === access.id)) {
    return refused('taken', 'Another access has its alias.')
  }
  if (former !== undefined && (former.access.serial ?? 0) < (access.serial ?? 0)) keepVersion(t, former.access)
  const rival = accessNamed(t, a, access)
  const holder = rival === undefined || rival === access.id ? undefined : findAccess(t, seal, a, rival)
  if (holder === undefined) {
    putAccess(t, seal, access, token, former, origin)
  } else if (isYounger(access, holder.access)) {
    // Its new name is this node's doing, which the peer it came from is to hear of too.
    keepVersion(t, access)
    putAccess(t, seal, renamed(t, live), token, former)
  } else {
    putNextVersion(t, seal, renamed(t, holder), holder)
    putAccess(t, seal, access, token, former, origin)
  }
  return APPLIED
}

const isYounger = (a: Access, b: Access): boolean => (a.created === b.created ? a.id > b.id : a.created > b.created)

/** The next version of an access whose name another has: with the first number behind its name that is free. */
function renamed(t: Transaction, { access, token }: LiveAccess): Access {
  const { integrity, ...rest } = access
  const base = access.name.replace(/ \(\d+\)$/, '')
  for (let number = 2; ; number++) {
    const name = `${base} (${number})`
    const taken = accessNamed(t, t.account, { ...access, name })
    if (name === access.name || (taken !== undefined && taken !== access.id)) continue
    const next: Access = { ...rest, name, serial: (access.serial ?? 0) + 1 }
    const algorithm = algorithmIn('ACCESS', integrity)
    if (algorithm === undefined) return next
    return { ...next, integrity: accessIntegrity({ ...next, token: token.reveal() }, algorithm) }
  }
}
