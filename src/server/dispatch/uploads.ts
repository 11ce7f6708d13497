/** Uploads: receives files, stores their bytes before an event refers to them, and releases them afterwards. */
import { createReadStream } from 'node:fs'
import { basename, isAbsolute } from 'node:path'
import * as z from 'zod'
import type { Received } from '../../store/blobs/writing.js'
import { errorMessage } from '../../store/model/errorMessage.js'
import { MEDIA_TYPE } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import { parseInput } from '../../store/model/validation.js'
import type { Call, Upload } from '../call/method.js'
import type { Context } from '../call/context.js'

/** A received file. */
export interface ReceivedFile {
  fileName: string
  type: string
  blob: Received
}

/** Receives the bytes of one file. @throws Failure `payload-too-large`, `storage-full`. */
export function receive(node: Context, bytes: AsyncIterable<Uint8Array>): Promise<Received> {
  const { config, store } = node
  return store.blobs.receive(bytes, config.get('uploads.maxSizeMb'), config.get('integrity.algorithm'))
}

/** Throws while the node cannot write, before files are received. */
export function assertWritable({ store }: Context): void {
  const { state } = store
  if (state !== 'writable') throw new Failure(state === 'full' ? 'storage-full' : 'read-only')
}

export function assertFileCount({ config }: Context, count: number): void {
  const max = config.get('uploads.maxFiles')
  if (count > max) {
    throw new Failure('invalid-request-structure', `A request may attach at most ${max} files.`, { maxFiles: max })
  }
}

/** Returns the media type to store for a file. */
export const mediaType = (declared: string): string =>
  MEDIA_TYPE.test(declared) ? declared : 'application/octet-stream'

/** Runs a call with files: their bytes are stored before `work` runs, and released afterwards if no event refers to them. */
export async function withUploads<T, D>(
  call: Call<D>,
  files: readonly ReceivedFile[],
  work: (call: Call<D>) => Promise<T> | T,
): Promise<T> {
  const { node, account } = call
  const { blobs } = node.store
  const isHashed = node.config.get('integrity.isActive.attachments')
  const algorithm = node.config.get('integrity.algorithm')
  const stored: string[] = []
  try {
    const uploads: Upload[] = []
    for (const { fileName, type, blob } of files) {
      await blobs.keep(account.prefix, blob)
      stored.push(blob.digest)
      const { size, digest } = blob
      const integrity = isHashed ? { integrity: `${algorithm}-${blob.integrity}` } : {}
      uploads.push({ fileName, type, size, digest, ...integrity })
    }
    return await work({ ...call, uploads })
  } finally {
    // Stored ones are at their final paths.
    await Promise.all(files.slice(stored.length).map(({ blob }) => blobs.drop(blob)))
    // Failures are left to the next sweep.
    await Promise.all(stored.map((digest) => blobs.release(account.prefix, digest).catch(() => {})))
  }
}

const Paths = z.array(
  z.strictObject({
    path: z.string().refine(isAbsolute, { error: 'Expected an absolute path.' }),
    fileName: z.string().min(1).optional(),
    type: z.string().optional(),
  }),
)

/**
 * Receives local files by path from the parameter `files`, for the control socket, whose callers own the node.
 * @throws Failure `unknown-resource` for a file that cannot be read
 */
export async function receivePaths(node: Context, input: unknown): Promise<ReceivedFile[]> {
  const paths = parseInput(Paths, input)
  assertWritable(node)
  assertFileCount(node, paths.length)
  const files: ReceivedFile[] = []
  try {
    for (const { path, fileName = basename(path), type = '' } of paths) {
      files.push({ fileName, type: mediaType(type), blob: await receive(node, bytesOf(path)) })
    }
    return files
  } catch (error) {
    await Promise.all(files.map(({ blob }) => node.store.blobs.drop(blob)))
    throw error
  }
}

/** Yields the bytes of a file, opened on demand: an error of an unused stream would end the process. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>
  } catch (error) {
    const why = errorMessage(error)
    throw new Failure('unknown-resource', `The file ${path} cannot be read by the node: ${why}`)
  }
}
