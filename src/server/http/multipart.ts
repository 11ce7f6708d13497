/**
 * Reads multipart bodies: files are written to disk as they arrive, with any size and in any order of parts
 * (docs/interface/events.md#creation, docs/interface/attachments.md#upload).
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { Received } from '../../store/blobs/writing.js'
import { Failure } from '../../store/model/failure.js'
import { MIN_LARGE_BYTES, parseLargeBody } from '../call/json/largeBody.js'
import type { SplitPlan } from '../call/json/split.js'
import type { Node } from '../index.js'
import { mediaType, receive, assertFileCount, type ReceivedFile } from '../dispatch/uploads.js'
import { readJson } from '../call/json/readJson.js'
import { bodyStream, notInflated } from './body.js'

interface Multipart {
  /** The value of the JSON part; absent without one. */
  item?: unknown
  files: ReceivedFile[]
}

export const isMultipart = (request: IncomingMessage): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(request.headers['content-type'] ?? '')

const MB = 1024 * 1024
/** Enough for a long file name; parts have few headers. */
const HEADERS = { headerPairs: 20, headerSize: 16 * 1024 }

const malformed = (message: string): Failure => new Failure('invalid-request-structure', message)

/**
 * Reads a multipart body; `plan` defines how to split large JSON in it. When it rejects, everything written to disk is removed,
 * and the rest of the body remains unread.
 * @throws Failure `invalid-request-structure`, `payload-too-large`, `storage-full`.
 */
export async function readMultipart(node: Node, request: IncomingMessage, plan: SplitPlan): Promise<Multipart> {
  const writing: Promise<ReceivedFile>[] = []
  try {
    const item = await readParts(node, request, writing)
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
function readParts(node: Node, request: IncomingMessage, writing: Promise<ReceivedFile>[]): Promise<Buffer | undefined> {
  const limitMb = node.config.get('uploads.maxSizeMb')
  return new Promise((resolve, reject) => {
    const open = new Set<Readable>()
    let item: Buffer[] | undefined
    let parts = 0
    let isOver = false
    const source = bodyStream(request)
    const end = (): boolean => {
      if (isOver) return false
      isOver = true
      source.off('error', unreadable)
      request.off('close', cut)
      request.off('error', cut)
      request.socket.off('close', cut)
      return true
    }
    const fail = (error: unknown): void => {
      if (!end()) return
      source.unpipe(parser)
      source.pause()
      // Readers of open parts must be notified that no more data follows.
      for (const part of open) part.destroy(error instanceof Error ? error : new Error(String(error)))
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const cut = (): void => {
      if (!request.complete) fail(malformed('The body ended early.'))
    }
    const unreadable = (): void => (source === request ? cut() : fail(notInflated()))
    const parser = parserOf(request)
    const file = (part: Readable, fileName: string, type: string): void => {
      try {
        assertFileCount(node, writing.length + 1)
      } catch (error) {
        return fail(error)
      }
      const blob: Promise<Received> = receive(node, part as AsyncIterable<Buffer>)
      writing.push(blob.then((received) => ({ fileName, type: mediaType(type), blob: received })))
      blob.catch(fail)
    }
    const other = (part: Readable): void => {
      if (item !== undefined) return fail(malformed('There is more than one part that is not a file.'))
      const chunks: Buffer[] = (item = [])
      let size = 0
      part.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= limitMb * MB) chunks.push(chunk)
        else fail(new Failure('payload-too-large', `The JSON part is larger than ${limitMb} MB.`, { limitMb }))
      })
    }
    parser.on('file', (name: string | undefined, part: Readable, fileName: string | undefined, _: string, type: string) => {
      parts += 1
      open.add(part)
      // The parser reports errors too; an abandoned part needs no further handling.
      part.on('error', () => {})
      part.on('close', () => open.delete(part))
      if (isOver) return void part.resume()
      if (fileName === undefined && type !== 'application/octet-stream') return other(part)
      file(part, ([fileName, name].find((text) => text !== undefined && text !== '') ?? 'file').toWellFormed(), type)
    })
    parser.on('error', () => fail(malformed('The body is not valid multipart.')))
    parser.on('finish', () => {
      // The parser skips parts without Content-Disposition, which the client would assume to be stored.
      if (partsIn(parser) !== parts) return fail(malformed('A part has no name.'))
      if (end()) resolve(item === undefined ? undefined : Buffer.concat(item))
    })
    source.on('error', unreadable)
    request.on('error', cut)
    request.on('close', cut)
    // A request that was already answered or cut short emits no more events.
    request.socket.on('close', cut)
    source.pipe(parser)
  })
}

type Parser = InstanceType<typeof Busboy>

function parserOf(request: IncomingMessage): Parser {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      // Every part is read as a stream: its kind is known before its size.
      isPartAFile: () => true,
      limits: HEADERS,
    })
  } catch {
    throw malformed('The multipart body has no boundary.')
  }
}

/** Returns the number of parts that the parser has seen, including skipped ones. */
function partsIn(parser: Parser): unknown {
  const inner: unknown = Reflect.get(parser, '_parser')
  return typeof inner === 'object' && inner !== null ? Reflect.get(inner, '_nparts') : undefined
}
