/**
 * Messages of a pairing: JSON objects, with their type in `is`. `A` is the accepting node, `O` the offering one.
 *
 *   A → O   hello     proof of the secret, identity of A, its commitment to a number (sas.ts)
 *   O → A   offer     identity of O, scope of the pairing, its number
 *   A → O   reveal    A's number
 *   both    confirm   the user has confirmed; or refuse
 *   A → O   kept      A's record is on disk
 *   O → A   kept      O's record is on disk too
 */
import type { Channel } from '../channel/channel.js'
import type { Direction, Scope } from '../../store/replication/peers.js'

/** Identity of a side as shown to people. */
export interface PairingSide {
  /** Name of the node. */
  name: string
  /** Name of the account. */
  account: string
  /** Address of the node, if it may be dialed. */
  address?: string
  /** Time in seconds. */
  clock: number
}

export type PairingMessage =
  | ({ is: 'hello'; offer: string; proof: Uint8Array; commitment: Uint8Array } & PairingSide)
  | ({ is: 'offer'; pairing: string; scope: Scope; nonce: Uint8Array } & PairingSide)
  | { is: 'reveal'; nonce: Uint8Array }
  | { is: 'confirm' }
  | { is: 'refuse'; reason: string }
  | { is: 'kept' }

type PairingErrorReason =
  /** The other node does not know the offer: wrong, used or expired. */
  | 'unknown-offer'
  | 'already-paired'
  | 'self'
  | 'refused'
  | 'expired'
  | 'withdrawn'
  | 'lost'
  | 'damaged'
  /** This node stored the pairing; whether the other did is unknown. */
  | 'unsure'
  /** The pairing could not be stored here. */
  | 'failed'

/** Error for a failed pairing; the message is a sentence for people. */
export class PairingError extends Error {
  constructor(
    readonly reason: PairingErrorReason,
    message: string,
  ) {
    super(message)
    this.name = 'PairingError'
  }
}

const MAX_NAME_LENGTH = 64
const MAX_MESSAGE_LENGTH = 64 * 1024
const MAX_REASON_LENGTH = 200
const MAX_ADDRESS_LENGTH = 2000
const MAX_STREAM_ID_LENGTH = 256
const MAX_STREAMS = 1000

/** Text that can be shown to people: without control characters and changes of writing direction. */
const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+$/u

/** Returns a name that can be shown to others: shortened, without invisible characters. Never empty. */
export function printableName(name: string): string {
  const visible = [...name].filter((character) => PRINTABLE.test(character)).join('').trim().slice(0, MAX_NAME_LENGTH).trim()
  return visible === '' ? 'node' : visible
}

/** Sends a message. */
export function sendPairingMessage(channel: Channel, message: PairingMessage): Promise<void> {
  const text = JSON.stringify(message, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : value,
  )
  return channel.send(new TextEncoder().encode(text))
}

/** Parses a received message. @throws PairingError `damaged` */
export function parsePairingMessage(bytes: Uint8Array): PairingMessage {
  const message = bytes.length > MAX_MESSAGE_LENGTH ? undefined : messageIn(bytes)
  if (message === undefined) throw new PairingError('damaged', 'The other node sent an invalid pairing message.')
  return message
}

type Fields = Record<string, unknown>

function messageIn(bytes: Uint8Array): PairingMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
  const fields = Object(value) as Fields
  switch (fields['is']) {
    case 'hello':
      return helloIn(fields)
    case 'offer':
      return offerIn(fields)
    case 'reveal': {
      const nonce = bytesIn(fields['nonce'], 16)
      return nonce === undefined ? undefined : { is: 'reveal', nonce }
    }
    case 'refuse':
      return { is: 'refuse', reason: printableText(fields['reason'], MAX_REASON_LENGTH) ?? '' }
    case 'confirm':
    case 'kept':
      return { is: fields['is'] }
    default:
      return undefined
  }
}

function helloIn(fields: Fields): PairingMessage | undefined {
  const who = sideIn(fields)
  const proof = bytesIn(fields['proof'], 32)
  const commitment = bytesIn(fields['commitment'], 32)
  const offer = bytesIn(fields['offer'], 16) === undefined ? undefined : String(fields['offer'])
  if (who === undefined || proof === undefined || commitment === undefined || offer === undefined) return undefined
  return { is: 'hello', offer, proof, commitment, ...who }
}

function offerIn(fields: Fields): PairingMessage | undefined {
  const who = sideIn(fields)
  const scope = scopeIn(fields['scope'])
  const nonce = bytesIn(fields['nonce'], 16)
  const pairing = bytesIn(fields['pairing'], 16) === undefined ? undefined : String(fields['pairing'])
  if (who === undefined || scope === undefined || nonce === undefined || pairing === undefined) return undefined
  return { is: 'offer', pairing, scope, nonce, ...who }
}

function sideIn({ name, account, address, clock }: Fields): PairingSide | undefined {
  const shownNodeName = printableText(name, MAX_NAME_LENGTH)
  const shownAccount = printableText(account, MAX_NAME_LENGTH)
  if (shownNodeName === undefined || shownAccount === undefined || typeof clock !== 'number' || !Number.isFinite(clock)) return undefined
  const who: PairingSide = { name: shownNodeName, account: shownAccount, clock }
  if (address === undefined) return who
  if (typeof address !== 'string' || address.length > MAX_ADDRESS_LENGTH || !isAddress(address)) return undefined
  return { ...who, address }
}

function isAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
}

const printableText = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value.length <= maxLength && PRINTABLE.test(value) ? value : undefined

function bytesIn(value: unknown, length: number): Uint8Array | undefined {
  if (typeof value !== 'string' || value.length !== Math.ceil((length * 4) / 3)) return undefined
  const bytes = Buffer.from(value, 'base64url')
  return bytes.toString('base64url') === value ? new Uint8Array(bytes) : undefined
}

const DIRECTIONS: readonly unknown[] = ['send', 'receive', 'both'] satisfies Direction[]

function scopeIn(value: unknown): Scope | undefined {
  const { is, streams, direction, grantor } = Object(value) as Fields
  if (is === 'mirror') return { is }
  if (is !== 'share' || !DIRECTIONS.includes(direction) || (grantor !== 'us' && grantor !== 'them')) return undefined
  if (!Array.isArray(streams) || streams.length === 0 || streams.length > MAX_STREAMS) return undefined
  if (!streams.every((id) => typeof id === 'string' && id !== '' && id.length <= MAX_STREAM_ID_LENGTH)) return undefined
  return { is, streams: streams as string[], direction: direction as Direction, grantor }
}

const OTHER: Record<Direction, Direction> = { send: 'receive', receive: 'send', both: 'both' }

/** Returns a scope from the other node's perspective. */
export function scopeOfPeer(scope: Scope): Scope {
  if (scope.is === 'mirror') return scope
  return { ...scope, direction: OTHER[scope.direction], grantor: scope.grantor === 'us' ? 'them' : 'us' }
}
