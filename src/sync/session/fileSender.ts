/** Sends requested parts of files, one after another. */
import { damaged } from '../wire/protocolError.js'
import type { FileRequest } from '../wire/message.js'
import type { Files } from './replica.js'
import type { MessageStream } from './messageStream.js'

/** Maximum number of waiting requests. */
export const MAX_WAITING_REQUESTS = 32
/** Maximum bytes of one request. */
const MAX_PART = 256 * 1024

interface FileSender {
  request(message: FileRequest): void
}

export function createFileSender(files: Files, link: MessageStream, onFault: (error: unknown) => void): FileSender {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function sendPart({ digest, offset, length }: FileRequest): Promise<void> {
    // Checked before reading: the bytes may arrive in between.
    const expected = files.isWanted(digest)
    const bytes = await files.read(digest, offset, length)
    waiting -= 1
    await link.send(
      bytes === undefined
        ? { type: 'file-lack', digest, expected }
        : { type: 'file-part', digest, offset, bytes },
    )
  }

  return {
    request(message) {
      if (waiting >= MAX_WAITING_REQUESTS) throw damaged('too many file requests at once')
      if (message.length === 0 || message.length > MAX_PART) throw damaged('a file request of an invalid length')
      waiting += 1
      last = last.then(() => sendPart(message)).catch(onFault)
    },
  }
}
