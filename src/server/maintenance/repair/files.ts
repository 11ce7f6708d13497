/** Repair of attached files with damaged or missing bytes, from any place that has the same bytes. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Archive } from '../../../store/backup/archive.js'
import { isAccountFolder, namesIn, syncFolder } from '../../../store/leveldb/filesOnDisk.js'
import type { BrokenFile } from '../../../store/repair/pass.js'

interface FileSources {
  /** Folder of the attached files. */
  files: string
  archive: Archive | undefined
}

/** A place that has the bytes of a file. */
export interface FileSource {
  from: 'backup' | 'account'
  bytes(): AsyncIterable<Uint8Array>
}

/** Finds the bytes of a file; undefined when no source has them. */
export async function sourceOf({ files, archive }: FileSources, { account, digest }: BrokenFile): Promise<FileSource | undefined> {
  const member = archive?.members.find((each) => each.kind === 'file' && each.digest === digest)
  if (archive !== undefined && member !== undefined) return { from: 'backup', bytes: () => archive.read(member) }
  for (const other of (await namesIn(files)).filter(isAccountFolder)) {
    const path = join(files, other, digest.slice(0, 2), digest)
    if (other !== account && (await digestOf(path)) === digest) {
      return { from: 'account', bytes: () => createReadStream(path) as AsyncIterable<Buffer> }
    }
  }
  return undefined
}

async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    return hash.digest('hex')
  } catch {
    return undefined
  }
}

/**
 * Writes the bytes of a file to its path; resolves when they are on disk. Moves an existing file to the same path below `kept`.
 * Returns false if the digest does not match.
 */
export async function putFile(files: string, kept: string, { account, digest }: BrokenFile, { bytes }: FileSource): Promise<boolean> {
  const place = join(account, digest.slice(0, 2), digest)
  const path = join(files, place)
  const draft = `${path}.repair`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes()) {
      hash.update(chunk)
      yield chunk
    }
  }
  try {
    await pipeline(Readable.from(hashed()), createWriteStream(draft, { mode: 0o600 }))
    if (hash.digest('hex') !== digest) return false
    const file = await open(draft, 'r')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
    await setFileAside(files, kept, { account, digest })
    await rename(draft, path)
    await syncFolder(dirname(path))
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

/** Moves the file at a path below `kept`, if there is one. */
export async function setFileAside(files: string, kept: string, { account, digest }: Pick<BrokenFile, 'account' | 'digest'>): Promise<void> {
  const place = join(account, digest.slice(0, 2), digest)
  const to = join(kept, 'files', place)
  if (!existsSync(join(files, place))) return
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(join(files, place), to)
}
