import * as z from 'zod'
import { findEvent } from '../../../store/events/events.js'
import { accountKeys } from '../../../store/engine/keys.js'
import type { Attachment, Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { isBlobMissing } from '../../../store/blobs/missingBlobs.js'
import { FileResult } from '../../base/fileResult.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { assertMayRead } from './getOne.js'
import { assertNotInternal } from './rules.js'

/** See docs/interface/attachments.md#download. The file name in the path is ignored; it is only for people. */
export const getAttachment = method({
  id: 'events.getAttachment',
  summary: 'Reads a file of an event.',
  http: {
    verb: 'GET',
    path: '/events/:id/:fileId',
    aliases: ['/events/:id/:fileId/:fileName'],
    sendsFile: true,
    byReadToken: true,
  },
  caller: anyAccess,
  input: z.object({ id: z.string().describe('Id of the event.'), fileId: z.string().describe('Id of the attached file.') }),
  output: () => z.object({ file: z.unknown().describe('The file.') }),
  notInBatch: true,
  fails: ['unknown-resource', 'forbidden'],
  run(call, { id, fileId }) {
    const event = readableEvent(call, id)
    const attachment = event.attachments?.find((file) => file.id === fileId)
    if (attachment === undefined) throw new Failure('unknown-resource', `Unknown file "${fileId}".`)
    const { fileName, type, size, integrity } = attachment
    const bytes = bytesOf(call, event, attachment)
    return { file: new FileResult({ ...bytes, size, type, fileName, ...(integrity === undefined ? {} : { integrity }) }) }
  },
})

/** Returns an event that exists and that the caller may read. */
export function readableEvent(call: Call, id: string): Event {
  const { db, prefix } = call.account
  const event = findEvent(db, prefix, id)
  if (event === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  assertNotInternal(id, event.streamIds)
  assertMayRead(call, { streamIds: event.streamIds, tags: () => event.tags })
  return event
}

/**
 * Returns the path of a file's bytes, and their SHA-256.
 * @throws Failure `unknown-resource` for a deleted file, or one whose bytes have not been synced yet
 */
export function bytesOf(call: Call, event: Event, attachment: Attachment): { path: string; digest: string } {
  const { db, prefix } = call.account
  const digest = db.get(accountKeys.fileDigest(prefix, event.id, attachment.id))
  // A commit may have removed the file after its event was read.
  if (digest === undefined) throw new Failure('unknown-resource', `Unknown file "${attachment.id}".`)
  const { blobs } = call.node.store
  if (isBlobMissing(db, blobs, prefix, digest)) {
    const message = `The bytes of the file "${attachment.id}" have not been synced from another node yet. Try again later.`
    throw new Failure('unknown-resource', message, { isOnItsWay: true })
  }
  return { path: blobs.pathOf(prefix, digest), digest }
}
