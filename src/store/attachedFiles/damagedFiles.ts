/**
 * Attached files of which a reader found out that their bytes are others than were attached: `files/.damaged/<account>-<SHA-256>`,
 * a small file each that tells of it, so that it is known after a restart. It goes when the bytes get their place again.
 */
import type { Stats } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAccountFolder, isFileDigest, namesIn } from '../filesOnDisk.js'

/** A file whose bytes are damaged. */
export interface DamagedFile {
  account: string
  /** SHA-256 of what was attached. */
  digest: string
  /** When it was found, seconds. */
  found: number
}

/** The file that was read: another one in its place is not damaged. */
export type FileSeen = Pick<Stats, 'ino' | 'mtimeMs' | 'size'>

export interface DamagedFiles {
  has(account: string, digest: string): boolean
  /** Remembers a file as damaged; on disk when this resolves. */
  mark(file: DamagedFile, seen: FileSeen): Promise<void>
  /** Forgets one whose bytes were put back or removed. */
  clear(account: string, digest: string): Promise<void>
  erase(account: string): Promise<void>
  list(): DamagedFile[]
}

/** Whether two files are one. */
export const isSameFile = (a: FileSeen, b: FileSeen): boolean => a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.size === b.size

const nameOf = (account: string, digest: string): string => `${account}-${digest}`

/** Folder of what is remembered, in that of the attached files. */
export const damagedFolder = (files: string): string => join(files, '.damaged')

/** The files that are remembered as damaged in `folder`, by account and digest. */
export async function damagedIn(folder: string): Promise<Pick<DamagedFile, 'account' | 'digest'>[]> {
  const named = (await namesIn(folder)).map((name) => name.split('-'))
  return named.flatMap(([account = '', digest = '']) => (isAccountFolder(account) && isFileDigest(digest) ? [{ account, digest }] : []))
}

/** Reads what was remembered in `folder`; files that were replaced since are forgotten. */
export async function openDamaged(folder: string, pathOf: (account: string, digest: string) => string): Promise<DamagedFiles> {
  const known = new Map<string, DamagedFile>()
  for (const { account, digest } of await damagedIn(folder)) {
    const name = nameOf(account, digest)
    const told = await readFile(join(folder, name), 'utf8').then(readMark, () => undefined)
    const file = await stat(pathOf(account, digest)).catch(() => undefined)
    if (told !== undefined && file !== undefined && isSameFile(file, told)) known.set(name, { account, digest, found: told.found })
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
      // It may have been put back meanwhile.
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
    const told = JSON.parse(text) as Partial<FileSeen & { found: number }>
    const { found = 0, ino = 0, mtimeMs = 0, size = 0 } = told
    return { found, ino, mtimeMs, size }
  } catch {
    return undefined
  }
}
