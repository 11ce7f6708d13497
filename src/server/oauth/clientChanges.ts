/** Registering, changing and revoking OAuth clients (consent supplement 4.3). What they may be is clientRules.ts. */
import { Failure, invalidFormat } from '../../store/model/failure.js'
import type { Secret } from '../../store/model/secret.js'
import { parseInput } from '../../store/model/validation.js'
import { accountOfUsername } from '../../store/accounts/users.js'
import type { Node } from '../node.js'
import { CLIENTS, REVOKED_CLIENTS } from '../proofs/families.js'
import { ClientPatch, CMC, idFromName, NewClient } from './clientRules.js'
import {
  accountIn,
  clientIn,
  isConfidential,
  millisecondsNow,
  newSecret,
  recordOf,
  unknownClient,
  type OAuthClient,
} from './clients.js'

/** A client with its secret, which is told this once. */
export interface WithSecret {
  client: OAuthClient
  secret?: Secret<string>
}

const DEFAULT_GRANTS = ['authorization_code', 'refresh_token']
const SHORTEST_ID = 4

/**
 * Registers a client: public, unless it is `confidential` or has keys.
 * @throws Failure `invalid-parameters-format`; `unknown-user`; `item-already-exists` for an id that is taken
 */
export async function createClient(node: Node, input: unknown): Promise<WithSecret> {
  const { clientId: given, username, confidential = false, ...fields } = parseInput(NewClient, input)
  const app = username === undefined ? undefined : await appAccount(node, username)
  if (given !== undefined) assertNoAccountName(node, given)
  const clientId = given ?? (await freeId(node, app?.user.username, fields.clientName))
  const made = confidential ? newSecret() : undefined
  const client: OAuthClient = {
    ...fields,
    clientId,
    scope: withOffers(fields.scope ?? [], Object.keys(fields.cmcOffers ?? {})),
    grantTypes: [...new Set(fields.grantTypes ?? DEFAULT_GRANTS)],
    clientName: fields.clientName ?? clientId,
    cmcOffers: fields.cmcOffers ?? {},
    ...(app === undefined ? {} : { accountUserId: app.user.id }),
    ...(made === undefined ? {} : { clientSecretHash: made.clientSecretHash }),
    updatedAt: 0,
  }
  assertConsistent(client)
  // What a former client of this id was given stays dead, also what is on its way to it at this moment.
  await node.registry.records.change(REVOKED_CLIENTS, clientId, (now) =>
    now === undefined ? { result: undefined } : { put: { revokedAt: millisecondsNow(node) }, result: undefined },
  )
  const registered = await node.registry.records.change(CLIENTS, clientId, (now) => {
    if (now !== undefined) throw new Failure('item-already-exists', `There is an OAuth client "${clientId}" already.`, { clientId })
    const put = recordOf(node, client, app?.account.prefix)
    return { put, result: clientIn(node, clientId, put) ?? client }
  })
  return made === undefined ? { client: registered } : { client: registered, secret: made.secret }
}

/**
 * Changes what is named of a client; the id stays for good. Offers are changed one by one, with the scopes that ask for them.
 * @throws Failure `invalid-parameters-format`, `unknown-resource`, `unknown-user`
 */
export async function updateClient(node: Node, clientId: string, input: unknown): Promise<OAuthClient> {
  const { username, public: isPublic, cmcOffers = {}, ...patch } = parseInput(ClientPatch, input)
  const app = username === undefined ? undefined : await appAccount(node, username)
  return changed(node, clientId, (before) => {
    const merged: Record<string, unknown> = { ...before, ...patch }
    if (isPublic === true) merged['clientSecretHash'] = merged['jwks'] = null
    if (app !== undefined) merged['accountUserId'] = app.user.id
    const stored = Object.entries(merged).filter(([, value]) => value !== null && value !== undefined)
    const after = Object.fromEntries(stored) as unknown as OAuthClient
    after.grantTypes = [...new Set(after.grantTypes)]
    const gone = Object.keys(cmcOffers).filter((offer) => cmcOffers[offer] === null)
    after.cmcOffers = offersOf({ ...before.cmcOffers, ...cmcOffers })
    const scope = after.scope.filter((one) => !gone.some((offer) => one === CMC + offer))
    after.scope = withOffers(scope, Object.keys(offersOf(cmcOffers)))
    assertConsistent(after)
    return after
  }, app?.account.prefix)
}

/** Gives a client a new secret in place of the one it has, or its first. Throws Failure `unknown-resource`. */
export async function rotateSecret(node: Node, clientId: string): Promise<Required<WithSecret>> {
  const { secret, clientSecretHash } = newSecret()
  const client = await changed(node, clientId, (before) => ({ ...before, clientSecretHash }))
  return { client, secret }
}

/**
 * Takes a client out of the registry, and what it was given with it: accesses that were made for it before this moment
 * are refused from now on, whoever registers under its id later. Answers whether there was one.
 */
export async function revokeClient(node: Node, clientId: string): Promise<boolean> {
  const { records } = node.registry
  if ((await records.get(CLIENTS, clientId)) === undefined) return false
  await records.change(REVOKED_CLIENTS, clientId, () => ({ put: { revokedAt: millisecondsNow(node) }, result: undefined }))
  return records.change(CLIENTS, clientId, (now) => (now === undefined ? { result: false } : { put: null, result: true }))
}

/** When what a client was given ended last, in milliseconds; undefined when that never happened. */
export async function clientRevokedAt(node: Node, clientId: string): Promise<number | undefined> {
  const found = await node.registry.records.get(REVOKED_CLIENTS, clientId)
  return (found as { revokedAt?: number } | undefined)?.revokedAt
}

function changed(
  node: Node,
  clientId: string,
  step: (before: OAuthClient) => OAuthClient,
  account?: string,
): Promise<OAuthClient> {
  return node.registry.records.change(CLIENTS, clientId, (now) => {
    const before = clientIn(node, clientId, now)
    if (before === undefined) throw unknownClient(clientId)
    const put = recordOf(node, step(before), account ?? accountIn(now))
    return { put, result: clientIn(node, clientId, put) ?? before }
  })
}

/** Those offers that are not taken away. */
function offersOf(input: Readonly<Record<string, { capabilityUrl: string } | null>>): OAuthClient['cmcOffers'] {
  const offers: OAuthClient['cmcOffers'] = {}
  for (const [name, offer] of Object.entries(input)) if (offer !== null) offers[name] = offer
  return offers
}

/** The scopes, and one for each offer that they lack. */
const withOffers = (scope: readonly string[], offers: readonly string[]): string[] => [
  ...new Set([...scope, ...offers.map((offer) => CMC + offer)]),
]

async function appAccount(node: Node, username: string): Promise<NonNullable<Awaited<ReturnType<Node['accounts']['find']>>>> {
  const found = await node.accounts.find(username)
  if (found === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return found
}

function assertNoAccountName({ store }: Node, clientId: string): void {
  if (accountOfUsername(store.db, clientId.toLowerCase()) === undefined) return
  throw new Failure('item-already-exists', `"${clientId}" is the name of an account: choose another id.`, { clientId })
}

/** An id for a client that was given none: the user name of its account, else what its name gives. */
async function freeId(node: Node, username: string | undefined, name: string | undefined): Promise<string> {
  if (username !== undefined) return username
  const stem = idFromName(name ?? '') ?? 'client'
  for (let count = stem.length < SHORTEST_ID ? 1 : 0; ; count++) {
    const id = count === 0 ? stem : `${stem}-${count === 1 ? node.newId().slice(0, 4) : node.newId().slice(0, 8)}`
    if (accountOfUsername(node.store.db, id) !== undefined) continue
    const { records } = node.registry
    const known = (await records.get(CLIENTS, id)) ?? (await records.get(REVOKED_CLIENTS, id))
    if (known === undefined) return id
  }
}

/** Refuses what the fields of a client say together. */
function assertConsistent(client: OAuthClient): void {
  for (const scope of client.scope) {
    const offer = scope.startsWith(CMC) ? scope.slice(CMC.length) : undefined
    if (offer === undefined || Object.hasOwn(client.cmcOffers, offer)) continue
    throw inconsistent(`The scope "${scope}" needs the address of its offer "${offer}".`, 'scope')
  }
  if (!client.grantTypes.includes('client_credentials')) return
  if (client.accountUserId === undefined) {
    throw inconsistent('A client with the grant client_credentials acts for its app account: name that.', 'grantTypes')
  }
  if (!isConfidential(client)) {
    throw inconsistent('A client with the grant client_credentials needs a secret or keys.', 'grantTypes')
  }
}

const inconsistent = (message: string, field: string): Failure =>
  invalidFormat([{ code: 'NOT_PASSED', message, path: `#/${field}` }], message)
