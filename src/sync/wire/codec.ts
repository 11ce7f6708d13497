/**
 * Encoding of messages: a type byte, then variable-length numbers, texts and blocks with their lengths. Groups are
 * compressed: short ones synchronously, others in the thread pool. Memory is allocated for the bytes present, not for the
 * sizes that a message claims; a group may claim at most MAX_GROUP_BYTES.
 *
 * Start at `encodeMessage` and `decodeMessage`; groupCodec.ts encodes the body of a group, parts.ts the values.
 */
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import { Failure } from '../../store/model/failure.js'
import { readerOf, takeByte, takeBytes, takeHex, takeUnsigned, type Reader } from '../crdt/bytes.js'
import { addGroup, groupFrom } from './groupCodec.js'
import { MAX_GROUP_BYTES } from './limits.js'
import { PROTOCOL, type Begin, type Group, type Hello, type Message } from './message.js'
import {
  addAside,
  addBlock,
  addByte,
  addBytes,
  addDigest,
  addDouble,
  addHex,
  addNumber,
  addPosition,
  addScope,
  addSentence,
  addText,
  addItemRequests,
  asideFrom,
  blockFrom,
  bytesOf,
  digestFrom,
  doubleFrom,
  flagFrom,
  newColumn,
  positionFrom,
  scopeFrom,
  textFrom,
  itemRequestsFrom,
  type Column,
} from './parts.js'
import { damaged, END_REASONS, ProtocolError } from './protocolError.js'

const TYPES: readonly Message['type'][] = [
  'hello',
  'begin',
  'group',
  'acknowledgement',
  'request',
  'reconcile',
  'state',
  'ask',
  'file-request',
  'file-part',
  'file-lack',
  'end',
  'part',
  'copied',
]
const METHODS: readonly Begin['how'][] = ['feed', 'items', 'reconcile']
const DIGEST_BYTES = 32

/** Encodes a message. */
export async function encode(message: Message): Promise<Uint8Array> {
  const c = newColumn()
  addByte(c, TYPES.indexOf(message.type))
  if (message.type === 'group') await addCompressedGroup(c, message)
  else addPlain(c, message)
  return bytesOf(c)
}

async function addCompressedGroup(c: Column, group: Group): Promise<void> {
  const body = newColumn(4096)
  addGroup(body, group)
  const plain = bytesOf(body)
  const squeezed = await compress(plain)
  addNumber(c, squeezed === undefined ? 0 : plain.length)
  addBytes(c, squeezed ?? plain)
}

function addHello(c: Column, hello: Hello): void {
  addNumber(c, PROTOCOL)
  addText(c, hello.product)
  addText(c, hello.instance)
  addDouble(c, hello.now)
  addScope(c, hello.scope)
  addPosition(c, hello.mine)
  addDigest(c, hello.digest)
  addPosition(c, hello.yours)
  addNumber(c, hello.pendingFetch)
}

function addPlain(c: Column, message: Exclude<Message, Group>): void {
  switch (message.type) {
    case 'hello':
      return addHello(c, message)
    case 'begin':
      addNumber(c, METHODS.indexOf(message.how))
      return addPosition(c, message.skip)
    case 'acknowledgement':
      addNumber(c, message.groups)
      addNumber(c, message.refused)
      return addAside(c, message.refusals)
    case 'request':
      return addItemRequests(c, message.items)
    case 'reconcile':
      return addBytes(c, message.body)
    case 'state':
      addPosition(c, message.position)
      addDigest(c, message.digest)
      for (const number of [message.groups, message.pending, message.missing, message.answers]) addNumber(c, number)
      addNumber(c, message.accepts === undefined ? 0 : 1)
      return message.accepts && addDigest(c, message.accepts)
    case 'ask':
      addNumber(c, message.question)
      return addNumber(c, message.deep ? 1 : 0)
    case 'file-request':
      addHex(c, message.digest)
      addNumber(c, message.offset)
      return addNumber(c, message.length)
    case 'file-part':
      addHex(c, message.digest)
      addNumber(c, message.offset)
      return addBlock(c, message.bytes)
    case 'file-lack':
      addHex(c, message.digest)
      return addNumber(c, message.expected ? 1 : 0)
    case 'end':
      addNumber(c, END_REASONS.indexOf(message.reason))
      return addSentence(c, message.message)
    case 'copied':
      return
    case 'part':
      addNumber(c, message.isLast ? 1 : 0)
      return addBytes(c, message.bytes)
  }
}

/**
 * Decodes a message.
 * @throws ProtocolError `version` for a message of another protocol, `damaged` for other invalid ones
 */
export async function decode(bytes: Uint8Array): Promise<Message> {
  const r = readerOf(bytes)
  try {
    const message = await messageFrom(r)
    if (r.at < r.end) throw damaged('a message with more bytes than it has parts')
    return message
  } catch (error) {
    if (error instanceof Failure) throw damaged('a message that cannot be read')
    throw error
  }
}

const restOf = (r: Reader): Buffer => takeBytes(r, r.end - r.at)
const digestTextFrom = (r: Reader): string => takeHex(r, DIGEST_BYTES)

async function messageFrom(r: Reader): Promise<Message> {
  const type = TYPES[takeByte(r)]
  switch (type) {
    case 'hello':
      return helloFrom(r)
    case 'begin': {
      const how = METHODS[takeUnsigned(r)]
      if (how === undefined) throw damaged('an invalid begin message')
      const skip = positionFrom(r)
      return { type, how, ...(skip === undefined ? {} : { skip }) }
    }
    case 'group': {
      const length = takeUnsigned(r)
      if (length > MAX_GROUP_BYTES) throw damaged('a group that is too long')
      const rest = restOf(r)
      return groupFrom(readerOf(length === 0 ? rest : await decompress(rest, length)))
    }
    case 'acknowledgement':
      return { type, groups: takeUnsigned(r), refused: takeUnsigned(r), refusals: asideFrom(r) }
    case 'request':
      return { type, items: itemRequestsFrom(r) }
    case 'reconcile':
      return { type, body: restOf(r) }
    case 'state':
      return stateFrom(r)
    case 'ask':
      return { type, question: takeUnsigned(r), deep: flagFrom(r) }
    case 'file-request':
      return { type, digest: digestTextFrom(r), offset: takeUnsigned(r), length: takeUnsigned(r) }
    case 'file-part':
      return { type, digest: digestTextFrom(r), offset: takeUnsigned(r), bytes: blockFrom(r) }
    case 'file-lack':
      return { type, digest: digestTextFrom(r), expected: flagFrom(r) }
    case 'end':
      return { type, reason: END_REASONS[takeUnsigned(r)] ?? 'closed', message: textFrom(r) }
    case 'copied':
      return { type }
    case 'part':
      return { type, isLast: flagFrom(r), bytes: restOf(r) }
    default:
      throw new ProtocolError('version', 'The other node sent a message of a type unknown to this version.')
  }
}

function helloFrom(r: Reader): Hello {
  const version = takeUnsigned(r)
  if (version !== PROTOCOL) {
    throw new ProtocolError('version', `The other node uses version ${version} of the protocol, this one ${PROTOCOL}.`)
  }
  const product = textFrom(r)
  const instance = textFrom(r)
  const now = doubleFrom(r)
  const scope = scopeFrom(r)
  const mine = positionFrom(r)
  if (mine === undefined) throw damaged('a greeting without a position')
  const digest = digestFrom(r)
  const yours = positionFrom(r)
  const pendingFetch = takeUnsigned(r)
  return { type: 'hello', product, instance, now, scope, mine, digest, ...(yours === undefined ? {} : { yours }), pendingFetch }
}

function stateFrom(r: Reader): Message {
  const position = positionFrom(r)
  if (position === undefined) throw damaged('a state without a position')
  const digest = digestFrom(r)
  const [groups, pending, missing, answers] = [takeUnsigned(r), takeUnsigned(r), takeUnsigned(r), takeUnsigned(r)]
  return { type: 'state', position, digest, groups, pending, missing, answers, ...(flagFrom(r) ? { accepts: digestFrom(r) } : {}) }
}

const deflateLater = promisify(deflateRaw)
const inflateLater = promisify(inflateRaw)

/** Minimum bytes that are worth compressing. */
const MIN_COMPRESSED_BYTES = 100
/** Size below which a thread switch takes longer than the work, in bytes. */
const SYNC_BELOW = 4096
/** Size from which on a lower compression level is used, in bytes. */
const FAST_FROM = 1024 * 1024

/** Compresses bytes; undefined when the result is not shorter. */
async function compress(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length < MIN_COMPRESSED_BYTES) return undefined
  const level = bytes.length < FAST_FROM ? 6 : 3
  const result = bytes.length < SYNC_BELOW ? deflateRawSync(bytes, { level }) : await deflateLater(bytes, { level })
  return result.length < bytes.length ? result : undefined
}

/**
 * Decompresses the result of `compress` to a known length.
 * @throws ProtocolError `damaged` when the bytes are invalid or have another length
 */
async function decompress(bytes: Uint8Array, length: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(1, length) }
  let plain: Buffer
  try {
    plain = length < SYNC_BELOW ? inflateRawSync(bytes, options) : await inflateLater(bytes, options)
  } catch {
    throw damaged('a group that cannot be decompressed')
  }
  if (plain.length !== length) throw damaged('a group with a wrong length')
  return plain
}
