/** Key pair that identifies this node to others, created on first use. */
import sodium from 'libsodium-wrappers'
import { nodeKeys } from '../../store/engine/keys.js'
import { Secret } from '../../store/model/secret.js'
import type { Store } from '../../store/index.js'
import { nodeText, type Signer } from '../channel/signer.js'
import { fingerprintOf } from './fingerprint.js'

export interface Identity extends Signer {
  /** Fingerprint for people to compare and type: see fingerprint.ts. */
  readonly fingerprint: string
}

/** Stored form: `nodeKeys.identity`. */
interface Stored {
  /** Ed25519 public key, base64url. */
  node: string
  /** Seed of the secret key: 32 bytes in base64url, encrypted at rest. */
  seed: string
}

/** Error for a stored identity that cannot be used; the message says why. */
export class IdentityUnusable extends Error {}

/** Decrypts and checks a stored identity. @throws IdentityUnusable */
function opened(store: Store, text: string): Identity {
  let node: string
  let seed: Uint8Array
  try {
    const stored = JSON.parse(text) as Stored
    node = stored.node
    seed = Buffer.from(store.seal.open(stored.seed, nodeKeys.identity), 'base64url')
  } catch {
    throw new IdentityUnusable('The identity key of this node cannot be read.')
  }
  const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(seed)
  if (nodeText(publicKey) !== node) {
    throw new IdentityUnusable('The identity key of this node does not match its stored public key.')
  }
  const secretKey = new Secret(privateKey)
  return {
    node,
    fingerprint: fingerprintOf(publicKey),
    sign: (message) => sodium.crypto_sign_detached(message, secretKey.reveal()),
  }
}

/** Returns the identity of this node; undefined when it has none yet. Rejects with IdentityUnusable. */
export async function readIdentity(store: Store): Promise<Identity | undefined> {
  await sodium.ready
  const text = store.db.get(nodeKeys.identity)
  return text === undefined ? undefined : opened(store, text)
}

/**
 * Returns the identity of this node, and creates it if there is none; on disk when it resolves. Concurrent calls return the
 * same one. Rejects with IdentityUnusable.
 */
export async function makeIdentity(store: Store): Promise<Identity> {
  const known = await readIdentity(store)
  if (known !== undefined) return known
  const made = newIdentity(store)
  const text = await store.platform.write((t) => {
    const other = t.get(nodeKeys.identity)
    if (other !== undefined) return other
    const own = JSON.stringify(made)
    t.put(nodeKeys.identity, own)
    t.sync()
    return own
  })
  return opened(store, text)
}

/** Replaces this node's identity with a new one, on disk when it resolves: existing pairings end. */
export async function renewIdentity(store: Store): Promise<Identity> {
  await sodium.ready
  const text = JSON.stringify(newIdentity(store))
  await store.platform.write((t) => {
    t.put(nodeKeys.identity, text)
    t.sync()
  })
  return opened(store, text)
}

function newIdentity(store: Store): Stored {
  const seed = sodium.randombytes_buf(sodium.crypto_sign_SEEDBYTES)
  const { publicKey } = sodium.crypto_sign_seed_keypair(seed)
  const sealed = store.seal.seal(Buffer.from(seed).toString('base64url'), nodeKeys.identity)
  return { node: nodeText(publicKey), seed: sealed }
}
