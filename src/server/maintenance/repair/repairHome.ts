/**
 * Repairs a damaged store. Builds a new store beside it from everything readable in it and in a backup, checks it, and then swaps
 * the two; the damaged store is kept. If only attached files are damaged, the store stays in place and only the files are
 * repaired.
 */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../../store/backup/archive.js'
import { checkStore } from '../../../store/check/index.js'
import type { Problem } from '../../../store/check/findings.js'
import { openDatabase, type Database } from '../../../store/engine/database.js'
import { damageText } from '../../../store/leveldb/damage.js'
import type { IntegrityAlgorithm } from '../../../store/model/integrity.js'
import type { Opening } from '../../../store/keyring/nodeKey.js'
import { NoStore, openStore } from '../../../store/engine/open.js'
import type { FilledDraft, OtherHistory } from '../../../store/repair/draft.js'
import { salvageEntries } from '../../../store/repair/salvage.js'
import type { Seal } from '../../../store/keyring/seal.js'
import { changeComparison } from '../../../sync/merge/changeComparison.js'
import { rebuildItems } from '../../../sync/merge/rebuildItems.js'
import type { HomePlaces } from '../../launch/init.js'
import { fill, isEmpty, openBackup } from './entries.js'
import { sourceOf } from './files.js'
import { keyFor, putKey, type UsedKey } from './key.js'
import { repairStore } from './repairStore.js'
import { finishSwap, storedName, openRepairWorkspace, readyIn, type RepairWorkspace } from './workspace.js'
import { putFiles, type FoundFile, type PutFilesOptions } from './putFiles.js'
import { lossesOf, repairStepsOf, namedBy, NoSuchPeer, pairedAccounts, type Loss, type PeerName, type RepairReport } from './report.js'

export interface RepairOptions {
  archive: Archive | undefined
  /** Paired node that supplies the missing data afterwards. */
  peer: PeerName | undefined
  /** Called when the node key is protected by a passphrase. */
  passphrase: Opening['passphrase']
  /** Algorithm of event integrity, if enabled. */
  integrity: IntegrityAlgorithm | undefined
  dryRun: boolean
  /** Called before any change if data is lost; rejects to abort. */
  accept(lost: readonly Loss[]): Promise<void>
  /** Seconds. */
  now(): number
  /** Receives the current phase and the number of entries processed. */
  progress(work: 'reading' | 'repairing' | 'checking', done: number): void
}

/** The new store is damaged too; nothing was replaced. */
export class StillDamaged extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super('The readable data does not form a complete store.')
  }
}

/**
 * Repairs the store of a home without a running node. If an interrupted repair left a finished store, only swaps that in.
 * @throws NoStore, StoreLocked, NodeKeyUnusable, WrongPassphrase, OtherHistory, ArchiveDamaged, StillDamaged, and errors of
 * `accept`
 */
export async function repairHome(places: HomePlaces, options: RepairOptions): Promise<RepairReport> {
  const ready = await readyIn(places)
  if (ready !== undefined) {
    if (!options.dryRun) await finishSwap(places)
    const report = ready.report as RepairReport
    return { ...report, mended: options.dryRun ? null : report.mended, finished: ready.begun }
  }
  if (!existsSync(places.store)) throw new NoStore(places.store)
  const workshop = await openRepairWorkspace(places)
  try {
    return await repairIn(workshop, places, options)
  } finally {
    await workshop.close()
  }
}

async function repairIn(workspace: RepairWorkspace, places: HomePlaces, options: RepairOptions): Promise<RepairReport> {
  const { archive, now, dryRun, progress } = options
  const { draft, scratch } = workspace
  const begun = now()
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  progress('reading', 0)
  const salvage = await salvageEntries(places.store, join(scratch, 'found'))
  const backup = archive === undefined ? undefined : await openBackup(archive, join(scratch, 'backup'))
  try {
    const db = await openDatabase(join(draft, 'db'), { create: true })
    let filled: FilledDraft
    let other: OtherHistory | undefined
    let key: UsedKey
    try {
      ;({ filled, other } = await fill(db, salvage, backup))
      if (salvage.damage.length > 0 && (await isEmpty(db))) throw new StillDamaged([{ where: 'the store', what: 'has no readable data' }])
      key = await keyFor(places, db, other === undefined ? options : { ...options, archive: undefined })
    } finally {
      await db.close()
    }
    const { seal } = key
    const repaired = await repairStore({
      ...{ draft, seal, now, integrity: options.integrity, files: places.files },
      backup: other === undefined ? backup?.db : undefined,
      onChecked: (done) => progress('repairing', done),
    })
    if (repaired.remaining.length > 0) throw other ?? new StillDamaged(repaired.remaining)
    const files = await Promise.all(
      repaired.files.map(async (file) => ({ file, source: await sourceOf({ files: places.files, archive }, file) })),
    )
    const named = await withDraft(draft, namedBy)
    const mirrored = await withDraft(draft, (at) => (options.peer === undefined ? new Set<string>() : pairedAccounts(at, options.peer)))
    if (options.peer !== undefined && mirrored.size === 0) throw new NoSuchPeer(options.peer)
    const lossy = { mended: repaired, found: salvage, filled, key, mirrored, isBackedUp: backup !== undefined }
    const outcome = (of: readonly FoundFile[]): Pick<RepairReport, 'repaired' | 'lost' | 'waiting'> => ({
      repaired: repairStepsOf({ mended: repaired, taken: filled.taken, files: of, key }, named),
      ...lossesOf({ ...lossy, files: of }, named),
    })
    const isStoreWhole = salvage.damage.length === 0 && Object.values(outcome([])).every((list) => list.length === 0)
    if (other !== undefined && !isStoreWhole) throw other
    const report: RepairReport = {
      ...outcome(files),
      from: archive === undefined ? null : archive.manifest.name,
      mended: null,
      kept: null,
      damage: salvage.damage.map(damageText),
      finished: null,
    }
    if (dryRun || (isStoreWhole && files.length === 0)) return report
    if (report.lost.length > 0) await options.accept(report.lost)
    const putting: Omit<PutFilesOptions, 'store' | 'kept'> = { seal, now, mirrored, integrity: options.integrity, files: places.files }
    if (isStoreWhole) {
      const stored = join(places.home, storedName(places.home, 'files', now()))
      await putFiles(files, { ...putting, store: places.store, kept: stored })
      return { ...report, mended: 'files', kept: existsSync(stored) ? stored : null }
    }
    const stored = storedName(places.home, 'store', now())
    // Replaced files go into the damaged store's folder, which is kept.
    await putFiles(files, { ...putting, store: draft, kept: places.store })
    const paired = await withDraft(draft, (at) => pairedAccounts(at))
    if (paired.size > 0) await rebuildItems({ ...putting, opened: await openStore({ folder: draft, now }) }, [], paired)
    await checkDraft(draft, places, seal, options)
    if (key.isFromBackup) await putKey(places, key, places.store)
    const ready: RepairReport = { ...report, mended: 'store', kept: join(places.home, stored) }
    await workspace.swapIn({ kept: stored, begun, report: ready })
    return ready
  } finally {
    await salvage.close()
    await backup?.db.close()
  }
}

async function withDraft<T>(draft: string, work: (db: Database) => T): Promise<Awaited<T>> {
  const db = await openDatabase(join(draft, 'db'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/**
 * Checks the new store like any other.
 * @throws StillDamaged
 */
async function checkDraft(draft: string, { files }: HomePlaces, seal: Seal, { now, progress }: RepairOptions): Promise<void> {
  const opened = await openStore({ folder: draft, now })
  let done = 0
  try {
    const { problems } = await checkStore(opened.db, {
      head: opened.committer.head,
      ...{ files, seal, comparison: changeComparison },
      pause: () => {
        done += 1
        if (done % 1000 === 0) progress('checking', done)
        return undefined
      },
    })
    if (problems.length > 0) throw new StillDamaged(problems)
  } finally {
    await opened.close()
  }
}

