/** Registration, changes and revocation of OAuth clients (docs/interface/oauth.md#clients). Validation is in clientRules.ts. */
import { millisecondsNow } from '../../base/clock.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import type { Secret } from '../../../store/model/secret.js'
import { parseInput } from '../../../store/model/validation.js'
import { failureForOperator } from '../../platform/cores/wrongCore.js'
import type { Context } from '../../call/context.js'
import { CLIENTS, REVOKED_CLIENTS } from '../../auth/dpop/families.js'
import { ClientPatch, CMC, idFromName, NewClient } from './clientRules.js'
import {
  accountIn,
  clientIn,
  isConfidential,
  newSecret,
  recordOf,
  unknownClient,
  type OAuthClient,
} from './clients.js'

/** A client with its secret, which is shown once. */
interface WithSecret {
  client: OAuthClient
  secret?: Secret<string>
}

const DEFAULT_GRANTS = ['authorization_code', 'refresh_token']
const MIN_ID_LENGTH = 4

/**
 * Registers a client; public unless it is `confidential` or has keys.
 * @throws Failure `invalid-parameters-format`; `unknown-user`; `item-already-exists` for an id that is taken
 */
export async function createClient(node: Context, input: unknown): Promise<WithSecret> {
  const { clientId: given, username, confidential = false, ...fields } = parseInput(NewClient, input)
  const app = username === undefined ? undefined : await appAccount(node, username)
  if (given !== undefined) await assertNoAccountName(node, given)
  const clientId = given ?? (await freeId(node, app?.user.username, fields.clientName))
  const newCredentials = confidential ? newSecret() : undefined
  const client: OAuthClient = {
    ...fields,
    clientId,
    scope: withOffers(fields.scope ?? [], Object.keys(fields.cmcOffers ?? {})),
    grantTypes: [...new Set(fields.grantTypes ?? DEFAULT_GRANTS)],
    clientName: fields.clientName ?? clientId,
    cmcOffers: fields.cmcOffers ?? {},
    ...(app === undefined ? {} : { accountUserId: app.user.id }),
    ...(newCredentials === undefined ? {} : { clientSecretHash: newCredentials.clientSecretHash }),
    updatedAt: 0,
  }
  assertConsistent(client)
  // Accesses of a former client with this id stay revoked, including those being created now.
  await node.registry.records.change(REVOKED_CLIENTS, clientId, (now) =>
    now === undefined ? { result: undefined } : { put: { revokedAt: millisecondsNow(node.clock) }, result: undefined },
  )
  const registered = await node.registry.records.change(CLIENTS, clientId, (now) => {
    if (now !== undefined) throw new Failure('item-already-exists', `An OAuth client "${clientId}" already exists.`, { clientId })
    const record = recordOf(node, client, app?.account.prefix)
    return { put: record, result: clientIn(node, clientId, record) ?? client }
  })
  return newCredentials === undefined ? { client: registered } : { client: registered, secret: newCredentials.secret }
}

/**
 * Changes the given fields of a client; the id is permanent. Offers are changed individually, with the scopes that refer to them.
 * @throws Failure `invalid-parameters-format`, `unknown-resource`, `unknown-user`
 */
export async function updateClient(node: Context, clientId: string, input: unknown): Promise<OAuthClient> {
  const { username, public: isPublic, cmcOffers = {}, ...patch } = parseInput(ClientPatch, input)
  const app = username === undefined ? undefined : await appAccount(node, username)
  return changed(node, clientId, (before) => {
    const merged: Record<string, unknown> = { ...before, ...patch }
    if (isPublic === true) merged['clientSecretHash'] = merged['jwks'] = null
    if (app !== undefined) merged['accountUserId'] = app.user.id
    const stored = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined)
    const after = Object.fromEntries(stored) as unknown as OAuthClient
    after.grantTypes = [...new Set(after.grantTypes)]
    const removedOffers = Object.keys(cmcOffers).filter((offer) => cmcOffers[offer] === null)
    after.cmcOffers = offersOf({ ...before.cmcOffers, ...cmcOffers })
    const scope = after.scope.filter((one) => !removedOffers.some((offer) => one === CMC + offer))
    after.scope = withOffers(scope, Object.keys(offersOf(cmcOffers)))
    assertConsistent(after)
    return after
  }, app?.account.prefix)
}

/**
 * Sets a new secret for a client, replacing any existing one.
 * @throws Failure `unknown-resource`
 */
export async function rotateSecret(node: Context, clientId: string): Promise<Required<WithSecret>> {
  const { secret, clientSecretHash } = newSecret()
  const client = await changed(node, clientId, (before) => ({ ...before, clientSecretHash }))
  return { client, secret }
}

/**
 * Removes a client from the registry and revokes its accesses: those created before now are rejected, even if another client
 * registers under its id later. Returns whether it existed.
 */
export async function revokeClient(node: Context, clientId: string): Promise<boolean> {
  const { records } = node.registry
  if ((await records.get(CLIENTS, clientId)) === undefined) return false
  await records.change(REVOKED_CLIENTS, clientId, () => ({ put: { revokedAt: millisecondsNow(node.clock) }, result: undefined }))
  return records.change(CLIENTS, clientId, (now) => (now === undefined ? { result: false } : { put: null, result: true }))
}

/** Returns the time of the latest revocation of a client, in milliseconds; undefined if never revoked. */
export async function clientRevokedAt(node: Context, clientId: string): Promise<number | undefined> {
  const found = await node.registry.records.get(REVOKED_CLIENTS, clientId)
  return (found as { revokedAt?: number } | undefined)?.revokedAt
}

function changed(
  node: Context,
  clientId: string,
  step: (before: OAuthClient) => OAuthClient,
  account?: string,
): Promise<OAuthClient> {
  return node.registry.records.change(CLIENTS, clientId, (now) => {
    const before = clientIn(node, clientId, now)
    if (before === undefined) throw unknownClient(clientId)
    const record = recordOf(node, step(before), account ?? accountIn(now))
    return { put: record, result: clientIn(node, clientId, record) ?? before }
  })
}

/** Returns the offers that are not set to null. */
function offersOf(input: Readonly<Record<string, { capabilityUrl: string } | null>>): OAuthClient['cmcOffers'] {
  const offers: OAuthClient['cmcOffers'] = {}
  for (const [name, offer] of Object.entries(input)) if (offer !== null) offers[name] = offer
  return offers
}

/** Returns the scopes, plus one for each offer without a scope. */
const withOffers = (scope: readonly string[], offers: readonly string[]): string[] => [
  ...new Set([...scope, ...offers.map((offer) => CMC + offer)]),
]

async function appAccount(node: Context, username: string): Promise<NonNullable<Awaited<ReturnType<Context['accounts']['find']>>>> {
  const found = await node.accounts.find(username)
  if (found === undefined) throw await failureForOperator(node, username)
  return found
}

async function assertNoAccountName({ registry }: Context, clientId: string): Promise<void> {
  if ((await registry.lookUp({ field: 'username', value: clientId.toLowerCase() })) === undefined) return
  throw new Failure('item-already-exists', `"${clientId}" is the user name of an account: choose another id.`, { clientId })
}

/** Returns a free id for a client: the user name of its account, or else one derived from its name. */
async function freeId(node: Context, username: string | undefined, name: string | undefined): Promise<string> {
  if (username !== undefined) return username
  const stem = idFromName(name ?? '') ?? 'client'
  for (let count = stem.length < MIN_ID_LENGTH ? 1 : 0; ; count++) {
    const id = count === 0 ? stem : `${stem}-${count === 1 ? node.newId().slice(0, 4) : node.newId().slice(0, 8)}`
    const { records } = node.registry
    if ((await node.registry.lookUp({ field: 'username', value: id })) !== undefined) continue
    const known = (await records.get(CLIENTS, id)) ?? (await records.get(REVOKED_CLIENTS, id))
    if (known === undefined) return id
  }
}

/** Validates the fields of a client against each other. */
function assertConsistent(client: OAuthClient): void {
  for (const scope of client.scope) {
    const offer = scope.startsWith(CMC) ? scope.slice(CMC.length) : undefined
    if (offer === undefined || Object.hasOwn(client.cmcOffers, offer)) continue
    throw inconsistent(`The scope "${scope}" requires the URL of its offer "${offer}".`, 'scope')
  }
  if (!client.grantTypes.includes('client_credentials')) return
  if (client.accountUserId === undefined) {
    throw inconsistent('A client with the grant client_credentials acts for its app account: set the app account.', 'grantTypes')
  }
  if (!isConfidential(client)) {
    throw inconsistent('A client with the grant client_credentials requires a secret or keys.', 'grantTypes')
  }
}

const inconsistent = (message: string, field: string): Failure =>
  invalidFormat([{ code: 'NOT_PASSED', message, path: `#/${field}` }], message)
