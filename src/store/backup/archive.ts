/**
 * Archives: folders of members with an index, written beside their final path and moved there when complete. Members
 * that an earlier archive of the folder contains are linked from there (copied where links are impossible). So each
 * archive is complete by itself, and any of them can be removed.
 *
 * `openArchive` reads an `Archive`, `beginArchive` begins an `ArchiveDraft`. create.ts fills one from a store, restore.ts
 * writes a store from one and compares both, retention.ts selects the archives to keep. manifest.ts and memberFile.ts define
 * the files, entries.ts the members of the database. checkpoint.ts makes a copy of an open store of hard links.
 */
import { createHash, createHmac } from 'node:crypto'
import { copyFile, link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { processExists } from '../engine/lock.js'
import { syncFolder } from '../leveldb/filesOnDisk.js'
import { newArchiveKey, openArchiveKey, type ArchiveKey } from './archiveKey.js'
import {
  ARCHIVE_VERSION,
  ArchiveDamaged,
  isProved,
  MANIFEST,
  proved,
  readManifest,
  type Counts,
  type Manifest,
  type MakerFacts,
} from './manifest.js'
import { MemberDamaged, readMember, readWhole, writeMember } from './memberFile.js'
import type { Secret } from '../model/secret.js'

/** A member in the index. */
export interface Member {
  /** Its file within the archive. */
  file: string
  /** Kind of content: `entries`, `file`, `config`, … */
  kind: string
  /** Additional properties, such as the account of a file. */
  about?: Record<string, string>
  /** SHA-256 of its content, hexadecimal. */
  digest: string
  bytes: number
  stored: number
  packed?: true
  /** For entries: the key of the first one, and their number by noun. */
  first?: string
  counts?: Counts
}

const UNFINISHED = '.unfinished'
const ABANDONED_SECONDS = 2 * 86_400
const MEMBERS = 'members'
const INDEX = 'index'
const MAX_INDEX_BYTES = 2 * 1024 * 1024 * 1024 - 1

/** An archive that is open for reading. */
export interface Archive {
  readonly folder: string
  readonly manifest: Manifest
  readonly key: ArchiveKey | undefined
  readonly members: readonly Member[]
  /**
   * Reads a member.
   * @throws ArchiveDamaged, before or at its end
   */
  read(member: Member): AsyncIterable<Uint8Array>
  /** Reads a member of moderate size at once. */
  whole(member: Member): Promise<Buffer>
}

/**
 * Opens an archive; calls `passphrase` when it is sealed.
 * @throws NoArchive, ArchiveUnknown, ArchiveDamaged, WrongPassphrase, errors of `passphrase`
 */
export async function openArchive(folder: string, passphrase: () => Promise<Secret<string>>): Promise<Archive> {
  const manifest = await readManifest(folder)
  const key = manifest.sealing === undefined ? undefined : await openArchiveKey(manifest.sealing, await passphrase())
  return openWith(folder, manifest, key)
}

async function openWith(folder: string, manifest: Manifest, key: ArchiveKey | undefined): Promise<Archive> {
  if (!isProved(manifest, key?.proof)) throw new ArchiveDamaged(folder, `${MANIFEST} was modified`)
  const named = (file: string, error: unknown): unknown =>
    error instanceof MemberDamaged ? new ArchiveDamaged(folder, `${file} ${error.message}`) : error
  const { digest, bytes } = manifest.index
  if (bytes > MAX_INDEX_BYTES) throw new ArchiveDamaged(folder, `${INDEX} is too long`)
  const index = await readWhole(join(folder, INDEX), { digest, bytes, packed: true }, key?.content).catch((error: unknown) => {
    throw named(INDEX, error)
  })
  const members = index.toString('utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Member)
  return {
    folder,
    manifest,
    key,
    members,
    async *read(member) {
      try {
        yield* readMember(join(folder, member.file), member, key?.content)
      } catch (error) {
        throw named(member.file, error)
      }
    },
    whole: (member) =>
      readWhole(join(folder, member.file), member, key?.content).catch((error: unknown) => {
        throw named(member.file, error)
      }),
  }
}

/** Returns the manifests of the complete archives in a folder, oldest first. */
export async function archivesIn(folder: string): Promise<Manifest[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = []
  for (const entry of names) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue
    const manifest = await readManifest(join(folder, entry.name)).catch(() => undefined)
    if (manifest !== undefined) found.push(manifest)
  }
  return found.sort((a, b) => a.made - b.made)
}

/** An archive that is being written. */
export interface ArchiveDraft {
  /** Adds a member with its content; returns the number of bytes written. */
  add(content: Uint8Array, about: ArchiveDetails): Promise<number>
  /** Adds a member from a stream; `digest` is its SHA-256, hexadecimal, and is verified. */
  addStream(content: () => AsyncIterable<Uint8Array>, digest: string, bytes: number, about: ArchiveDetails): Promise<number>
  /** Takes an unchanged member from the base archive; returns false when it is missing there. */
  reuse(member: Member): Promise<boolean>
  /** Adds a member under a readable name, such as `events.ndjson`. */
  addNamed(file: string, content: AsyncIterable<Uint8Array>, about: ArchiveDetails): Promise<void>
  /** Moves the archive to its final path. */
  finish(facts: MakerFacts): Promise<Manifest>
  /** Removes the draft. */
  drop(): Promise<void>
}

interface ArchiveDetails {
  kind: string
  about?: Record<string, string>
  first?: string
  counts?: Counts
  packed?: true
}

interface DraftOptions {
  /** Final path of the archive. */
  folder: string
  /** Seals the archive with a new key; without it and without a sealed `base`, anyone can read the archive. */
  passphrase?: Secret<string> | undefined
  /** An archive whose members may be reused; its key is used. */
  base?: Archive | undefined
}

/** Error when the content of a file does not match its digest. */
export class SourceChanged extends Error {}

/** Starts an archive. */
export async function beginArchive({ folder, passphrase, base }: DraftOptions): Promise<ArchiveDraft> {
  const name = basename(folder)
  const draft = join(dirname(folder), `.${name}.${process.pid}@${hostname()}${UNFINISHED}`)
  await rm(draft, { recursive: true, force: true })
  await mkdir(join(draft, MEMBERS), { recursive: true, mode: 0o700 })
  const key = base?.key ?? (passphrase === undefined ? undefined : await newArchiveKey(passphrase))
  const known = new Map((base?.members ?? []).map((member) => [member.file, member]))
  const members: Member[] = []
  const placed = new Map<string, Member>()
  const folders = new Set<string>()
  const total = { bytes: 0, storedBytes: 0, newBytes: 0 }

  const fileOf = (digest: string): string => {
    const name = key === undefined ? digest : createHmac('sha256', key.names).update(digest).digest('hex')
    return `${MEMBERS}/${name.slice(0, 2)}/${name}`
  }

  function note(member: Member, isNew: boolean): number {
    const isFirst = !placed.has(member.file)
    if (isFirst) placed.set(member.file, member)
    members.push(member)
    total.bytes += member.bytes
    if (isFirst) total.storedBytes += member.stored
    if (isNew && isFirst) total.newBytes += member.stored
    return isNew && isFirst ? member.stored : 0
  }

  /** Returns the member if this archive or the base already contains it. */
  async function existingMember(file: string, bytes: number): Promise<Member | undefined> {
    const here = placed.get(file)
    if (here !== undefined) return here
    const former = known.get(file)
    if (former === undefined || base === undefined || former.bytes !== bytes) return undefined
    const from = join(base.folder, file)
    const size = await stat(from).then(({ size: found }) => found, () => -1)
    if (size !== former.stored) return undefined
    await provide(file)
    await link(from, join(draft, file)).catch(() => copyFile(from, join(draft, file)))
    return former
  }

  async function provide(file: string): Promise<void> {
    const at = dirname(join(draft, file))
    if (folders.has(at)) return
    await mkdir(at, { recursive: true, mode: 0o700 })
    folders.add(at)
  }

  async function addMember(file: string, content: () => Uint8Array | AsyncIterable<Uint8Array>, bytes: number, digest: string, about: ArchiveDetails): Promise<number> {
    const former = await existingMember(file, bytes)
    if (former !== undefined) return note({ ...former, ...about, file }, false)
    await provide(file)
    const written = await writeMember(join(draft, file), content(), { key: key?.content, packed: about.packed }).catch(async (error: unknown) => {
      // An incomplete member is useless.
      await rm(join(draft, file), { force: true })
      throw error
    })
    if (written.digest !== digest) {
      await rm(join(draft, file), { force: true })
      throw new SourceChanged(`The content does not match the digest ${digest}.`)
    }
    return note({ file, ...about, ...written }, true)
  }

  return {
    add(content, about) {
      const digest = createHash('sha256').update(content).digest('hex')
      return addMember(fileOf(digest), () => content, content.length, digest, { ...about, packed: true })
    },
    async reuse(member) {
      const former = await existingMember(member.file, member.bytes)
      if (former !== undefined) note({ ...member, ...former }, false)
      return former !== undefined
    },
    addStream: (content, digest, bytes, about) => addMember(fileOf(digest), content, bytes, digest, about),
    async addNamed(file, content, about) {
      await provide(file)
      note({ file, ...about, ...(await writeMember(join(draft, file), content, { key: key?.content })) }, true)
    },
    async finish(facts) {
      const text = Buffer.from(members.map((member) => `${JSON.stringify(member)}\n`).join(''))
      const index = await writeMember(join(draft, INDEX), text, { key: key?.content, packed: true })
      const manifest = proved(
        {
          archive: 'coffer',
          version: ARCHIVE_VERSION,
          ...facts,
          name,
          ...(base === undefined ? {} : { base: base.manifest.name }),
          ...total,
          members: members.length,
          index: { digest: index.digest, bytes: index.bytes, stored: index.stored },
          ...(key === undefined ? {} : { sealing: key.sealing }),
        },
        key?.proof,
      )
      await writeFile(join(draft, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush: true })
      for (const at of folders) await syncFolder(at)
      await syncFolder(join(draft, MEMBERS))
      await syncFolder(draft)
      await rename(draft, folder)
      await syncFolder(dirname(folder))
      return manifest
    },
    drop: () => rm(draft, { recursive: true, force: true }),
  }
}

/** Removes unfinished archives in a folder, except those that a running process still writes. */
export async function dropUnfinished(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const maker = /\.(\d+)@(.+)\.unfinished$/.exec(name)
    if (!name.startsWith('.') || maker === null) continue
    const path = join(folder, name)
    // For a process on another machine, only the age decides.
    const isOver = maker[2] === hostname() ? !processExists(Number(maker[1])) : await isOlder(path, now - ABANDONED_SECONDS)
    if (isOver) await rm(path, { recursive: true, force: true })
  }
}

async function isOlder(path: string, time: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.mtimeMs / 1000 < time
}
