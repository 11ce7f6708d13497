/** How the folders of attached files are named and listed, and what a disk without room means for whoever writes to them. */
import { mkdir, readdir } from 'node:fs/promises'
import { Failure } from './model/failure.js'

/** Whether a folder is named as those of accounts are: by key prefixes. */
export const isAccountFolder = (name: string): boolean => /^[0-9a-z]+$/.test(name)

/** Whether a text is the digest that names a file: its SHA-256, hexadecimal. */
export const isFileDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** What a folder holds; nothing when it is not there. */
export const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => [])

/** What a disk says of bytes that it cannot give. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['EIO', 'EBADMSG', 'EUCLEAN'])

/** Whether the disk could not give the bytes of a file. */
export const isUnreadable = (error: unknown): boolean => error instanceof Error && 'code' in error && UNREADABLE.has(error.code)

/** What a disk says that takes no writes: it failed, lost its power, or was made read-only by its file system. */
const FAILED: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'ENODEV', 'ENXIO', 'EUCLEAN'])

/**
 * Makes a folder with those above it.
 * @throws Failure `storage-full`, `read-only`
 */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // Of a disk that failed, Node.js says that a folder above is missing: it cannot be looked at.
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw diskFailure(isMissing ? Object.assign(new Error(error.message), { code: 'EIO' }) : error)
  })
}

/** A disk that is full or has failed is a failure that clients can understand. */
export function diskFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (FAILED.has(code)) return new Failure('read-only', 'The disk failed while a file was written; nothing was changed.')
  return code === 'ENOSPC' || code === 'EDQUOT' ? new Failure('storage-full') : error
}
