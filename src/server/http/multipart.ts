/**
 * Reads multipart bodies: files are written to disk as they arrive, with any size and in any order of parts
 * (docs/interface/events.md#creation, docs/interface/attachments.md#upload).
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Received } from '../../store/blobs/writing.js'
import { Failure } from '../../store/model/failure.js'
import { MIN_LARGE_BYTES, parseLargeBody } from '../call/json/largeBody.js'
import type { SplitPlan } from '../call/json/split.js'
import type { Node } from '../index.js'
import { mediaType, receive, assertFileCount, type ReceivedFile } from '../dispatch/uploads.js'
import { readJson } from '../call/json/readJson.js'
import { malformed, readParts, type BodyPart } from './multipartParts.js'

interface Multipart {
  /** The value of the JSON part; absent without one. */
  item?: unknown
  files: ReceivedFile[]
}

export const isMultipart = (request: IncomingMessage): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '')

const MB = 1024 * 1024
/**
 * Reads a multipart body; `plan` defines how to split large JSON in it. When it rejects, everything written to disk is removed,
 * and the rest of the body remains unread.
 * @throws Failure `invalid-request-structure`, `payload-too-large`, `storage-full`.
 */
export async function readMultipart(node: Node, request: IncomingMessage, plan: SplitPlan): Promise<Multipart> {
  const writing: Promise<ReceivedFile>[] = []
  try {
    const item = await readItem(node, request, writing)
    const files = await Promise.all(writing)
    if (item === undefined) return { files }
    if (!isUtf8(item)) throw malformed('The JSON part is not valid UTF-8.')
    const value = item.length < MIN_LARGE_BYTES ? readJson(item.toString('utf8')) : await parseLargeBody(item, plan)
    return { item: value, files }
  } catch (error) {
    const settled = await Promise.allSettled(writing)
    for (const one of settled) if (one.status === 'fulfilled') await node.store.blobs.drop(one.value.blob)
    throw error
  }
}

/** Reads all parts: files into `writing`; returns the bytes of the JSON part. */
async function readItem(node: Node, request: IncomingMessage, writing: Promise<ReceivedFile>[]): Promise<Buffer | undefined> {
  const limitMb = node.config.get('uploads.maxSizeMb')
  let item: Buffer[] | undefined
  const other = ({ bytes, fail }: BodyPart): void => {
    if (item !== undefined) throw malformed('There is more than one part that is not a file.')
    const chunks: Buffer[] = (item = [])
    let size = 0
    bytes.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitMb * MB) chunks.push(chunk)
      else fail(new Failure('payload-too-large', `The JSON part is larger than ${limitMb} MB.`, { limitMb }))
    })
  }
  await readParts(request, (part) => {
    const { name, fileName, type, bytes, fail } = part
    if (fileName === undefined && type !== 'application/octet-stream') return other(part)
    assertFileCount(node, writing.length + 1)
    const shownName = ([fileName, name].find((text) => text !== undefined && text !== '') ?? 'file').toWellFormed()
    const blob: Promise<Received> = receive(node, bytes as AsyncIterable<Buffer>)
    writing.push(blob.then((received) => ({ fileName: shownName, type: mediaType(type), blob: received })))
    blob.catch(fail)
  })
  return item === undefined ? undefined : Buffer.concat(item)
}
