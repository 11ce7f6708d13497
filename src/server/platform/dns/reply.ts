/** Decodes DNS queries and encodes the answers (RFC 1035, 4; RFC 6891). */
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE, type DecodedPacket, type Packet } from 'dns-packet'
import { refused, type Zone } from './zone.js'

const HEADER_BYTES = 12
const IS_ANSWER = 0x80
const OPCODE = 0x78
/** Offset of the question count in the header. */
const QUESTIONS_AT = 4
const MAX_LABEL = 63
const TYPE_AND_CLASS_BYTES = 4
const DOT = 0x2e
/** Limits of answers over UDP in bytes: without EDNS (RFC 1035), and with EDNS (below common path MTUs). */
const MIN_UDP = 512
const MAX_UDP = 1232

const CODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const
type Code = keyof typeof CODES

/** The upper bits of response code BADVERS, in an OPT record. */
const BADVERS_HIGH = 1

/** Returns the answer to the query `bytes`; undefined for anything else, which is ignored. */
export async function replyTo(zone: Zone, bytes: Buffer, over: 'udp' | 'tcp'): Promise<Buffer | undefined> {
  if (bytes.length < HEADER_BYTES || ((bytes[2] ?? 0) & IS_ANSWER) !== 0) return undefined
  const id = bytes.readUInt16BE(0)
  const only = (code: Code): Buffer => encode({ type: 'response', id, flags: CODES[code] })
  if (((bytes[2] ?? 0) & OPCODE) !== 0) return only('NOTIMP')
  const input = decoded(bytes)
  const [question, ...more] = input?.questions ?? []
  const sent = sentQuestion(bytes)
  const options = input?.additionals?.filter(({ type }) => type === 'OPT') ?? []
  if (input === undefined || question === undefined || sent === undefined || more.length > 0 || options.length > 1) return only('FORMERR')
  const [opt] = options as { udpPayloadSize?: number; ednsVersion?: number }[]
  const isOdd = opt?.ednsVersion !== undefined && opt.ednsVersion !== 0
  const stated = isOdd ? undefined : sent.isPlain ? await zone(question) : refused
  const flags = ((input.flags ?? 0) & RECURSION_DESIRED) | (stated?.authoritative === true ? AUTHORITATIVE_ANSWER : 0) | CODES[stated?.code ?? 'NOERROR']
  const packet: Packet = {
    type: 'response',
    id,
    flags,
    answers: stated?.answers ?? [],
    authorities: stated?.authorities ?? [],
    additionals: opt === undefined ? [] : [{ type: 'OPT', name: '.', udpPayloadSize: MAX_UDP, extendedRcode: isOdd ? BADVERS_HIGH : 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }],
  }
  const answer = withQuestion(encode(packet), sent.bytes)
  const max = over === 'tcp' ? 0xffff : Math.min(MAX_UDP, Math.max(MIN_UDP, opt?.udpPayloadSize ?? MIN_UDP))
  // A truncated answer makes the client retry over TCP.
  return answer.length <= max ? answer : withQuestion(encode({ ...packet, flags: flags | TRUNCATED_RESPONSE, answers: [], authorities: [] }), sent.bytes)
}

function decoded(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns the bytes of the first question, and whether its name contains only plain characters; undefined when invalid. */
function sentQuestion(bytes: Buffer): { bytes: Buffer; isPlain: boolean } | undefined {
  let isPlain = true
  let at = HEADER_BYTES
  for (let length = bytes[at]; length !== 0; length = bytes[at]) {
    // A larger length is a compression pointer, which is invalid in the first name.
    if (length === undefined || length > MAX_LABEL) return undefined
    const label = bytes.subarray(at + 1, at + 1 + length)
    isPlain &&= label.every((byte) => byte > 0x20 && byte < 0x7f && byte !== DOT)
    at += 1 + length
  }
  const end = at + 1 + TYPE_AND_CLASS_BYTES
  return end > bytes.length ? undefined : { bytes: bytes.subarray(HEADER_BYTES, end), isPlain }
}

/** Inserts the question exactly as sent, since clients compare it. */
function withQuestion(answer: Buffer, question: Buffer): Buffer {
  const whole = Buffer.concat([answer.subarray(0, HEADER_BYTES), question, answer.subarray(HEADER_BYTES)])
  whole.writeUInt16BE(1, QUESTIONS_AT)
  return whole
}

/** Returns the answer after an internal error. */
export const failedReply = (bytes: Buffer): Buffer => encode({ type: 'response', id: bytes.readUInt16BE(0), flags: CODES.SERVFAIL })
