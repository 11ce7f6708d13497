/**
 * Attached files whose bytes no longer match their digest: one small record each, `files/.damaged/<account>-<SHA-256>`,
 * which survives restarts. It is removed when the bytes are restored.
 */
import type { Stats } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAccountFolder, isFileDigest, namesIn } from '../leveldb/filesOnDisk.js'

/** A file whose bytes are damaged. */
export interface DamagedFile {
  account: string
  /** SHA-256 of the original bytes. */
  digest: string
  /** Time of detection, in seconds. */
  found: number
}

/** Identity of the damaged file on disk: a replacement at the same path is not damaged. */
export type FileSeen = Pick<Stats, 'ino' | 'mtimeMs' | 'size'>

interface DamagedFiles {
  has(account: string, digest: string): boolean
  /** Records a file as damaged; on disk when this resolves. */
  mark(file: DamagedFile, seen: FileSeen): Promise<void>
  /** Removes the record of a file whose bytes were restored or removed. */
  clear(account: string, digest: string): Promise<void>
  erase(account: string): Promise<void>
  list(): DamagedFile[]
}

/** Checks that two identities are those of one file. */
export const isSameFile = (a: FileSeen, b: FileSeen): boolean => a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.size === b.size

const nameOf = (account: string, digest: string): string => `${account}-${digest}`

/** Folder of the records, within that of the attached files. */
export const damagedFolder = (files: string): string => join(files, '.damaged')

/** Returns the damaged files recorded in `folder`, by account and digest. */
export async function damagedIn(folder: string): Promise<Pick<DamagedFile, 'account' | 'digest'>[]> {
  const named = (await namesIn(folder)).map((name) => name.split('-'))
  return named.flatMap(([account = '', digest = '']) => (isAccountFolder(account) && isFileDigest(digest) ? [{ account, digest }] : []))
}

/** Reads the records in `folder`; drops those of files that were replaced since. */
export async function openDamaged(folder: string, pathOf: (account: string, digest: string) => string): Promise<DamagedFiles> {
  const known = new Map<string, DamagedFile>()
  for (const { account, digest } of await damagedIn(folder)) {
    const name = nameOf(account, digest)
    const recorded = await readFile(join(folder, name), 'utf8').then(readMark, () => undefined)
    const file = await stat(pathOf(account, digest)).catch(() => undefined)
    if (recorded !== undefined && file !== undefined && isSameFile(file, recorded)) known.set(name, { account, digest, found: recorded.found })
    else await rm(join(folder, name), { force: true })
  }

  async function clear(name: string): Promise<void> {
    if (known.delete(name)) await rm(join(folder, name), { force: true })
  }

  return {
    has: (account, digest) => known.size > 0 && known.has(nameOf(account, digest)),
    async mark(file, { ino, mtimeMs, size }) {
      const name = nameOf(file.account, file.digest)
      known.set(name, file)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, name), JSON.stringify({ found: file.found, ino, mtimeMs, size }), { mode: 0o600, flush: true })
      // The file may have been restored meanwhile.
      if (!known.has(name)) await rm(join(folder, name), { force: true })
    },
    clear: (account, digest) => clear(nameOf(account, digest)),
    async erase(account) {
      for (const [name, file] of [...known]) if (file.account === account) await clear(name)
    },
    list: () => [...known.values()],
  }
}

function readMark(text: string): (FileSeen & { found: number }) | undefined {
  try {
    const recorded = JSON.parse(text) as Partial<FileSeen & { found: number }>
    const { found = 0, ino = 0, mtimeMs = 0, size = 0 } = recorded
    return { found, ino, mtimeMs, size }
  } catch {
    return undefined
  }
}
