/** Attached files whose bytes are damaged or gone: put back from wherever the same bytes are. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Archive } from '../../../store/backup/archive.js'
import { isAccountFolder, namesIn } from '../../../store/leveldb/filesOnDisk.js'
import type { BrokenFile } from '../../../store/repair/pass.js'
import { syncFolder } from '../../../store/leveldb/syncFolder.js'

export interface FileSources {
  /** Folder of the attached files. */
  files: string
  archive: Archive | undefined
}

/** Where the bytes of a file are to be had. */
export interface FileSource {
  from: 'backup' | 'account'
  bytes(): AsyncIterable<Uint8Array>
}

/** Where the bytes of a file are; undefined when they are nowhere. */
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
 * Puts the bytes of a file into their place, on disk when this resolves; what is there goes to the same place below
 * `kept`. Answers false when the bytes turn out to be others.
 */
export async function putFile(files: string, stored: string, { account, digest }: BrokenFile, { bytes }: FileSource): Promise<boolean> {
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
    await keepFile(files, stored, { account, digest })
    await rename(draft, path)
    await syncFolder(dirname(path))
    return true
  } finally {
    await rm(draft, { force: true })
  }
}

/** Moves what is in the place of a file below `kept`, as far as there is something. */
export async function keepFile(files: string, stored: string, { account, digest }: Pick<BrokenFile, 'account' | 'digest'>): Promise<void> {
  const place = join(account, digest.slice(0, 2), digest)
  const to = join(stored, 'files', place)
  if (!existsSync(join(files, place))) return
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(join(files, place), to)
}
