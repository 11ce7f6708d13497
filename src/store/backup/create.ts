/** Creates an archive of a whole store: all entries, all attached files, the node's key and its settings. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secret } from '../model/secret.js'
import { isAccountFolder, isFileDigest, namesIn } from '../leveldb/filesOnDisk.js'
import type { Database } from '../engine/database.js'
import { openStore } from '../engine/open.js'
import { beginArchive, SourceChanged, type Archive, type ArchiveDraft } from './archive.js'
import { groupsOf, total } from './entries.js'
import type { Counts, Manifest } from './manifest.js'
import { unchangedMembers, type UnchangedMember } from './unchanged.js'

interface BackupSource {
  /** A copy of the store that no other process opens, see checkpoint.ts. */
  store: string
  /** A copy of its attached files. */
  files: string
  /** Files of the node's home besides the store. */
  home: { config?: Buffer; key: Buffer }
}

interface CreateOptions {
  /** Final path of the archive. */
  folder: string
  passphrase?: Secret<string>
  /** The latest archive of the same folder. */
  base?: Archive
  /** Mark of the store's changed-key set (engine/changedKeys.ts) at the time of the copy. */
  mark?: string
  /** Prefixes of all keys that may have been written since `base`; without it, all entries are read. */
  changed?: ReadonlySet<string>
  /** Seconds since the epoch. */
  now(): number
  product: string
  /** Called with the number of bytes read and the approximate total. */
  progress?(bytes: number, of: number): void
}

export interface CreatedArchive {
  manifest: Manifest
  /** Bytes of entries read; the others were taken from the base. */
  readBytes: number
  /** Attached files that could not be added, each with the reason. */
  problems: string[]
}

/** Interval in seconds after which all entries are read again, which verifies them and ends earlier errors. */
const READ_ALL_AFTER = 7 * 86_400

/**
 * Creates an archive of a store, reusing unchanged members of the base.
 * @throws StoreDamaged before anything is written
 */
export async function createArchive(source: BackupSource, options: CreateOptions): Promise<CreatedArchive> {
  const { now, product, mark } = options
  const opened = await openStore({ folder: source.store, now })
  try {
    const draft = await beginArchive(options)
    try {
      const { format, committer, db } = opened
      const sizes = { entries: await db.size({ gte: '', lt: '~' }), files: 0 }
      const files = await filesIn(source.files)
      for (const { size } of files) sizes.files += size
      // The database compresses its entries; the size in the previous archive is the better estimate.
      const expected = Math.max(options.base?.manifest.bytes ?? 0, sizes.entries + sizes.files)
      let done = 0
      const seen = (bytes: number): void => {
        done += bytes
        options.progress?.(bytes, Math.max(expected, done))
      }
      const unchanged = unchangedSince(options)
      const readAll = unchanged.size > 0 ? options.base?.manifest.readAll : now()
      const { counts, readBytes } = await addEntries(draft, db, unchanged, seen)
      const problems = await addFiles(draft, files, seen)
      counts['files'] = files.length - problems.length
      await draft.add(source.home.key, { kind: 'key' })
      if (source.home.config !== undefined) await draft.add(source.home.config, { kind: 'config' })
      const { head } = committer
      const position = { commit: head.sequence, hash: Buffer.from(head.hash).toString('hex') }
      const moments = { made: now(), readAll, ...(mark === undefined ? {} : { mark }) }
      const facts = { kind: 'node' as const, ...moments, product, node: format.node, format: format.format, position, counts }
      return { manifest: await draft.finish(facts), readBytes, problems }
    } catch (error) {
      await draft.drop()
      throw error
    }
  } finally {
    await opened.close()
  }
}

/** Returns the members of entries that need not be read. */
function unchangedSince({ base, changed, now }: CreateOptions): Map<string, UnchangedMember> {
  const age = now() - (base?.manifest.readAll ?? -Infinity)
  // A clock that was set back must not delay the full read.
  if (base === undefined || changed === undefined || age > READ_ALL_AFTER || age < -READ_ALL_AFTER) return new Map()
  return unchangedMembers(base, changed)
}

/** Adds all entries, without reading those of unchanged members. Produces the same members as a full read. */
async function addEntries(
  draft: ArchiveDraft,
  db: Database,
  unchanged: Map<string, UnchangedMember>,
  seen: (bytes: number) => void,
): Promise<{ counts: Counts; readBytes: number }> {
  const found: Counts[] = []
  let readBytes = 0
  const next = { key: '' as string | undefined }
  while (next.key !== undefined) {
    const from = next.key
    const known = unchanged.get(from)
    if (known !== undefined && (await draft.reuse(known.member))) {
      found.push(known.member.counts ?? {})
      seen(known.member.bytes)
      next.key = known.next
      continue
    }
    unchanged.delete(from)
    next.key = undefined
    const ends = (key: string): boolean => {
      if (unchanged.has(key)) next.key = key
      return next.key !== undefined
    }
    for await (const { bytes, first, counts } of groupsOf(db.byteEntries({ gte: from }), ends)) {
      await draft.add(bytes, { kind: 'entries', first, counts })
      found.push(counts)
      readBytes += bytes.length
      seen(bytes.length)
    }
  }
  return { counts: total(found), readBytes }
}

interface FoundFile {
  account: string
  digest: string
  path: string
  size: number
}

async function filesIn(folder: string): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  for (const account of (await namesIn(folder)).filter(isAccountFolder).sort()) {
    for (const first of (await namesIn(join(folder, account))).sort()) {
      for (const digest of (await namesIn(join(folder, account, first))).filter(isFileDigest).sort()) {
        const path = join(folder, account, first, digest)
        found.push({ account, digest, path, size: (await stat(path)).size })
      }
    }
  }
  return found
}

async function addFiles(draft: ArchiveDraft, files: readonly FoundFile[], seen: (bytes: number) => void): Promise<string[]> {
  const problems: string[] = []
  for (const { account, digest, path, size } of files) {
    try {
      const bytes = (): AsyncIterable<Uint8Array> => createReadStream(path) as AsyncIterable<Buffer>
      await draft.addStream(bytes, digest, size, { kind: 'file', about: { account } })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      if (!(error instanceof SourceChanged) && code !== 'EIO' && code !== 'EBADMSG') throw error
      problems.push(`attached file ${digest} of account ${account} ${code === undefined ? 'was modified' : `cannot be read (${code})`}`)
    }
    seen(size)
  }
  return problems
}
