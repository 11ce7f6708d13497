/** Sends files of events in answers of pages: whole or a range, streamed from disk as the browser reads them. */
import type { FileHandle } from 'node:fs/promises'
import type { FileDescription } from '../../../base/fileResult.js'
import { fileChunks, openWhole, type Part } from '../../../http/fileChunks.js'
import { disposition, requestedRange } from '../../../http/sendFile.js'
import type { Visit } from '../../page.js'

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

/** Streams a part of a file, and closes it. */
function bytesOf({ node }: Visit, handle: FileHandle, part: Part, file: FileDescription): ReadableStream<Uint8Array> {
  const chunks = fileChunks(node, handle, part, file)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await chunks.next()
          if (next.done !== true) return controller.enqueue(next.value)
          await handle.close()
          controller.close()
        } catch (error) {
          node.log.error('an answer was aborted', { error: String(error) })
          await handle.close().catch(() => {})
          controller.error(error)
        }
      },
      async cancel() {
        await chunks.return(undefined)
        await handle.close().catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}
