/**
 * Registry of OAuth clients (docs/interface/oauth.md#clients): applications registered by the operator that may request access.
 * Stored in platform records, with secrets hashed, or encrypted for all cores of the platform.
 */
import { createHash, randomBytes } from 'node:crypto'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { readUser } from '../../../store/accounts/users.js'
import { millisecondsNow } from '../../base/clock.js'
import { nearest } from '../../base/didYouMean.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import { CLIENTS } from '../../auth/dpop/families.js'
import type { PublicKey } from './clientRules.js'

/** A registered client. */
export interface OAuthClient {
  clientId: string
  redirectUris: string[]
  /** Scopes that it may request; `cmc:<name>` has its offer in `cmcOffers`. */
  scope: string[]
  grantTypes: string[]
  clientName: string
  clientUri?: string | undefined
  logoUri?: string | undefined
  applicationType?: 'web' | 'native' | undefined
  /** SHA-256 of the secret, base64url: 256 random bits need no slow hash. */
  clientSecretHash?: string
  jwks?: { keys: PublicKey[] } | undefined
  /** App account, by its user id. */
  accountUserId?: string
  /** Consent offers by name; the URL contains a token. */
  cmcOffers: Record<string, { capabilityUrl: string }>
  /** Time of the last change, in milliseconds. */
  updatedAt: number
}

/** Stored form of a client. */
interface Stored extends Omit<OAuthClient, 'clientId' | 'cmcOffers'> {
  /** Prefix of the app account, to find it without a search. */
  account?: string
  /** Encrypted URLs, by offer name. */
  offers: Record<string, string>
}

/** Checks whether a client has credentials; others are public. */
export const isConfidential = ({ clientSecretHash, jwks }: Pick<OAuthClient, 'clientSecretHash' | 'jwks'>): boolean =>
  clientSecretHash !== undefined || jwks !== undefined

/** Returns a client by its id; undefined when none is registered under it. */
export async function findClient(node: Context, clientId: string): Promise<OAuthClient | undefined> {
  return clientIn(node, clientId, await node.registry.records.get(CLIENTS, clientId))
}

/** Returns all clients, by id. */
export async function listClients(node: Context): Promise<OAuthClient[]> {
  const found = []
  for (const { id, value } of await node.registry.records.list(CLIENTS)) {
    const client = clientIn(node, id, value)
    if (client !== undefined) found.push(client)
  }
  return found.sort((a, b) => (a.clientId < b.clientId ? -1 : 1))
}

/** Decodes a client from a record; undefined when there is none. */
export function clientIn(node: Context, clientId: string, value: unknown): OAuthClient | undefined {
  if (value === undefined) return undefined
  const { offers, account: _, ...stored } = value as Stored
  const cmcOffers: OAuthClient['cmcOffers'] = {}
  for (const [name, sealed] of Object.entries(offers)) {
    cmcOffers[name] = { capabilityUrl: node.registry.platformSeal.open(sealed, placeOf(clientId, name)) }
  }
  return { clientId, ...stored, cmcOffers }
}

/** Encodes the record of a client, with the current time. `account` is the prefix of the app account. */
export function recordOf(node: Context, client: OAuthClient, account: string | undefined): unknown {
  const { clientId, cmcOffers, ...rest } = client
  const offers: Record<string, string> = {}
  for (const [name, { capabilityUrl }] of Object.entries(cmcOffers)) {
    offers[name] = node.registry.platformSeal.seal(capabilityUrl, placeOf(clientId, name))
  }
  const stored: Stored = { ...rest, offers, updatedAt: millisecondsNow(node.clock) }
  return account === undefined ? stored : { ...stored, account }
}

const placeOf = (clientId: string, offer: string): string => `oauth-client/${clientId}/${offer}`

/** Returns the app account of a client; undefined when it has none or was deleted. */
export async function appAccountOf(node: Context, { clientId, accountUserId }: OAuthClient): Promise<LoadedAccount | undefined> {
  const stored = (await node.registry.records.get(CLIENTS, clientId)) as Stored | undefined
  if (stored?.account === undefined) return undefined
  const user = readUser(node.store.db, stored.account)
  return user === undefined || user.id !== accountUserId ? undefined : node.accounts.find(user.username)
}

/** Returns the prefix of the app account in a record. */
export const accountIn = (value: unknown): string | undefined => (value as Stored).account

/** Checks the secret of a client in constant time. */
export function secretMatches({ clientSecretHash }: OAuthClient, secret: string): Promise<boolean> {
  if (clientSecretHash === undefined) return Promise.resolve(false)
  return Promise.resolve(constantTimeEqual(hashOf(secret), clientSecretHash))
}

/** Returns a new client secret and its hash. */
export function newSecret(): { secret: Secret<string>; clientSecretHash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret: new Secret(secret), clientSecretHash: hashOf(secret) }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

export const unknownClient = (clientId: string): Failure =>
  new Failure('unknown-resource', `Unknown OAuth client "${clientId}".`, { clientId })

/**
 * Returns a client that the operator specified.
 * @throws Failure `unknown-resource`, with a similar id as a suggestion
 */
export async function clientNamed(node: Context, clientId: string): Promise<OAuthClient> {
  const found = await findClient(node, clientId)
  if (found !== undefined) return found
  const near = nearest(clientId, (await listClients(node)).map((client) => client.clientId))
  if (near === undefined) throw unknownClient(clientId)
  throw new Failure('unknown-resource', `Unknown OAuth client "${clientId}". Did you mean ${near}?`, { clientId })
}
