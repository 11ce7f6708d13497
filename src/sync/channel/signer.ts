/** Proving which node one is: Ed25519 signatures. */
import sodium from 'libsodium-wrappers'

/** A node that can prove who it is. */
export interface Signer {
  /** Ed25519 public key, base64url: the name by which other nodes know this one. */
  readonly node: string
  /** The signature of 64 bytes of this node under a message. */
  sign(message: Uint8Array): Uint8Array
}

export const NODE_BYTES = 32
export const SIGNATURE_BYTES = 64

/** The bytes of a node's public key; undefined when the text is not one, as base64url without padding. */
export function nodeBytes(node: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(node)) return undefined
  const bytes = Buffer.from(node, 'base64url')
  // The last character has two bits to spare: of four spellings one is the node's name.
  return bytes.toString('base64url') === node ? new Uint8Array(bytes) : undefined
}

/** A public key as text. */
export const nodeText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** Whether a signature under a message is that of the node. libsodium is ready: whoever has a Signer has waited for it. */
export function isSignedBy(node: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || node.length !== NODE_BYTES) return false
  return sodium.crypto_sign_verify_detached(signature, message, node)
}
