/** Account archives uploaded from another machine, stored in a temporary folder beside the files until imported. */
import { rm, statfs } from 'node:fs/promises'
import * as z from 'zod'
import { beginArchive } from '../../store/backup/archive.js'
import { RESERVE_BYTES } from '../../store/engine/commit.js'
import { diskFailure } from '../../store/leveldb/filesOnDisk.js'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { parseInput } from '../../store/model/validation.js'
import type { FrameReader } from '../base/frames.js'
import type { Context } from '../call/context.js'
import { assertWritable } from '../dispatch/uploads.js'
import { receiveArchive } from './archiveFrames.js'
import { parseImportOptions, ImportOptionsInput } from './importOptions.js'
import { beginImport, assertIdle } from './jobs.js'

/** `bytes`: total size of the members. */
const Sent = z.strictObject({ ...ImportOptionsInput, bytes: z.number().int().min(0) })

/**
 * Receives an archive and starts its import; returns the job id. Leaves nothing behind when it rejects.
 * @throws Failure `too-many-requests`, `storage-full` before anything is received, `payload-too-large`; FramesDamaged
 */
export async function receiveArchiveUpload(node: Context, params: unknown, frames: FrameReader): Promise<{ id: string }> {
  const { bytes, ...options } = parseInput(Sent, params)
  assertWritable(node)
  assertIdle(node)
  const input = await parseImportOptions(node, options)
  const { blobs } = node.store
  const folder = await blobs.scratch()
  const { bavail, bsize } = await statfs(blobs.folder)
  // Attached files are on disk twice until the import ends.
  if (2 * bytes > bavail * bsize - RESERVE_BYTES) throw new Failure('storage-full', 'Not enough disk space on the node for this account; nothing was changed.')
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await receiveArchive(frames, await beginArchive({ folder }), { maxFileMb: node.config.get('uploads.maxSizeMb'), maxBytes: bytes })
    return { id: beginImport(node, { folder, passphrase: new Secret(''), remove }, input) }
  } catch (error) {
    await remove()
    throw diskFailure(error)
  }
}
