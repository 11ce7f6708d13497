/**
 * Folders and files on disk: names and listings of attached-file folders, sync of folders, and conversion of disk errors
 * to failures.
 */
import { mkdir, open, readdir } from 'node:fs/promises'
import { Failure } from '../model/failure.js'

/** Checks whether a folder has the name of an account folder, a key prefix. */
export const isAccountFolder = (name: string): boolean => /^[0-9a-z]+$/.test(name)

/** Checks whether a text is a file digest: SHA-256, hexadecimal. */
export const isFileDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Returns the names in a folder; none when it does not exist. */
export const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => [])

/** Error codes of a disk that fails to read. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['EIO', 'EBADMSG', 'EUCLEAN'])

/** Checks whether an error means a failed disk read. */
export const isUnreadable = (error: unknown): boolean => error instanceof Error && 'code' in error && UNREADABLE.has(error.code)

/** Error codes of a disk that refuses writes: failed, without power, or remounted read-only. */
const FAILED: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'ENODEV', 'ENXIO', 'EUCLEAN'])

/**
 * Creates a folder and its parents.
 * @throws Failure `storage-full`, `read-only`
 */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // On a failed disk Node.js reports the parent folder as missing, since it cannot be read.
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw diskFailure(isMissing ? Object.assign(new Error(error.message), { code: 'EIO' }) : error)
  })
}

/** Converts a full or failed disk to a failure of the catalogue. */
export function diskFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (FAILED.has(code)) return new Failure('read-only', 'The disk failed while a file was written; nothing was changed.')
  return code === 'ENOSPC' || code === 'EDQUOT' ? new Failure('storage-full') : error
}

/** Syncs the entries of a folder to disk; without it, a crash may lose files created or renamed there. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
