/** From the bytes of a question to those of the answer (RFC 1035, 4; RFC 6891). */
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE, type DecodedPacket, type Packet } from 'dns-packet'
import type { Zone } from './zone.js'

const HEADER_BYTES = 12
const IS_ANSWER = 0x80
const OPCODE = 0x78
/** The most bytes over UDP: of those who do not say (RFC 1035), and of those who take more (what passes networks whole). */
const LEAST_UDP = 512
const MOST_UDP = 1232

const CODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const
type Code = keyof typeof CODES

const PLAIN = /^[\x21-\x7e]*$/

/** The version of the extension that is not known, in what an OPT record has of the code. */
const BADVERS_HIGH = 1

/** The answer to `bytes`; undefined for what is no question, which nobody is answered to. */
export async function replyTo(zone: Zone, bytes: Buffer, over: 'udp' | 'tcp'): Promise<Buffer | undefined> {
  if (bytes.length < HEADER_BYTES || ((bytes[2] ?? 0) & IS_ANSWER) !== 0) return undefined
  const id = bytes.readUInt16BE(0)
  const only = (code: Code): Buffer => encode({ type: 'response', id, flags: CODES[code] })
  if (((bytes[2] ?? 0) & OPCODE) !== 0) return only('NOTIMP')
  let asked: DecodedPacket
  try {
    asked = decode(bytes)
  } catch {
    return only('FORMERR')
  }
  const [question, ...more] = asked.questions ?? []
  if (question === undefined || more.length > 0) return only('FORMERR')
  // No name here has other characters, and they could not be sent back as they came.
  if (!PLAIN.test(question.name)) return only('REFUSED')
  const options = asked.additionals?.filter(({ type }) => type === 'OPT') ?? []
  const [opt] = options as { udpPayloadSize?: number; ednsVersion?: number }[]
  if (options.length > 1) return only('FORMERR')
  const isOdd = opt?.ednsVersion !== undefined && opt.ednsVersion !== 0
  const said = isOdd ? undefined : await zone(question)
  const flags = ((asked.flags ?? 0) & RECURSION_DESIRED) | (said?.authoritative === true ? AUTHORITATIVE_ANSWER : 0) | CODES[said?.code ?? 'NOERROR']
  const packet: Packet = {
    type: 'response',
    id,
    flags,
    questions: [question],
    answers: said?.answers ?? [],
    authorities: said?.authorities ?? [],
    additionals: opt === undefined ? [] : [{ type: 'OPT', name: '.', udpPayloadSize: MOST_UDP, extendedRcode: isOdd ? BADVERS_HIGH : 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] }],
  }
  const answer = encode(packet)
  const most = over === 'tcp' ? 0xffff : Math.min(MOST_UDP, Math.max(LEAST_UDP, opt?.udpPayloadSize ?? LEAST_UDP))
  // Whoever is told that it was cut asks again over TCP.
  return answer.length <= most ? answer : encode({ ...packet, flags: flags | TRUNCATED_RESPONSE, answers: [], authorities: [] })
}

/** What is said when answering failed. */
export const failedReply = (bytes: Buffer): Buffer => encode({ type: 'response', id: bytes.readUInt16BE(0), flags: CODES.SERVFAIL })
