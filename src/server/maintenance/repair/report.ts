/** Report of a repair: repaired items with their source, and lost data. */
import type { Problem } from '../../../store/check/findings.js'
import type { Database } from '../../../store/engine/database.js'
import { keyFamilyLabels, nodeKeyFamilyLabels } from '../../../store/engine/keyFamilyLabels.js'
import { nodeKeys } from '../../../store/engine/keys.js'
import type { FilledDraft, RestoredCounts } from '../../../store/repair/draft.js'
import type { Salvage } from '../../../store/repair/salvage.js'
import { readableUsername } from '../../../store/accounts/users.js'
import { listMirrors, listPeers } from '../../../store/replication/peers.js'
import type { FoundFile } from './putFiles.js'
import type { UsedKey } from './key.js'
import { unseenIn } from './lostParts.js'
import type { RepairedStore } from './repairStore.js'

export interface Loss extends Problem {
  user?: string
}

/** A repaired item. */
export interface Repair extends Loss {
  /** Source: other entries of the store, the item's own changes or record, the backup, another account, the peer. */
  from: 'entries' | 'changes' | 'record' | 'backup' | 'account' | 'peer'
  /** Number of entries, if several. */
  count?: number
}

export interface RepairReport {
  repaired: Repair[]
  /** Name of the backup, or of the peer. */
  from: string | null
  lost: Loss[]
  /** Items that the paired node is still to send. */
  waiting: Loss[]
  /** Extent of the repair: the store was replaced, or only attached files were restored; null when nothing was changed. */
  mended: 'store' | 'files' | null
  /** Folder with the damaged data; null when there is none. */
  kept: string | null
  /** Damage found in the files. */
  damage: string[]
  /**
   * Start time of the interrupted repair, in seconds, if this run only swapped in its store; the earlier run's report covers
   * everything else. Null for a repair that checked the store itself.
   */
  finished: number | null
}

type LossFormatter = (problem: Problem) => Loss

/** Adds user names to problems. */
export function namedBy(db: Database): LossFormatter {
  const names = new Map<string, string | undefined>()
  for (let n = Number.parseInt(db.get(nodeKeys.lastAccount) ?? '0', 36); n > 0; n--) names.set(n.toString(36), readableUsername(db, n.toString(36)))
  return ({ where, what }) => {
    const user = names.get(/\baccount ([0-9a-z]+)/.exec(where)?.[1] ?? '')
    return { where, what, ...(user === undefined ? {} : { user }) }
  }
}

/** Name of a paired node, optionally of one account. */
export interface PeerName {
  name: string
  /** Restricts to this account. */
  user?: string | undefined
}

/** No account of the store is mirrored with a node of this name. */
export class NoSuchPeer extends Error {
  constructor({ name, user }: PeerName) {
    super(`No account${user === undefined ? '' : ` ${user}`} of this node has a paired node "${name}" with a full copy.`)
  }
}

/** Returns the accounts paired with other nodes; with a name, only those fully mirrored by that node. */
export async function pairedAccounts(db: Database, peer?: PeerName): Promise<Set<string>> {
  const accounts = new Set<string>()
  for (let n = Number.parseInt(db.get(nodeKeys.lastAccount) ?? '0', 36); n > 0; n--) {
    const account = n.toString(36)
    if (peer?.user !== undefined && readableUsername(db, account) !== peer.user) continue
    const peers = peer === undefined ? await listPeers(db, account) : await listMirrors(db, account)
    if (peers.some(({ name, pairing }) => peer === undefined || name === peer.name || pairing === peer.name)) accounts.add(account)
  }
  return accounts
}

interface Files {
  files: readonly FoundFile[]
}

interface Lossy extends Files {
  mended: RepairedStore
  found: Salvage
  filled: FilledDraft
  key: UsedKey
  mirrored: ReadonlySet<string>
  isBackedUp: boolean
}

/** Lists missing data: lost, or still to come from a paired node. */
export function lossesOf({ mended: repaired, found: salvage, filled, key, files, mirrored, isBackedUp }: Lossy, named: LossFormatter): { lost: Loss[]; waiting: Loss[] } {
  const { chain } = repaired
  const losses: Loss[] = []
  const waiting: Loss[] = []
  const notify = (problem: Problem, isSynced: boolean): void => {
    const account = /^account ([0-9a-z]+)/.exec(problem.where)?.[1] ?? ''
    const list = isSynced && mirrored.has(account) ? waiting : losses
    list.push(named(problem))
  }
  const marked = salvage.mark?.sequence ?? 0
  if (marked > chain.commits) {
    const since = chain.time === 0 ? 'the first commit' : new Date(chain.time * 1000).toISOString()
    const count = marked - chain.commits
    losses.push({ where: 'the store', what: `lacks ${count} ${count === 1 ? 'commit' : 'commits'} after ${since}` })
  }
  if (key.isBound) losses.push({ where: 'the store', what: 'lost its node id; a new one was assigned' })
  // A truncated log shows in its missing commits.
  const parts = salvage.lost.filter(({ file }) => file !== 'the log')
  if (!filled.isCovered) for (const { problem, isSynced } of unseenIn(parts, isBackedUp)) notify(problem, isSynced)
  for (const problem of repaired.losses.all) notify(problem, true)
  for (const [account, entries] of chain.lost) {
    const count = entries.length
    notify({ where: `account ${account}`, what: `lacks ${count} ${count === 1 ? 'change' : 'changes'} of its journal` }, true)
  }
  for (const { file, source } of files) if (source === undefined) notify(file.problem, true)
  return { lost: losses, waiting }
}

/** Lists repaired items one by one; derived entries and those of the backup by account and kind. */
export function repairStepsOf({ mended: repaired, taken, files, key }: Files & { mended: RepairedStore; taken: RestoredCounts; key: UsedKey }, named: LossFormatter): Repair[] {
  const repairs: Repair[] = []
  for (const [place, count] of taken) {
    const [account = '', family = ''] = place.split('/')
    const isNode = account.startsWith('!')
    const what = isNode ? (nodeKeyFamilyLabels[account.slice(1)] ?? 'entries') : (keyFamilyLabels[family] ?? family)
    repairs.push({ ...named({ where: isNode ? 'the node' : `account ${account}`, what }), count, from: 'backup' })
  }
  for (const [account, count] of repaired.chain.fromBackup) {
    repairs.push({ ...named({ where: `account ${account}`, what: 'journal' }), count, from: 'backup' })
  }
  if (repaired.chain.from !== undefined) {
    repairs.push({ where: 'the store', what: `chain of commits, from commit ${repaired.chain.from} on`, from: 'entries' })
  }
  const derived = new Map<string, number>()
  const items = new Map<string, Repair>()
  for (const { from, ...problem } of repaired.steps) {
    if (from !== 'entries') items.set(`${problem.where} ${from}`, { ...named(problem), from })
    else {
      const where = /^account [0-9a-z]+/.exec(problem.where)?.[0] ?? 'the node'
      derived.set(where, (derived.get(where) ?? 0) + 1)
    }
  }
  for (const [where, count] of derived) repairs.push({ ...named({ where, what: 'derived entries' }), count, from: 'entries' })
  repairs.push(...items.values())
  for (const { file, source } of files) if (source !== undefined) repairs.push({ ...named(file.problem), from: source.from })
  if (key.isFromBackup) repairs.push({ where: 'the node', what: 'node key', from: 'backup' })
  return repairs
}
