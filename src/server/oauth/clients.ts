/**
 * The registry of OAuth clients (consent supplement 4.3): applications that may ask for access, registered by the
 * operator alone. Records of the platform; what of them is a secret is kept as a hash, or sealed.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { readUser } from '../../store/accounts/users.js'
import { nearest } from '../base/didYouMean.js'
import type { LoadedAccount, Node } from '../node.js'
import { CLIENTS } from '../proofs/families.js'
import type { PublicKey } from './clientRules.js'

/** A registered client. */
export interface OAuthClient {
  clientId: string
  redirectUris: string[]
  /** What it may ask for; `cmc:<name>` has its offer in `cmcOffers`. */
  scope: string[]
  grantTypes: string[]
  clientName: string
  clientUri?: string | undefined
  logoUri?: string | undefined
  applicationType?: 'web' | 'native' | undefined
  /** SHA-256 of the secret, base64url: 256 random bits need no slow hash. */
  clientSecretHash?: string
  jwks?: { keys: PublicKey[] } | undefined
  /** The app account, by the id of its user. */
  accountUserId?: string
  /** Consent offers by their names; an address carries a token. */
  cmcOffers: Record<string, { capabilityUrl: string }>
  /** In milliseconds. */
  updatedAt: number
}

/** A client as it is kept. */
interface Stored extends Omit<OAuthClient, 'clientId' | 'cmcOffers'> {
  /** Where the app account lies, so that it is found by its id without a search. */
  account?: string
  /** Sealed addresses, by name. */
  offers: Record<string, string>
}

/** Whether a client authenticates; others are public. */
export const isConfidential = ({ clientSecretHash, jwks }: Pick<OAuthClient, 'clientSecretHash' | 'jwks'>): boolean =>
  clientSecretHash !== undefined || jwks !== undefined

/** A client by its id; undefined when none is registered under it. */
export async function findClient(node: Node, clientId: string): Promise<OAuthClient | undefined> {
  return clientIn(node, clientId, await node.registry.records.get(CLIENTS, clientId))
}

/** All clients, by id. */
export async function listClients(node: Node): Promise<OAuthClient[]> {
  const found = []
  for (const { id, value } of await node.registry.records.list(CLIENTS)) {
    const client = clientIn(node, id, value)
    if (client !== undefined) found.push(client)
  }
  return found.sort((a, b) => (a.clientId < b.clientId ? -1 : 1))
}

/** A client in a record; undefined for none. */
export function clientIn(node: Node, clientId: string, value: unknown): OAuthClient | undefined {
  if (value === undefined) return undefined
  const { offers, account: _, ...stored } = value as Stored
  const cmcOffers: OAuthClient['cmcOffers'] = {}
  for (const [name, sealed] of Object.entries(offers)) {
    cmcOffers[name] = { capabilityUrl: node.store.seal.open(sealed, placeOf(clientId, name)) }
  }
  return { clientId, ...stored, cmcOffers }
}

/** The record of a client, stamped with the present. `account` is the prefix of the app account. */
export function recordOf(node: Node, client: OAuthClient, account: string | undefined): unknown {
  const { clientId, cmcOffers, ...rest } = client
  const offers: Record<string, string> = {}
  for (const [name, { capabilityUrl }] of Object.entries(cmcOffers)) {
    offers[name] = node.store.seal.seal(capabilityUrl, placeOf(clientId, name))
  }
  const stored: Stored = { ...rest, offers, updatedAt: millisecondsNow(node) }
  return account === undefined ? stored : { ...stored, account }
}

const placeOf = (clientId: string, offer: string): string => `oauth-client/${clientId}/${offer}`

export const millisecondsNow = (node: Node): number => Math.floor(node.clock.now() * 1000)

/** The app account of a client; undefined when it has none, or when that is gone. */
export async function appAccountOf(node: Node, { clientId, accountUserId }: OAuthClient): Promise<LoadedAccount | undefined> {
  const stored = (await node.registry.records.get(CLIENTS, clientId)) as Stored | undefined
  if (stored?.account === undefined) return undefined
  const user = readUser(node.store.db, stored.account)
  return user === undefined || user.id !== accountUserId ? undefined : node.accounts.find(user.username)
}

/** The prefix of the account that a record's app account has. */
export const accountIn = (value: unknown): string | undefined => (value as Stored).account

/** Whether a secret is the client's. Tells nothing of how far it is. */
export function secretMatches({ clientSecretHash }: OAuthClient, secret: string): Promise<boolean> {
  if (clientSecretHash === undefined) return Promise.resolve(false)
  return Promise.resolve(timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(clientSecretHash)))
}

/** A new secret of a client, and the hash that is kept of it. */
export function newSecret(): { secret: Secret<string>; clientSecretHash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret: new Secret(secret), clientSecretHash: hashOf(secret) }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

export const unknownClient = (clientId: string): Failure =>
  new Failure('unknown-resource', `There is no OAuth client "${clientId}".`, { clientId })

/** A client that the operator names. Throws Failure `unknown-resource`, with the id that may be meant. */
export async function clientNamed(node: Node, clientId: string): Promise<OAuthClient> {
  const found = await findClient(node, clientId)
  if (found !== undefined) return found
  const near = nearest(clientId, (await listClients(node)).map((client) => client.clientId))
  if (near === undefined) throw unknownClient(clientId)
  throw new Failure('unknown-resource', `There is no OAuth client "${clientId}". Did you mean ${near}?`, { clientId })
}
