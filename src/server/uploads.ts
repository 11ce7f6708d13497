/** Files on their way into the store: taken in, given their place before an event names them, let go afterwards. */
import { createReadStream } from 'node:fs'
import { basename, isAbsolute } from 'node:path'
import * as z from 'zod'
import type { Received } from '../store/blobs/writing.js'
import { Failure } from '../store/model/failure.js'
import { parseInput } from '../store/model/validation.js'
import type { Call, Upload } from './method.js'
import type { Node } from './node.js'

/** A file that was taken in. */
export interface ReceivedFile {
  fileName: string
  type: string
  blob: Received
}

/** Takes in the bytes of one file. @throws Failure `payload-too-large`, `storage-full`. */
export function receive(node: Node, bytes: AsyncIterable<Uint8Array>): Promise<Received> {
  const { config, store } = node
  return store.blobs.receive(bytes, config.get('uploads.maxSizeMb'), config.get('integrity.algorithm'))
}

/** Refuses while the node cannot write, before anything is taken in. */
export function assertWritable({ store }: Node): void {
  const { state } = store
  if (state !== 'writable') throw new Failure(state === 'full' ? 'storage-full' : 'read-only')
}

export function assertFileCount({ config }: Node, count: number): void {
  const max = config.get('uploads.maxFiles')
  if (count > max) {
    throw new Failure('invalid-request-structure', `A request may attach at most ${max} files.`, { maxFiles: max })
  }
}

/** What belongs in a header and stays what it is: control characters and broken text do not. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\t\x20-\x7e]*)?$/

/** The media type of a file as it is kept. */
export const mediaType = (declared: string): string =>
  MEDIA_TYPE.test(declared) ? declared : 'application/octet-stream'

/** A text that has a UTF-8 form: half a surrogate pair has none. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/**
 * Runs a call with files: their bytes are in place and on disk while `work` runs, and go again when no event came to
 * refer to them.
 */
export async function withUploads<T>(
  call: Call,
  files: readonly ReceivedFile[],
  work: (call: Call) => Promise<T> | T,
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
    await Promise.all(files.map(({ blob }) => blobs.drop(blob)))
    // What fails here is left to the next sweep.
    await Promise.all(stored.map((digest) => blobs.release(account.prefix, digest).catch(() => {})))
  }
}

const Paths = z.array(
  z.strictObject({
    path: z.string().refine(isAbsolute, { error: 'An absolute path.' }),
    fileName: z.string().min(1).optional(),
    type: z.string().optional(),
  }),
)

/**
 * Takes in files of this machine, named by the parameter `files`: for the control door, whose callers own the node.
 * @throws Failure `unknown-resource` for a file that cannot be read.
 */
export async function receivePaths(node: Node, input: unknown): Promise<ReceivedFile[]> {
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

/** The bytes of a file, which is opened when they are asked for: a stream that fails before ends the process. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Failure('unknown-resource', `The file ${path} cannot be read by the node: ${why}`)
  }
}
