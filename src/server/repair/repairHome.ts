/**
 * Mends a damaged store: a new one is made beside it, of everything that can be read of it and of a backup, is checked
 * as any store, and only then gets its place. The damaged one is kept.
 */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../store/backup/archive.js'
import { writeEntries } from '../../store/backup/restore.js'
import { checkStore } from '../../store/check.js'
import type { Problem } from '../../store/check/findings.js'
import { openDatabase, type Database } from '../../store/database.js'
import { damageText } from '../../store/files/damage.js'
import { accountKeys } from '../../store/keys.js'
import type { IntegrityAlgorithm } from '../../store/model/integrity.js'
import type { Opening } from '../../store/nodeKey.js'
import { NoStore, openStore } from '../../store/open.js'
import { fillDraft, type Backup, type Filled } from '../../store/repair/draft.js'
import { findEntries } from '../../store/repair/found.js'
import type { BrokenFile } from '../../store/repair/round.js'
import type { Seal } from '../../store/seal.js'
import { compareWithChanges } from '../../sync/compareWithChanges.js'
import { dropFiles, remake } from '../../sync/remake.js'
import type { HomePlaces } from '../init.js'
import { keepFile, putFile, sourceOf, type FileSource } from './files.js'
import { keyFor, putKey, type UsedKey } from './key.js'
import { mend } from './mend.js'
import { finishPlacing, keptName, openWorkshop, readyIn, type Workshop } from './place.js'
import { lossesOf, mendingsOf, namedBy, pairedAccounts, type Loss, type PeerName, type RepairReport } from './report.js'

export interface RepairOptions {
  archive: Archive | undefined
  /** The paired node from which what is nowhere is to come afterwards. */
  peer: PeerName | undefined
  /** Asked when the node key is behind a passphrase. */
  passphrase: Opening['passphrase']
  /** The algorithm of the integrity of events, where it is on. */
  integrity: IntegrityAlgorithm | undefined
  dryRun: boolean
  /** Asked before anything is changed when something is nowhere; rejects to leave everything as it is. */
  accept(lost: readonly Loss[]): Promise<void>
  /** Seconds. */
  now(): number
  /** Hears what is being done, and of how many entries were looked at. */
  progress(work: 'reading' | 'mending' | 'checking', done: number): void
}

/** Thrown when no account of the store is mirrored with a node of a name. */
export class NoSuchPeer extends Error {
  constructor({ name, user }: PeerName) {
    super(`No account${user === undefined ? '' : ` ${user}`} of this node has a paired node "${name}" with a copy of everything.`)
  }
}

/** Thrown when what was made is not whole either: nothing was put in place. */
export class StillDamaged extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super('What could be read does not make a whole store.')
  }
}

/**
 * Repairs the store of a home that no node runs. Where an earlier repair was interrupted after it had made a whole store,
 * that gets its place, and nothing else is looked at.
 * @throws NoStore, StoreLocked, NodeKeyUnusable, WrongPassphrase, OtherHistory, ArchiveDamaged, StillDamaged, what
 * `accept` throws
 */
export async function repairHome(places: HomePlaces, options: RepairOptions): Promise<RepairReport> {
  const ready = await readyIn(places)
  if (ready !== undefined) {
    if (!options.dryRun) await finishPlacing(places)
    return { ...(ready.report as RepairReport), finished: ready.begun }
  }
  if (!existsSync(places.store)) throw new NoStore(places.store)
  const workshop = await openWorkshop(places)
  try {
    return await repairIn(workshop, places, options)
  } finally {
    await workshop.close()
  }
}

async function repairIn(workshop: Workshop, places: HomePlaces, options: RepairOptions): Promise<RepairReport> {
  const { archive, now, dryRun, progress } = options
  const { draft, scratch } = workshop
  const begun = now()
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  progress('reading', 0)
  const found = await findEntries(places.store, join(scratch, 'found'))
  const backup = archive === undefined ? undefined : await openBackup(archive, join(scratch, 'backup'))
  try {
    const db = await openDatabase(join(draft, 'db'), { create: true })
    let filled: Filled
    let key: UsedKey
    try {
      filled = await fillDraft(db, found, backup)
      if (found.damage.length > 0 && (await isEmpty(db))) throw new StillDamaged([{ where: 'the store', what: 'holds nothing that can be read' }])
      key = await keyFor(places, db, options)
    } finally {
      await db.close()
    }
    const { seal } = key
    const mended = await mend({
      ...{ draft, seal, now, integrity: options.integrity, files: places.files },
      backup: backup?.db,
      looked: (done) => progress('mending', done),
    })
    if (mended.left.length > 0) throw new StillDamaged(mended.left)
    const files = await Promise.all(
      mended.files.map(async (file) => ({ file, source: await sourceOf({ files: places.files, archive }, file) })),
    )
    const named = await withDraft(draft, namedBy)
    const mirrored = await withDraft(draft, (at) => (options.peer === undefined ? new Set<string>() : pairedAccounts(at, options.peer)))
    if (options.peer !== undefined && mirrored.size === 0) throw new NoSuchPeer(options.peer)
    const losses = lossesOf({ mended, found, filled, key, files, mirrored, isBackedUp: backup !== undefined }, named)
    const repaired = mendingsOf({ mended, taken: filled.taken, files, key }, named)
    const report: RepairReport = {
      repaired,
      from: archive === undefined ? null : archive.manifest.name,
      lost: losses.lost,
      waiting: losses.waiting,
      kept: null,
      damage: found.damage.map(damageText),
      finished: null,
    }
    const isWhole = found.damage.length === 0 && repaired.length === 0 && losses.lost.length + losses.waiting.length === 0
    if (isWhole) return report
    if (dryRun) return report
    if (losses.lost.length > 0) await options.accept(losses.lost)
    const kept = keptName(places.home, now())
    // The damaged store is kept as a folder, so what goes into it is kept with it.
    await putFiles(places, places.store, files, mirrored, { draft, seal, options })
    await prove(draft, places, seal, options)
    if (key.isFromBackup) await putKey(places, key, places.store)
    const ready = { ...report, kept: join(places.home, kept) }
    await workshop.place({ kept, begun, report: ready })
    return ready
  } finally {
    await found.close()
    await backup?.db.close()
  }
}

/** Whether there is no account: an empty node must never come up in place of a lost one. */
async function isEmpty(db: Database): Promise<boolean> {
  const source = db.keys({ gte: '1', lt: '~' }, { limit: 1 })
  const found = await source.next(1)
  await source.close()
  return found.length === 0
}

async function withDraft<T>(draft: string, work: (db: Database) => T): Promise<Awaited<T>> {
  const db = await openDatabase(join(draft, 'db'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

async function openBackup(archive: Archive, folder: string): Promise<Backup> {
  const db = await openDatabase(folder, { create: true })
  try {
    for (const member of archive.members) if (member.kind === 'entries') await writeEntries(archive, member, db)
    return { archive, db }
  } catch (error) {
    await db.close()
    throw error
  }
}

interface PuttingFiles {
  draft: string
  seal: Seal
  options: RepairOptions
}

/** Puts files back; those that are nowhere are asked of the paired node, or taken out of their events. */
async function putFiles(
  { files: folder }: HomePlaces,
  kept: string,
  files: readonly { file: BrokenFile; source: FileSource | undefined }[],
  mirrored: ReadonlySet<string>,
  { draft, seal, options }: PuttingFiles,
): Promise<void> {
  const gone: BrokenFile[] = []
  const wanted: BrokenFile[] = []
  for (const { file, source } of files) {
    if (source !== undefined && (await putFile(folder, kept, file, source))) continue
    await keepFile(folder, kept, file)
    if (mirrored.has(file.account)) wanted.push(file)
    else gone.push(file)
  }
  await withDraft(draft, async (db) => {
    const batch = db.batch()
    for (const { account, digest, size } of wanted) batch.put(accountKeys.wantedFile(account, digest), String(size))
    if (batch.length > 0) await batch.write({ sync: true })
  })
  const paired = await withDraft(draft, (db) => pairedAccounts(db))
  const opening = { folder: draft, now: options.now }
  if (gone.length > 0) {
    await dropFiles({ opened: await openStore(opening), seal, integrity: options.integrity, now: options.now }, gone)
  }
  if (paired.size > 0) {
    await remake({ opened: await openStore(opening), seal, integrity: options.integrity, now: options.now }, [], paired)
  }
}

/** Checks the store that was made like any other. @throws StillDamaged */
async function prove(draft: string, { files }: HomePlaces, seal: Seal, { now, progress }: RepairOptions): Promise<void> {
  const opened = await openStore({ folder: draft, now })
  let done = 0
  try {
    const { problems } = await checkStore(opened.db, {
      head: opened.committer.head,
      ...{ files, seal, compare: compareWithChanges },
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

