/**
 * Links that offer a pairing: `coffer:pair/<code>@<address>`. The code is base64url of a version (1 byte), the public key of
 * the offering node (32), a secret (16), and a checksum of these (2). The address is an `http:` or `https:` URL, and may be
 * edited by hand. `proofOf` proves knowledge of the secret without revealing it; it requires libsodium to be ready.
 */
import sodium from 'libsodium-wrappers'
import { Secret } from '../../store/model/secret.js'
import { NODE_BYTES, nodeText } from '../channel/signer.js'

export interface PairingUrl {
  /** Public key of the offering node, base64url. */
  node: string
  /** Secret of 16 bytes. */
  secret: Secret<Uint8Array>
  /** Address of that node. */
  address: string
}

const PREFIX = 'coffer:pair/'
const VERSION = 1
export const SECRET_BYTES = 16
const CHECKED = 1 + NODE_BYTES + SECRET_BYTES
const CODE_CHARACTERS = Math.ceil(((CHECKED + 2) * 4) / 3)
const MAX_ADDRESS_LENGTH = 2000

/** Error for an unusable link; the message says what is wrong. */
class PairingUrlError extends Error {
  constructor(
    readonly reason: 'not-a-link' | 'cut' | 'mistyped' | 'version' | 'address',
    message: string,
  ) {
    super(message)
    this.name = 'LinkError'
  }
}

const checksum = (bytes: Uint8Array): Uint8Array =>
  sodium.crypto_generichash(16, bytes, 'coffer pairing link').subarray(0, 2)

/** Returns a link as text. Requires libsodium to be ready. */
export function pairingUrlText({ node, secret, address }: PairingUrl): string {
  const bytes = Buffer.concat([Uint8Array.of(VERSION), Buffer.from(node, 'base64url'), secret.reveal()])
  return `${PREFIX}${Buffer.concat([bytes, checksum(bytes)]).toString('base64url')}@${address}`
}

/**
 * Parses a link, with or without surrounding whitespace. Ignores line breaks within it, which copying from a narrow terminal
 * may add. Requires libsodium to be ready.
 * @throws PairingUrlError
 */
export function parsePairingUrl(text: string): PairingUrl {
  const link = text.replace(/[ \t]*[\r\n]+[ \t]*/g, '').trim()
  if (link.slice(0, PREFIX.length).toLowerCase() !== PREFIX) {
    if (link !== '' && PREFIX.startsWith(link.toLowerCase())) throw cut()
    throw new PairingUrlError('not-a-link', `This is not a pairing link, which begins with ${PREFIX}`)
  }
  const rest = link.slice(PREFIX.length)
  const at = rest.indexOf('@')
  const code = at < 0 ? rest : rest.slice(0, at)
  if (/[^A-Za-z0-9_-]/.test(code)) throw mistyped('its code contains an invalid character')
  if (at < 0) throw cut()
  if (code.length !== CODE_CHARACTERS) {
    throw mistyped(`its code has ${code.length} characters where there are ${CODE_CHARACTERS}`)
  }
  const bytes = Buffer.from(code, 'base64url')
  const checked = bytes.subarray(0, CHECKED)
  if (!bytes.subarray(CHECKED).equals(checksum(checked))) throw mistyped('its code does not match its checksum')
  if (bytes[0] !== VERSION) throw new PairingUrlError('version', 'The link was made by another version of this program.')
  const address = addressIn(rest.slice(at + 1))
  const secret = new Secret(new Uint8Array(bytes.subarray(1 + NODE_BYTES, CHECKED)))
  return { node: nodeText(bytes.subarray(1, 1 + NODE_BYTES)), secret, address }
}

const cut = (): PairingUrlError => new PairingUrlError('cut', 'The link is incomplete: copy all of it.')
const mistyped = (what: string): PairingUrlError => new PairingUrlError('mistyped', `The link is mistyped: ${what}.`)

function addressIn(text: string): string {
  if (text === '') throw cut()
  let url: URL | undefined
  try {
    url = new URL(text)
  } catch {
    // Reported below.
  }
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '' || text.length > MAX_ADDRESS_LENGTH) {
    throw new PairingUrlError('address', `The link ends with ${JSON.stringify(text.slice(0, 80))}, which is not the address of a node.`)
  }
  return url.href
}

/** Returns the id of an offer, derived from its secret without revealing it: base64url of 16 bytes. */
export const offerId = (secret: Secret<Uint8Array>): string =>
  Buffer.from(sodium.crypto_generichash(16, 'coffer pairing offer', secret.reveal())).toString('base64url')

/** Returns the proof for one channel: 32 bytes. Useless on another one, whose binding differs. */
export const proofOf = (secret: Secret<Uint8Array>, binding: Uint8Array, node: string): Uint8Array =>
  sodium.crypto_generichash(32, Buffer.concat([Buffer.from('coffer pairing proof\0'), binding, Buffer.from(node)]), secret.reveal())
