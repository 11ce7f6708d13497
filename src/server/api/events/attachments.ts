/** Converts the files of a call to attachments of an event. */
import type { FileDigests } from '../../../store/blobs/fileReferences.js'
import type { Attachment } from '../../../store/model/event.js'
import type { Call } from '../../call/method.js'

/** Returns the attachments for the files of a call, with the digests of their bytes. */
export function newAttachments({ node, uploads = [] }: Call): { attachments: Attachment[]; digests: FileDigests } {
  const digests = new Map<string, string>()
  const attachments = uploads.map(({ fileName, type, size, integrity, digest }): Attachment => {
    const id = node.newId()
    digests.set(id, digest)
    return { id, fileName, type, size, ...(integrity === undefined ? {} : { integrity }) }
  })
  return { attachments, digests }
}
