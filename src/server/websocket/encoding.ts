/** Writing answers that are already JSON text: what was stored is not parsed to be written again. */
import type { Server } from 'socket.io'
import { RawJson } from '../results.js'

interface Packet {
  type: number
  nsp: string
  id?: number
  data?: unknown
}

/** The type of a packet that acknowledges a message. */
const ACK = 3

/** The text of an acknowledgement that holds nothing but `null` and JSON text; undefined for other packets. */
export function encodedAnswer({ type, nsp, id, data }: Packet): string | undefined {
  if (type !== ACK || id === undefined || !Array.isArray(data)) return undefined
  // Added up, large texts are copied once, when they are written.
  let parts = ''
  for (const part of data) {
    if (part !== null && !(part instanceof RawJson)) return undefined
    parts += (parts === '' ? '' : ',') + (part === null ? 'null' : part.text)
  }
  return `${ACK}${nsp === '/' ? '' : `${nsp},`}${id}[${parts}]`
}

/** Has a server write such answers as they are, and everything else as ever. */
export function writeAnswersAsTheyAre({ encoder }: Server): void {
  const encode = encoder.encode.bind(encoder)
  encoder.encode = (packet) => {
    const text = encodedAnswer(packet)
    return text === undefined ? encode(packet) : [text]
  }
}
