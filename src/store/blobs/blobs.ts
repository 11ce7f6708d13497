/**
 * The bytes of attached files, outside the database: `files/<account>/<first two digits>/<SHA-256>`. A file is written
 * beside its final path (writing.ts), synced, and renamed before the event that names it commits. It stays while an event
 * refers to it (fileReferences.ts), or an upload that is not committed yet. `Blobs` is the interface, `openBlobs` opens it.
 *
 * Files of other nodes arrive after their events: missingBlobs.ts lists those still to fetch, partialFiles.ts keeps received
 * parts. damagedFiles.ts records files whose bytes no longer match their digest.
 */
import { existsSync } from 'node:fs'
import { readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Database } from '../engine/database.js'
import { accountKeys, under } from '../engine/keys.js'
import { diskFailure, isAccountFolder, isFileDigest, makeFolder, namesIn, syncFolder } from '../leveldb/filesOnDisk.js'
import type { IntegrityAlgorithm } from '../model/integrity.js'
import { damagedFolder, isSameFile, openDamaged, type DamagedFile, type FileSeen } from './damagedFiles.js'
import { isReferenced } from './fileReferences.js'
import { openPartials, type PartialFile } from './partialFiles.js'
import { placeTogether, writeHashed, type Received, type WholeFile } from './writing.js'

export interface Blobs {
  readonly folder: string
  /**
   * Receives the bytes of a file. Leaves no file behind when it rejects.
   * @throws Failure `storage-full`, `read-only` when the disk fails, `payload-too-large` with more than `limitMb`
   * megabytes; errors of `bytes`
   */
  receive(bytes: AsyncIterable<Uint8Array>, limitMb: number, algorithm: IntegrityAlgorithm): Promise<Received>
  /** Discards a received file. Never rejects. */
  drop(received: Received): Promise<void>
  /** Moves a file to its final path, on disk when this resolves, and holds it there until `release`. */
  keep(account: string, received: Received): Promise<void>
  /**
   * Moves complete files from another node to their final paths; all are on disk when this resolves. Syncs files in
   * parallel and each folder once. Returns for each whether its bytes match its digest; discards the others.
   */
  placeAll(account: string, files: readonly WholeFile[]): Promise<boolean[]>
  /** Reserves the receiving of a file from another node until `unreserve`; returns false when another session has it. */
  reserve(account: string, digest: string): boolean
  unreserve(account: string, digest: string): void
  /** Checks that the bytes of a file are present, not known to be damaged, and not being removed. */
  isPresent(account: string, digest: string): boolean
  /** Holds a file at its final path, until `release`. */
  hold(account: string, digest: string): void
  /** Starts to receive a file from another node, or resumes where an earlier process stopped. */
  partial(account: string, digest: string): Promise<PartialFile>
  /** Releases a file; it stays when an event refers to it. */
  release(account: string, digest: string): Promise<void>
  /** Removes those of the files that nothing refers to. */
  removeUnreferenced(account: string, digests: readonly string[]): Promise<void>
  pathOf(account: string, digest: string): string
  /** Returns account and digest of the file at a path from `pathOf`; undefined for other paths. */
  fileAt(path: string): { account: string; digest: string } | undefined
  /**
   * Records that a file's bytes do not match its digest; from now on it counts as missing. Returns false when another
   * file has replaced it.
   */
  markDamaged(file: DamagedFile, seen: FileSeen): Promise<boolean>
  /** Returns the damaged files that were not restored yet. */
  damaged(): DamagedFile[]
  /** Returns the folder of files derived from a file, such as previews; removed with it. */
  derivedOf(account: string, digest: string): string
  eraseAccount(account: string): Promise<void>
  /** Runs `work` while no file is removed; removals wait. */
  withoutRemovals<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work`, of any duration, while no file of the account is removed; removals are postponed to its end. */
  withFilesOf<T>(account: string, work: () => Promise<T>): Promise<T>
  /**
   * Returns an unused path for an upload in many pieces, on the disk of the files. The next start removes the remains
   * of a crash.
   */
  scratch(): Promise<string>
  /** Removes remains of crashes: files without references that are older than `graceSeconds`. */
  sweep(now: number, graceSeconds: number): Promise<void>
  /** Removes derived files last used before `oldest`, in seconds. */
  prune(oldest: number): Promise<void>
  /** Resolves when all work in progress is done. */
  settled(): Promise<void>
}

interface BlobOptions {
  folder: string
  db: Database
  /** False after an I/O error: the content on disk is then unknown, so nothing is removed. */
  isSound(): boolean
}

const MAX_DURABLE = 10_000

/** Opens the files beside a database; removes unfinished uploads of earlier processes. */
export async function openBlobs({ folder, db, isSound }: BlobOptions): Promise<Blobs> {
  const incoming = join(folder, '.incoming')
  const derived = join(folder, '.derived')
  const reserved = new Set<string>()
  const held = new Map<string, number>()
  const removing = new Map<string, Promise<void>>()
  /** Folders known to be on disk. */
  const durable = new Set<string>()
  const begun = new Set<Promise<unknown>>()
  /** Work that needs all files to stay. */
  const removalBlockers = new Set<Promise<unknown>>()
  /** Work that needs an account's files to stay, each with the removals postponed meanwhile. */
  const accountBlockers = new Map<string, Set<Set<string>>>()
  let count = 0

  await rm(incoming, { recursive: true, force: true })

  const pathOf = (account: string, digest: string): string => join(folder, account, digest.slice(0, 2), digest)
  const damaged = await openDamaged(damagedFolder(folder), pathOf)
  const derivedOf = (account: string, digest: string): string => join(derived, account, digest)

  /** Waits until pending removals of a file are decided. */
  async function removalsDecided(path: string): Promise<void> {
    for (let one = removing.get(path); one !== undefined; one = removing.get(path)) await one
  }

  async function removeUnlessNeeded(account: string, digest: string): Promise<void> {
    const path = pathOf(account, digest)
    while (removalBlockers.size > 0 || removing.has(path)) {
      await Promise.all(removalBlockers)
      await removalsDecided(path)
    }
    // A holder checks again on release.
    if (held.has(path) || !isSound()) return
    const [blocker] = accountBlockers.get(account) ?? []
    if (blocker !== undefined) return void blocker.add(digest)
    const removal = (async () => {
      if ((await isReferenced(db, account, digest)) || !isSound()) return
      await rm(path, { force: true })
      await rm(derivedOf(account, digest), { recursive: true, force: true })
      await damaged.clear(account, digest)
    })()
    const decided = removal.catch(() => {}).then(() => void removing.delete(path))
    removing.set(path, decided)
    await removal
  }

  /** Moves a synced file to its final path and reserves it there; the folder is still to be synced. */
  async function move(account: string, { path: from, digest }: Pick<Received, 'path' | 'digest'>): Promise<void> {
    const path = pathOf(account, digest)
    await removalsDecided(path)
    held.set(path, (held.get(path) ?? 0) + 1)
    try {
      await makeDurable(dirname(path))
      // Overwrites existing bytes too: they may be damaged, or not yet on disk.
      await rename(from, path)
      await damaged.clear(account, digest)
    } catch (error) {
      await release(account, digest).catch(() => {})
      throw diskFailure(error)
    }
  }

  async function storeReceived(account: string, received: Pick<Received, 'path' | 'digest'>): Promise<void> {
    await move(account, received)
    try {
      await syncFolder(dirname(pathOf(account, received.digest)))
    } catch (error) {
      await release(account, received.digest).catch(() => {})
      throw diskFailure(error)
    }
  }

  const placeAll = (account: string, files: readonly WholeFile[]): Promise<boolean[]> =>
    placeTogether(files, {
      incoming,
      draftPath: () => join(incoming, String(count++)),
      move: (file) => move(account, file),
      folderOf: (digest) => dirname(pathOf(account, digest)),
      release: (digest) => release(account, digest),
    })

  const partials = openPartials({
    folder: join(folder, '.partial'),
    isWanted: (account, digest) => db.get(accountKeys.wantedFile(account, digest)) !== undefined,
    async place(account, digest, path) {
      await storeReceived(account, { path, digest })
      // Its event may have been deleted meanwhile.
      await release(account, digest)
    },
  })

  function track<T>(work: Promise<T>): Promise<T> {
    const ended = work.then(
      () => {},
      () => {},
    )
    begun.add(ended)
    void ended.then(() => begun.delete(ended))
    return work
  }

  function release(account: string, digest: string): Promise<void> {
    const path = pathOf(account, digest)
    const others = (held.get(path) ?? 1) - 1
    if (others > 0) {
      held.set(path, others)
      return Promise.resolve()
    }
    held.delete(path)
    return track(removeUnlessNeeded(account, digest))
  }

  async function makeDurable(path: string): Promise<void> {
    if (durable.has(path)) return
    await makeFolder(path)
    for (let at = path; at.length >= folder.length; at = dirname(at)) await syncFolder(dirname(at))
    if (durable.size >= MAX_DURABLE) durable.clear()
    durable.add(path)
  }

  async function sweepAccount(account: string, oldest: number): Promise<void> {
    for (const first of await namesIn(join(folder, account))) {
      const referred = new Set<string>()
      const prefix = accountKeys.fileReferences(account)
      const keys = db.keys(under(prefix + first))
      try {
        for (let page = await keys.next(500); page.length > 0; page = await keys.next(500)) {
          for (const key of page) referred.add(key.slice(prefix.length, prefix.length + 64))
        }
      } finally {
        await keys.close()
      }
      for (const digest of await namesIn(join(folder, account, first))) {
        if (!isFileDigest(digest) || referred.has(digest)) continue
        const file = await stat(pathOf(account, digest)).catch(() => undefined)
        if (file !== undefined && file.mtimeMs / 1000 <= oldest) await removeUnlessNeeded(account, digest)
      }
    }
  }

  return {
    folder,
    pathOf,
    derivedOf,
    receive: (bytes, limitMb, algorithm) =>
      track(
        (async () => {
          await makeFolder(incoming)
          return writeHashed(join(incoming, String(count++)), bytes, limitMb, algorithm)
        })(),
      ),
    // The next start removes the rest.
    drop: ({ path }) => unlink(path).catch(() => {}),
    keep: (account, received) => track(storeReceived(account, received)),
    placeAll: (account, files) => track(placeAll(account, files)),
    reserve(account, digest) {
      const path = pathOf(account, digest)
      if (reserved.has(path)) return false
      reserved.add(path)
      return true
    },
    unreserve: (account, digest) => void reserved.delete(pathOf(account, digest)),
    isPresent(account, digest) {
      const path = pathOf(account, digest)
      return !removing.has(path) && !damaged.has(account, digest) && existsSync(path)
    },
    fileAt(path) {
      const [account = '', , digest = ''] = relative(folder, path).split(sep)
      return isAccountFolder(account) && isFileDigest(digest) && pathOf(account, digest) === path ? { account, digest } : undefined
    },
    async markDamaged(file, seen) {
      const there = await stat(pathOf(file.account, file.digest)).catch(() => undefined)
      if (there === undefined || !isSameFile(there, seen)) return false
      if (!damaged.has(file.account, file.digest)) await damaged.mark(file, seen)
      return true
    },
    damaged: () => damaged.list(),
    hold(account, digest) {
      const path = pathOf(account, digest)
      held.set(path, (held.get(path) ?? 0) + 1)
    },
    partial: (account, digest) => track(partials.open(account, digest)),
    release,
    async removeUnreferenced(account, digests) {
      for (const digest of digests) await track(removeUnlessNeeded(account, digest))
    },
    async withoutRemovals(work) {
      const done = track(Promise.all([...removing.values()]).then(work))
      const ended = done.then(
        () => {},
        () => {},
      )
      removalBlockers.add(ended)
      try {
        return await done
      } finally {
        removalBlockers.delete(ended)
      }
    },
    withFilesOf: (account, work) =>
      track(
        (async () => {
          const postponed = new Set<string>()
          const blockers = accountBlockers.get(account) ?? new Set()
          accountBlockers.set(account, blockers.add(postponed))
          try {
            // Files being removed already had no references.
            await Promise.all(removing.values())
            return await work()
          } finally {
            blockers.delete(postponed)
            if (blockers.size === 0) accountBlockers.delete(account)
            for (const digest of postponed) void track(removeUnlessNeeded(account, digest)).catch(() => {})
          }
        })(),
      ),
    async scratch() {
      await makeFolder(incoming)
      return join(incoming, String(count++))
    },
    async eraseAccount(account) {
      while (removalBlockers.size > 0) await Promise.all(removalBlockers)
      const gone = join(folder, account)
      for (const path of durable) if (path.startsWith(gone)) durable.delete(path)
      await rm(gone, { recursive: true, force: true })
      await rm(join(derived, account), { recursive: true, force: true })
      await partials.erase(account)
      await damaged.erase(account)
      if (existsSync(folder)) await syncFolder(folder)
    },
    sweep: (now, graceSeconds) =>
      track(
        (async () => {
          for (const account of await namesIn(folder)) {
            if (isAccountFolder(account)) await sweepAccount(account, now - graceSeconds)
          }
          await partials.sweep(now, graceSeconds)
        })(),
      ),
    prune: (oldest) => track(pruneFolder(derived, oldest)),
    async settled() {
      await partials.close()
      while (begun.size > 0) await Promise.all(begun)
    },
  }
}

/** Removes old files and empty folders. */
async function pruneFolder(folder: string, oldest: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      await pruneFolder(path, oldest)
      // The file system refuses to remove a folder that is not empty.
      await rmdir(path).catch(() => {})
      continue
    }
    const file = await stat(path).catch(() => undefined)
    if (file !== undefined && file.mtimeMs / 1000 < oldest) await rm(path, { force: true })
  }
}
