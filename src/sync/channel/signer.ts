/** Authentication of nodes by Ed25519 signatures. */
import sodium from 'libsodium-wrappers'

/** Identity that can sign messages. */
export interface Signer {
  /** Ed25519 public key, base64url: the id of the node. */
  readonly node: string
  /** Returns this node's signature of a message, 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

export const NODE_BYTES = 32
export const SIGNATURE_BYTES = 64

/** Returns the bytes of a node's public key; undefined when the text is not one in base64url without padding. */
export function nodeBytes(node: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(node)) return undefined
  const bytes = Buffer.from(node, 'base64url')
  // The last character has two unused bits: only one of four spellings is canonical.
  return bytes.toString('base64url') === node ? new Uint8Array(bytes) : undefined
}

/** Returns a public key as text. */
export const nodeText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** Checks a node's signature of a message. libsodium is ready, since creating a Signer waits for it. */
export function isSignedBy(node: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || node.length !== NODE_BYTES) return false
  return sodium.crypto_sign_verify_detached(signature, message, node)
}
