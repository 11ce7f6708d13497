/**
 * Handshake by which two nodes agree on keys and authenticate each other. `I` initiates, `R` responds:
 *
 *   I → R   version, ephemeral key of I
 *   R → I   version, ephemeral key of R, stream header, { node of R, signature of R }
 *   I → R   stream header, { node of I, signature of I }
 *
 * Parts in braces are encrypted with keys that both derive from the ephemeral ones (X25519, crypto_kx). Each signature
 * covers the hash of all previous data, with the signer's role: it authenticates the node for this channel only, and cannot
 * be replayed or reflected. R authenticates first, so that I can leave without revealing its identity when R is not the
 * expected node. Every part of a frame has a fixed length, and every hash its own personalisation.
 */
import sodium from 'libsodium-wrappers'
import { ChannelError } from './channel.js'
import { isSignedBy, NODE_BYTES, nodeText, SIGNATURE_BYTES, type Signer } from './signer.js'
import {
  createDecryptingStream,
  createEncryptingStream,
  STREAM_HEADER_BYTES,
  STREAM_OVERHEAD,
  type DecryptingStream,
  type EncryptingStream,
  type StreamCipher,
} from '../../store/keyring/streamCipher.js'

/** Version of handshake and frames. */
const VERSION = 1
/** Maximum length of handshake frames. */
export const MAX_HANDSHAKE = 512

const KEY_BYTES = 32
const PROOF_BYTES = NODE_BYTES + SIGNATURE_BYTES + STREAM_OVERHEAD
const HELLO_BYTES = 1 + KEY_BYTES
const ANSWER_BYTES = HELLO_BYTES + STREAM_HEADER_BYTES + PROOF_BYTES
const PROOF_FRAME_BYTES = STREAM_HEADER_BYTES + PROOF_BYTES

/** Result of a handshake. */
export interface Agreement {
  /** Public key of the other node, base64url. */
  node: string
  binding: Uint8Array
  sealing: EncryptingStream
  opening: DecryptingStream
}

export interface HandshakeWire {
  /** Reads the next frame. Rejects when the wire has ended, or the frame is longer than MAX_HANDSHAKE. */
  read(): Promise<Uint8Array>
  send(frame: Uint8Array): Promise<void>
}

type Hash = Uint8Array
type KeyPair = Record<'publicKey' | 'privateKey', Uint8Array>
type SessionKeys = Record<'sharedRx' | 'sharedTx', Uint8Array>

const hash = (text: string, ...parts: Uint8Array[]): Hash =>
  sodium.crypto_generichash(32, Buffer.concat(parts), sodium.crypto_generichash(32, `coffer channel ${text}`, null))

/** Returns the message that a signature covers. */
const claim = (role: 'initiator' | 'responder', transcript: Hash): Uint8Array =>
  Buffer.concat([Buffer.from(`coffer channel 1 ${role}\0`), transcript])

const damaged = (): ChannelError => new ChannelError('damaged', 'The other end does not use the protocol of coffer nodes.')

function assertVersion(frame: Uint8Array): void {
  if (frame[0] === VERSION) return
  const other = frame[0] === undefined ? 'none' : String(frame[0])
  throw new ChannelError('version', `The other end uses version ${other} of the channel protocol; this node uses version ${VERSION}.`)
}

/** Returns the proof of identity: the node and its signature, encrypted. */
function proofOf(signer: Signer, role: 'initiator' | 'responder', transcript: Hash, sealing: EncryptingStream): Uint8Array {
  const node = Buffer.from(signer.node, 'base64url')
  return sealing.seal(Buffer.concat([node, signer.sign(claim(role, transcript))]), false)
}

/** Returns the node that a proof authenticates. @throws ChannelError */
function verifyProof(proof: Uint8Array, role: 'initiator' | 'responder', transcript: Hash, opening: DecryptingStream): Uint8Array {
  const opened = opening.open(proof)
  if (opened === undefined || opened.isLast) throw damaged()
  const node = opened.message.subarray(0, NODE_BYTES)
  if (!isSignedBy(node, claim(role, transcript), opened.message.subarray(NODE_BYTES))) {
    throw new ChannelError('identity', 'The other node could not prove its identity.')
  }
  return node
}

/** Derives session keys; refuses keys of the other end that would make them predictable. */
function keysOf(role: 'client' | 'server', own: KeyPair, other: Uint8Array): SessionKeys {
  try {
    return role === 'client'
      ? sodium.crypto_kx_client_session_keys(own.publicKey, own.privateKey, other)
      : sodium.crypto_kx_server_session_keys(own.publicKey, own.privateKey, other)
  } catch {
    throw damaged()
  }
}

/** Runs a handshake; releases the ciphers that it created if it fails. */
async function releaseOnFailure<T>(run: (keep: <S extends StreamCipher>(stream: S) => S) => Promise<T>): Promise<T> {
  const begun: StreamCipher[] = []
  try {
    return await run((stream) => {
      begun.push(stream)
      return stream
    })
  } catch (error) {
    for (const stream of begun) stream.release()
    throw error
  }
}

/**
 * Initiates a handshake. With `expected`, refuses any other node before this one authenticates itself. Rejects with
 * ChannelError.
 */
export async function initiateHandshake(signer: Signer, wire: HandshakeWire, expected?: string): Promise<Agreement> {
  return releaseOnFailure(async (keep) => {
    const own = sodium.crypto_kx_keypair()
    const hello = Buffer.concat([Uint8Array.of(VERSION), own.publicKey])
    await wire.send(hello)
    const answer = await wire.read()
    assertVersion(answer)
    if (answer.length !== ANSWER_BYTES) throw damaged()
    const clear = answer.subarray(0, HELLO_BYTES + STREAM_HEADER_BYTES)
    const keys = keysOf('client', own, answer.subarray(1, HELLO_BYTES))
    const opening = keep(createDecryptingStream(answer.subarray(HELLO_BYTES, clear.length), keys.sharedRx))
    const first = hash('first', hello, clear)
    const proof = answer.subarray(clear.length)
    const node = verifyProof(proof, 'responder', first, opening)
    if (expected !== undefined && nodeText(node) !== expected) {
      throw new ChannelError('identity', 'A different node than expected answered at this address.')
    }
    const sealing = keep(createEncryptingStream(keys.sharedTx))
    const second = hash('second', first, proof, sealing.header)
    await wire.send(Buffer.concat([sealing.header, proofOf(signer, 'initiator', second, sealing)]))
    const binding = hash('binding', second, Buffer.from(signer.node, 'base64url'))
    return { node: nodeText(node), binding, sealing, opening }
  })
}

/** Responds to a handshake. Rejects with ChannelError. */
export async function respondToHandshake(signer: Signer, wire: HandshakeWire): Promise<Agreement> {
  return releaseOnFailure(async (keep) => {
    const hello = await wire.read()
    // A peer with another version receives the version of this one.
    if (hello[0] !== VERSION) await wire.send(Uint8Array.of(VERSION))
    assertVersion(hello)
    if (hello.length !== HELLO_BYTES) throw damaged()
    const own = sodium.crypto_kx_keypair()
    const keys = keysOf('server', own, hello.subarray(1))
    const sealing = keep(createEncryptingStream(keys.sharedTx))
    const clear = Buffer.concat([Uint8Array.of(VERSION), own.publicKey, sealing.header])
    const first = hash('first', hello, clear)
    const proof = proofOf(signer, 'responder', first, sealing)
    await wire.send(Buffer.concat([clear, proof]))
    const last = await wire.read()
    if (last.length !== PROOF_FRAME_BYTES) throw damaged()
    const header = last.subarray(0, STREAM_HEADER_BYTES)
    const opening = keep(createDecryptingStream(header, keys.sharedRx))
    const second = hash('second', first, proof, header)
    const node = verifyProof(last.subarray(STREAM_HEADER_BYTES), 'initiator', second, opening)
    return { node: nodeText(node), binding: hash('binding', second, node), sealing, opening }
  })
}
