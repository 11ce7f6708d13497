/**
 * Repairs the entries of a store in passes. Each pass checks the store, writes derived entries, rebuilds items from their changes
 * or records, and drops what no source has. Ends when the check finds only problems of files.
 */
import { join } from 'node:path'
import type { Problem } from '../../../store/check/findings.js'
import type { ChainHead } from '../../../store/engine/commit.js'
import { openDatabase, type Database } from '../../../store/engine/database.js'
import { createHighWater } from '../../../store/leveldb/highWater.js'
import { parseStoredProfile } from '../../../store/check/accountRecords.js'
import { erasedEntry } from '../../../store/engine/journal.js'
import { accountKeys } from '../../../store/engine/keys.js'
import type { IntegrityAlgorithm } from '../../../store/model/integrity.js'
import { joinProfile, registersSince, type Register } from '../../../store/model/profileRegisters.js'
import { openStore } from '../../../store/engine/open.js'
import { repairChain, type RepairedChain } from '../../../store/repair/repairChain.js'
import { strayItems, extractItems, type Remains } from '../../../store/repair/extractItems.js'
import { runRepairPass, type BrokenFile, type BrokenItem, type RepairPass } from '../../../store/repair/pass.js'
import type { Seal } from '../../../store/keyring/seal.js'
import { changeComparison } from '../../../sync/merge/changeComparison.js'
import { rebuildItems } from '../../../sync/merge/rebuildItems.js'
import { countAccounts, dropAccounts, dropStates, markFormerProfiles, putUsers, writeAll } from './accounts.js'
import { createLossReport, type LossReport } from './lossReport.js'

interface RepairStoreOptions {
  /** Folder of the new store; its database is in `db`. */
  draft: string
  /** Entries of a backup. */
  backup: Database | undefined
  seal: Seal
  integrity: IntegrityAlgorithm | undefined
  /** Folder of the attached files. */
  files: string
  /** Seconds. */
  now(): number
  /** Called for every entry checked. */
  onChecked(done: number): void
}

/** A repaired item or record. */
interface RepairStep {
  where: string
  what: string
  /** `entries`: derived from other entries; `changes`, `record`: from the item itself; `backup`. */
  from: 'entries' | 'changes' | 'record' | 'backup'
}

export interface RepairedStore {
  steps: RepairStep[]
  losses: LossReport
  chain: RepairedChain
  files: BrokenFile[]
  /** Problems that remain. */
  remaining: Problem[]
}

/** Maximum number of passes, above what any known damage needs. */
const MAX_PASSES = 12
/** Number of attempts to rebuild an item. */
const MAX_TRIES = 3

export async function repairStore(options: RepairStoreOptions): Promise<RepairedStore> {
  const { draft, backup } = options
  const losses = createLossReport()
  const steps: RepairStep[] = []
  const tries = new Map<string, number>()
  const fromBackup = new Set<string>()
  const { chain, head: begun } = await withDatabase(draft, async (db) => {
    const repaired = await repairChain(db, backup)
    await countAccounts(db)
    return { chain: repaired, head: repaired.head }
  })
  let head = begun
  let round: RepairPass | undefined
  for (let n = 0; n < MAX_PASSES; n++) {
    const at = head
    let goesOn = false
    const step = await withDatabase(draft, async (db) => {
      round = await runPass(db, at, options)
      goesOn = isRepairable(round)
      await putUsers(db, round, losses, options.now())
      withoutAccounts(round)
      const broken = [...round.items.values()]
      for (const account of round.strays) broken.push(...(await strayItems(db, account)))
      for (const problem of round.losses) losses.add(problem)
      await writeDerived(db, round, losses, steps)
      await writeRecords(db, round, { backup, fromBackup, losses, steps })
      const ended = await dropAccounts(db, { ...chain, head: at }, round, losses)
      return { head: ended, remains: await extractAll(db, broken, backup) }
    })
    head = step.head
    if (step.remains.length > 0) head = await rebuildAll(options, head, step.remains, { tries, losses, steps })
    if (!goesOn) break
  }
  const { files = [], problems = [] } = round ?? {}
  const left = problems.filter(({ where, what }) => !files.some(({ problem }) => problem.where === where && problem.what === what))
  const db = await openDatabase(join(draft, 'db'))
  try {
    losses.settle(db)
    await dropStates(db)
    await markFormerProfiles(db)
    await db.flush()
  } finally {
    await db.close()
  }
  await createHighWater(join(draft, 'HEAD'), head.sequence === 0 ? undefined : head)
  return { steps, losses, chain, files, remaining: left }
}

/** Removes problems of accounts that are dropped as a whole. */
function withoutAccounts(pass: RepairPass): void {
  const isGone = (key: string): boolean => pass.ownerless.has(key.split('/', 1)[0] ?? '')
  for (const list of [pass.derived, pass.items, pass.records]) for (const key of list.keys()) if (isGone(key)) list.delete(key)
  for (const account of pass.ownerless) pass.strays.delete(account)
}

/** True when a pass found something to repair. */
const isRepairable = ({ derived, items, records, ownerless, strays }: RepairPass): boolean =>
  derived.size + items.size + records.size + ownerless.size + strays.size > 0

async function withDatabase<T>(draft: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(join(draft, 'db'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

function runPass(db: Database, head: ChainHead, { files, seal, onChecked }: RepairStoreOptions): Promise<RepairPass> {
  let done = 0
  const pause = (): undefined => {
    done += 1
    if (done % 1000 === 0) onChecked(done)
    return undefined
  }
  return runRepairPass(db, head, { files, seal, comparison: changeComparison, pause })
}

async function writeDerived(db: Database, pass: RepairPass, losses: LossReport, steps: RepairStep[]): Promise<void> {
  const values = new Map<string, string | null>()
  for (const [key, { value, problem }] of pass.derived) {
    if (value === null) losses.suspect(db, key)
    values.set(key, value)
    steps.push({ ...problem, from: 'entries' })
  }
  await writeAll(db, values)
}

interface Sources {
  backup: Database | undefined
  /** Keys already looked up in the backup. */
  fromBackup: Set<string>
  losses: LossReport
  steps: RepairStep[]
}

/** Replaces records that the check rejects by those of the backup, or drops them. */
async function writeRecords(db: Database, pass: RepairPass, { backup, fromBackup, losses, steps }: Sources): Promise<void> {
  const values = new Map<string, Uint8Array | null>()
  for (const [key, problem] of pass.records) {
    const [account = ''] = key.split('/', 1)
    const stored = fromBackup.has(key) ? undefined : backup?.getBytes(key)
    const present = db.getBytes(key)
    fromBackup.add(key)
    if (stored !== undefined && (present === undefined || Buffer.compare(stored, present) !== 0)) {
      values.set(key, stored)
      steps.push({ ...problem, from: 'backup' })
    } else {
      // The journal must have no gaps: an unreadable entry becomes an erased one.
      values.set(key, key.startsWith(accountKeys.journals(account)) ? erasedEntry() : null)
      losses.add(problem)
    }
  }
  await writeAll(db, values)
}

async function extractAll(db: Database, broken: readonly BrokenItem[], backup: Database | undefined): Promise<Remains[]> {
  const byAccount = new Map<string, BrokenItem[]>()
  for (const item of broken) byAccount.set(item.account, [...(byAccount.get(item.account) ?? []), item])
  const remains: Remains[] = []
  for (const [account, items] of byAccount) remains.push(...(await extractItems(db, account, items)))
  return remains.map((one) => (backup === undefined || one.broken.kind !== 'profile' ? one : withBackup(one, backup)))
}

/** Merges a broken profile set with the backup's record. For equal stamps the value of the backup wins, since it was verified. */
function withBackup(remains: Remains, backup: Database): Remains {
  const { broken: { account, id }, profile } = remains
  const stored = parseStoredProfile(id, backup.get(accountKeys.profile(account, id)) ?? '')
  if (stored === undefined) return remains
  if (profile === undefined) return { ...remains, profile: stored, isFromBackup: true }
  const stamps = new Set(registersSince(stored).map(registerName))
  const registers = registersSince(profile).filter((register) => !stamps.has(registerName(register)))
  const { modified } = profile.profile
  return { ...remains, profile: joinProfile(id, stored, { modified, registers }).after(0), isFromBackup: true }
}

const registerName = (register: Register): string =>
  `${register.counter} ${register.actor} ${'key' in register ? JSON.stringify(register.key) : register.removed}`

interface RebuildContext {
  tries: Map<string, number>
  losses: LossReport
  steps: RepairStep[]
}

/** Rebuilds items through the store itself; returns the end of the chain. */
async function rebuildAll(options: RepairStoreOptions, head: ChainHead, all: readonly Remains[], { tries, losses, steps }: RebuildContext): Promise<ChainHead> {
  const { draft, seal, integrity, now } = options
  const due: { of: Remains; mayUseChanges: boolean }[] = []
  for (const of of all) {
    const { account, kind, id, problem } = of.broken
    const name = `${account}/${kind}/${id}`
    const tried = tries.get(name) ?? 0
    tries.set(name, tried + 1)
    if (tried < MAX_TRIES) due.push({ of, mayUseChanges: tried < MAX_TRIES - 1 })
    else losses.add(problem)
  }
  await createHighWater(join(draft, 'HEAD'), head.sequence === 0 ? undefined : head)
  const opened = await openStore({ folder: draft, now })
  const { committer } = opened
  // `rebuildItems` closes the store.
  const rebuilt = await rebuildItems({ opened, seal, integrity, now }, due)
  for (const [i, { of }] of due.entries()) {
    const { problem } = of.broken
    const remade = rebuilt[i]
    if (remade === 'nothing' || remade === undefined) losses.add(problem)
    else steps.push({ ...problem, from: of.isFromBackup === true && remade === 'record' ? 'backup' : remade })
  }
  return committer.head
}
