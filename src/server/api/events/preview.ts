import { stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { FileResult } from '../../base/fileResult.js'
import { assertImagesAvailable, shrink } from '../../base/images.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { bytesOf, readableEvent } from './getAttachment.js'

const EDGES = [256, 512, 768, 1024] as const
const LARGEST = 1024
const SMALLEST = 256

const edge = z.number().positive().optional()

/** See docs/interface/attachments.md#previews. Previews are cached by the digest of the image, and deleted with it. */
export const preview = method({
  id: 'events.preview',
  summary: 'Reads a preview of the picture of a picture/attached event.',
  http: {
    verb: 'GET',
    path: '/events/:id/preview',
    aliases: ['/events/:id.jpg', '/events/:id.jpeg'],
    query: { w: 'number', width: 'number', h: 'number', height: 'number' },
    sendsFile: true,
  },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the event.'),
    w: edge.describe('Width in pixels, rounded up to 256, 512, 768 or 1024.'),
    width: edge.describe('Same as w.'),
    h: edge.describe('Height in pixels, rounded up to 256, 512, 768 or 1024.'),
    height: edge.describe('Same as h.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({ file: z.unknown().describe('The picture, as JPEG.') }),
  notInBatch: true,
  fails: ['unknown-resource', 'forbidden', 'corrupted-data', 'unavailable-method', 'invalid-parameters-format'],
  async run(call, { id, w, width = w, h, height = h }) {
    const event = readableEvent(call, id)
    if (event.type !== 'picture/attached') return {}
    const [picture] = event.attachments ?? []
    if (picture === undefined) throw new Failure('corrupted-data', 'The event has no image to preview.')
    await assertImagesAvailable()
    const { blobs } = call.node.store
    const { path, digest } = bytesOf(call, event, picture)
    const box = boxOf(width, height)
    const folder = blobs.derivedOf(call.account.prefix, digest)
    const cached = join(folder, `${box.width}x${box.height}.jpg`)
    const now = call.node.clock.now()
    // Each use extends its lifetime in the cache.
    const isThere = await utimes(cached, now, now).then(
      () => true,
      () => false,
    )
    if (!isThere) await shrink(path, cached, `${cached}.${call.node.newId()}`, box)
    const { size } = await stat(cached)
    return { file: new FileResult({ path: cached, size, type: 'image/jpeg' }) }
  },
})

/** Returns the box of a preview: each requested edge is rounded up to one of a few sizes, to limit the cache. */
function boxOf(width: number | undefined, height: number | undefined): { width: number; height: number } {
  if (width === undefined && height === undefined) return { width: SMALLEST, height: SMALLEST }
  const raised = (input: number | undefined): number => EDGES.find((edge) => edge >= (input ?? LARGEST)) ?? LARGEST
  return { width: raised(width), height: raised(height) }
}
