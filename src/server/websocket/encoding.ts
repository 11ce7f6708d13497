/** Encoding of responses that are already JSON text, without parsing them again. */
import type { Server } from 'socket.io'
import { RawJson } from '../call/results.js'

interface Packet {
  type: number
  nsp: string
  id?: number
  data?: unknown
}

/** Socket.io packet type of an acknowledgement. */
const ACK = 3

/** Returns the text of an acknowledgement that consists of `null` and JSON text; undefined for other packets. */
function encodedAnswer({ type, nsp, id, data }: Packet): string | undefined {
  if (type !== ACK || id === undefined || !Array.isArray(data)) return undefined
  // Concatenated strings are copied only once, on write.
  let parts = ''
  for (const part of data) {
    if (part !== null && !(part instanceof RawJson)) return undefined
    parts += (parts === '' ? '' : ',') + (part === null ? 'null' : part.text)
  }
  return `${ACK}${nsp === '/' ? '' : `${nsp},`}${id}[${parts}]`
}

/** Makes a server write such responses unchanged, and others as usual. */
export function writeAnswersAsTheyAre({ encoder }: Server): void {
  const encode = encoder.encode.bind(encoder)
  encoder.encode = (packet) => {
    const text = encodedAnswer(packet)
    return text === undefined ? encode(packet) : [text]
  }
}
