/** Gives parts of files that the peer asks for, one after another. */
import { damaged } from '../wire/protocolError.js'
import type { FileRequest } from '../wire/message.js'
import type { Files } from './replica.js'
import type { MessageStream } from './messageStream.js'

/** Requests that may wait. */
export const MAX_PARTS_ASKED = 32
/** Bytes that one request may ask for. */
export const MAX_PART = 256 * 1024

export interface FileSender {
  request(message: FileRequest): void
}

export function createFileSender(files: Files, link: MessageStream, onFault: (error: unknown) => void): FileSender {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function give({ digest, offset, length }: FileRequest): Promise<void> {
    // Asked before the bytes: they may come in between.
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
      if (waiting >= MAX_PARTS_ASKED) throw damaged('more requests for files than may wait')
      if (message.length === 0 || message.length > MAX_PART) throw damaged('a request for too much of a file')
      waiting += 1
      last = last.then(() => give(message)).catch(onFault)
    },
  }
}
