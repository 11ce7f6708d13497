/**
 * File transfer of remote control. Uploads are a body of frames (frames.ts): first the request, which can be rejected before the
 * files arrive, then each file with its SHA-256. Downloads answer requests that accept only bytes: a file with its SHA-256 in
 * `Repr-Digest`, or an account as frames. Everything is streamed; interrupted transfers leave nothing behind.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { parseInput } from '../../store/model/validation.js'
import { asFailure } from '../dispatch/call.js'
import type { Authority, NodeControl } from './control.js'
import { parseControlInput, readControlInput } from './controlRequests.js'
import { FileBroken, FRAME, FramesDamaged, readFrames, messageOf, messageFrame, type FrameReader } from '../base/frames.js'
import { FRAMES_TYPE } from '../base/framesType.js'
import { drained, sendFailure, sendResult } from '../http/respond.js'
import { sendFile } from '../http/sendFile.js'
import type { Result } from '../call/method.js'
import type { Node } from '../index.js'
import { mediaType, receive, assertFileCount, type ReceivedFile } from '../dispatch/uploads.js'

const BYTES_TYPE = 'application/octet-stream'

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 600_000
const PROGRESS_MS = 200

interface RemoteFiles {
  /** Checks whether a request uploads files, or requests bytes. */
  accepts(request: IncomingMessage): boolean
  /** Handles the request. Never rejects. */
  request(request: IncomingMessage, response: ServerResponse, method: string, from: Pick<Authority, 'ip'>): Promise<void>
}

const SentFile = z.strictObject({ fileName: z.string().min(1).max(1000), type: z.string().default('') })
const Export = z.strictObject({ username: z.string(), withFiles: z.boolean().default(true) })

export function remoteFiles(node: Node, control: NodeControl): RemoteFiles {
  const brings = ({ headers }: IncomingMessage): boolean => headers['content-type'] === FRAMES_TYPE
  return {
    accepts: (request) => request.method === 'POST' && (brings(request) || request.headers.accept === BYTES_TYPE),
    async request(request, response, method, from) {
      response.setHeader('Coffer-Door', 'control')
      try {
        if (brings(request)) await sendResult(node, request, response, 200, await receiveUpload(request, method, from))
        else await sendDownload(request, response, method, from)
      } catch (error) {
        const isOfBody = error instanceof FramesDamaged || error instanceof FileBroken
        sendFailure(node, request, response, isOfBody ? new Failure('invalid-request-structure', error.message) : error)
      }
    },
  }

  async function receiveUpload(request: IncomingMessage, method: string, from: Pick<Authority, 'ip'>): Promise<Result> {
    const frames = readFrames(bodyOf(request))
    try {
      const first = await frames.required()
      if (first.letter !== FRAME.asked) throw new FramesDamaged('The body does not start with the request.')
      const { params, as } = parseControlInput(messageOf(first, z.unknown()), from)
      if (method !== 'users.import') return await control.callWithFiles(method, params, as, () => receiveFiles(node, frames))
      const { receiveArchiveUpload: takeArchive } = await import('../accountTransfer/uploadedArchives.js')
      return await takeArchive(node, params, frames)
    } finally {
      await frames.close()
    }
  }

  async function sendDownload(request: IncomingMessage, response: ServerResponse, method: string, from: Pick<Authority, 'ip'>): Promise<void> {
    const { params, as } = await readControlInput(request, from)
    if (method === 'users.export') return sendExport(params, response, as)
    const file = await control.file(method, params, as)
    if (file.digest !== undefined) response.setHeader('Repr-Digest', `sha-256=:${Buffer.from(file.digest, 'hex').toString('base64')}:`)
    await sendFile(node, request, response, file)
  }

  /** Sends an account as an archive in frames. Written to the log, since audit records only cover API methods. */
  async function sendExport(params: unknown, response: ServerResponse, { ip }: Authority): Promise<void> {
    const { username, withFiles } = parseInput(Export, params)
    const [{ exportAccount }, { withNode }, { sendingDraft, sentDone }] = await Promise.all([
      import('../accountTransfer/exportAccount.js'),
      import('../accountTransfer/sources.js'),
      import('../accountTransfer/archiveFrames.js'),
    ])
    const send = sending(response)
    let reportedAt = 0
    const progress = (noun: string, count: number): void => {
      if (performance.now() - reportedAt < PROGRESS_MS || response.destroyed) return
      reportedAt = performance.now()
      response.write(messageFrame(FRAME.progress, { noun, count }))
    }
    await withNode(node, username, async (source, account) => {
      response.writeHead(200, { 'Content-Type': FRAMES_TYPE, 'X-Accel-Buffering': 'no' })
      try {
        const { manifest, problems } = await exportAccount(source, account, sendingDraft(send), { withFiles, progress })
        response.end(sentDone(manifest, problems))
        node.log.info('an account was exported to another machine', { username, ip })
      } catch (error) {
        if (!response.destroyed) response.end(messageFrame(FRAME.failed, asFailure(node, 'users.export', error)))
      }
    })
  }
}

/**
 * Receives the files of a body to its end. Removes them on errors.
 * @throws FramesDamaged, Failure
 */
async function receiveFiles(node: Node, frames: FrameReader): Promise<ReceivedFile[]> {
  const files: ReceivedFile[] = []
  try {
    for (;;) {
      const frame = await frames.required()
      if (frame.letter === FRAME.done) return files
      if (frame.letter !== FRAME.file) throw new FramesDamaged('The body contains an unknown frame.')
      const { fileName, type } = messageOf(frame, SentFile)
      assertFileCount(node, files.length + 1)
      files.push({ fileName: fileName.toWellFormed(), type: mediaType(type), blob: await receive(node, frames.file()) })
    }
  } catch (error) {
    await Promise.all(files.map(({ blob }) => node.store.blobs.drop(blob)))
    throw error
  }
}

/** Yields the bytes of a body. Stopping early keeps the connection open for the answer. */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  const { socket } = request
  // A request that was answered or cut short emits no end event.
  const cut = (): void => void request.destroy(new Error('cut'))
  socket.once('close', cut)
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch {
    throw new FramesDamaged('The upload ended early.', true)
  } finally {
    socket.off('close', cut)
  }
}

/**
 * Returns a function that writes frames with backpressure.
 * @throws Failure when the client disconnected or stalled
 */
function sending(response: ServerResponse): (frame: Buffer) => Promise<void> {
  return async (frame) => {
    if (!response.destroyed && !response.write(frame)) {
      const stalled = setTimeout(() => response.destroy(), STALLED_MS)
      await drained(response)
      clearTimeout(stalled)
    }
    if (response.destroyed) throw new Failure('invalid-operation', 'The client that requested the account has disconnected.')
  }
}
