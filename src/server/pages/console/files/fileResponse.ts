/** Sends files of events in answers of pages: whole or a range, streamed from disk as the browser reads them. */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { FileDescription } from '../../../base/fileResult.js'
import { disposition, openWhole, reportDamage, requestedRange, type Part } from '../../../http/sendFile.js'
import type { Visit } from '../../page.js'

/** Bytes read at a time. */
const CHUNK = 128 * 1024
/** Time in seconds for which a browser may show a file again without a request. A file never changes; an owner may delete it. */
const CACHE_SECONDS = 3600

/**
 * Creates the response with a file: a download, or a picture to display. The browser may cache it for this session.
 * @throws Failure for a file that cannot be read
 */
export async function fileResponse(visit: Visit, file: FileDescription, isInline: boolean): Promise<Response> {
  const handle = await openWhole(visit.node, file)
  const { size } = file
  const headers = new Headers({
    'Content-Type': isInline ? file.type : downloadType(file.type),
    'Accept-Ranges': 'bytes',
    'Cache-Control': `private, max-age=${CACHE_SECONDS}`,
    'Content-Security-Policy': `sandbox; default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'Content-Disposition': isInline ? 'inline' : disposition(file.fileName ?? 'file'),
  })
  const range = requestedRange(visit.range, size)
  if (range === 'outside') {
    await handle.close()
    headers.set('Content-Range', `bytes */${size}`)
    return new Response(null, { status: 416, headers })
  }
  const part = range === 'whole' ? { start: 0, end: size } : range
  headers.set('Content-Length', String(part.end - part.start))
  if (range !== 'whole') headers.set('Content-Range', `bytes ${part.start}-${part.end - 1}/${size}`)
  const status = range === 'whole' ? 200 : 206
  if (visit.isHead || part.start === part.end) {
    await handle.close()
    return new Response(null, { status, headers })
  }
  return new Response(bytesOf(visit, handle, part, file), { status, headers })
}

/** Returns the media type of a download; types that name no bytes of their own are those of plain bytes. */
const downloadType = (type: string): string => (/^(multipart|message)\//i.test(type) ? 'application/octet-stream' : type)

/** Streams a part of a file; the last bytes of a whole file follow only if its digest matches. */
function bytesOf({ node }: Visit, handle: FileHandle, { start, end }: Part, file: FileDescription): ReadableStream<Uint8Array> {
  const { digest, size, path } = file
  const hash = digest !== undefined && start === 0 && end === size ? createHash('sha256') : undefined
  let at = start
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(CHUNK, end - at)), 0, undefined, at)
          if (bytesRead === 0) throw new Error(`the file ends at byte ${at} of ${end}`)
          at += bytesRead
          const bytes = buffer.subarray(0, bytesRead)
          hash?.update(bytes)
          if (at === end && hash !== undefined && hash.digest('hex') !== digest) {
            await reportDamage(node, path, await handle.stat())
            throw new Error(`the content of the attached file ${digest} does not match its digest`)
          }
          controller.enqueue(bytes)
          if (at < end) return
          await handle.close()
          controller.close()
        } catch (error) {
          node.log.error('an answer was aborted', { error: String(error) })
          await handle.close().catch(() => {})
          controller.error(error)
        }
      },
      cancel: () => handle.close().catch(() => {}),
    },
    { highWaterMark: 0 },
  )
}
