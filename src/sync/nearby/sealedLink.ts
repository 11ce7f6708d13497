/**
 * Pairing links sealed with a short code, as announced in a network. Everyone there can record an announcement and guess
 * codes without asking anyone, so the cost of a guess is what protects a link for the ten minutes in which it is valid.
 *
 * A code has 40 bits: 2^40 = 1.1 × 10^12 possibilities. A guess is one Argon2id hash over 128 MiB in 4 passes, which writes
 * 0.5 GiB of memory and reads as much again. A graphics card that moves 1 TB/s computes fewer than 1,000 of them per second,
 * thus 600,000 in ten minutes: a chance of 1 in 1.8 million for each card, and of 1 in 1,800 for a thousand cards. One card
 * needs 17 years for half of all codes. A guessed link is then still good for one node, and people compare three words.
 */
import sodium from 'libsodium-wrappers'
import { sealKey, unsealKey, WrongPassphrase, type Argon2Cost } from '../../store/keyring/passphraseEncryption.js'
import type { Secret } from '../../store/model/secret.js'

export interface SealedLink {
  /** 16 random bytes. */
  salt: Uint8Array
  /** Nonce, encrypted link and authentication tag: at most MAX_SEALED_BYTES. */
  sealed: Uint8Array
}

/** Fixed, so that an announcement cannot choose how much memory its readers use. */
const COST: Argon2Cost = { memory: 131_072, passes: 4, lanes: 4 }
/** Separates these from other sealed texts. */
const PLACE = 'coffer nearby pairing 1'
/** Length to a multiple of which links are padded, which hides the length of the address. */
const PADDING = 64
const MAX_LINK_BYTES = 511
const NONCE_AND_TAG_BYTES = 24 + 16

export const SALT_BYTES = 16
export const MAX_SEALED_BYTES = NONCE_AND_TAG_BYTES + MAX_LINK_BYTES + 1

/** Error for a link that is too long to be announced. */
export class LinkTooLong extends Error {}

/** Seals a link with a code. @throws LinkTooLong */
export async function sealLink(link: string, code: Secret<string>): Promise<SealedLink> {
  await sodium.ready
  const bytes = Buffer.from(link)
  if (bytes.length > MAX_LINK_BYTES) throw new LinkTooLong(`The link has ${bytes.length} bytes; at most ${MAX_LINK_BYTES} can be announced.`)
  const { salt, key } = await sealKey(sodium.pad(bytes, PADDING), code, PLACE, COST)
  return { salt: Buffer.from(salt, 'base64'), sealed: Buffer.from(key, 'base64') }
}

/** Opens a sealed link; undefined when the code is another one. */
export async function openLink({ salt, sealed }: SealedLink, code: Secret<string>): Promise<string | undefined> {
  await sodium.ready
  const sealing = { by: 'argon2id', ...COST, salt: base64(salt), key: base64(sealed) } as const
  try {
    return Buffer.from(sodium.unpad(await unsealKey(sealing, code, PLACE, 'the link'), PADDING)).toString()
  } catch (error) {
    if (error instanceof WrongPassphrase) return undefined
    throw error
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
