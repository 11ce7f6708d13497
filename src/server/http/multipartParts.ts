/** Reads the parts of multipart bodies as they arrive; what is in them is left to the caller. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { Failure } from '../../store/model/failure.js'
import { bodyStream, notInflated } from './body.js'

/** A part of a multipart body. The handler reads its bytes, or resumes it. */
export interface BodyPart {
  /** Name of the field, if the part has one. */
  name: string | undefined
  /** Absent for a part that is not a file; empty for a file input without a file. */
  fileName: string | undefined
  type: string
  bytes: Readable
  /** Ends the reading of the body with an error. */
  fail: (error: unknown) => void
}

/** Enough for a long file name; parts have few headers. */
const HEADERS = { headerPairs: 20, headerSize: 16 * 1024 }

export const malformed = (message: string): Failure => new Failure('invalid-request-structure', message)

/**
 * Calls `take` for each part and resolves when the body ends. When it rejects, the open parts are destroyed and the rest of the body
 * remains unread.
 * @throws Failure `invalid-request-structure`, and errors of `take`
 */
export function readParts(request: IncomingMessage, take: (part: BodyPart) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const open = new Set<Readable>()
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
    parser.on('file', (name: string | undefined, bytes: Readable, fileName: string | undefined, _: string, type: string) => {
      parts += 1
      open.add(bytes)
      // The parser reports errors too; an abandoned part needs no further handling.
      bytes.on('error', () => {})
      bytes.on('close', () => open.delete(bytes))
      if (isOver) return void bytes.resume()
      try {
        take({ name, fileName, type, bytes, fail })
      } catch (error) {
        fail(error)
      }
    })
    parser.on('error', () => fail(malformed('The body is not valid multipart.')))
    parser.on('finish', () => {
      // The parser skips parts without Content-Disposition, which the client would assume to be stored.
      if (partsIn(parser) !== parts) return fail(malformed('A part has no name.'))
      if (end()) resolve()
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
