/** Operator methods for OAuth clients, their DPoP keys and their tokens (consent supplement 4.3). */
import { Failure } from '../../../store/model/failure.js'
import { listUsernames } from '../../../store/accounts/users.js'
import type { NodeMethod } from '../control.js'
import type { Node } from '../../node.js'
import { createClient, revokeClient, rotateSecret, updateClient } from '../../oauth/clientChanges.js'
import { clientNamed, listClients, unknownClient } from '../../oauth/clients.js'
import { clientView } from '../../oauth/clientView.js'
import { restoreKey, revokedKeys, revokeKey, knownKeys } from '../../oauth/dpopKeys.js'
import { revokeTokenFamilies } from '../../oauth/refresh.js'
import { loadedOf } from './loaded.js'
import { offerNamed, offersOf } from './oauthOffers.js'
import { endTokens, tokensOf, type ClientToken } from './oauthTokens.js'

type Params = Record<string, unknown>

const textIn = (params: Params, name: string): string | undefined => {
  const value = params[name]
  return typeof value === 'string' ? value : undefined
}

/** Returns the parameters that describe a client. */
const fieldsIn = ({ client }: Params): unknown => client ?? {}

const idIn = (params: Params): string => textIn(params, 'clientId') ?? ''

/** Lists tokens of one account by `username` or of all, and of one client by `clientId` or of all. */
async function tokensIn(node: Node, params: Params): Promise<ClientToken[]> {
  const named = params['username'] === undefined ? await listUsernames(node.store.db) : [params]
  const tokens = []
  for (const one of named) tokens.push(...(await tokensOf(node, await loadedOf(node, { ...one }), textIn(params, 'clientId'))))
  return tokens
}

export const oauthMethods: Readonly<Record<string, NodeMethod>> = {
  async 'oauth.clients.list'(node) {
    const clients = []
    for (const client of await listClients(node)) clients.push(await clientView(node, client))
    return { clients }
  },
  async 'oauth.clients.show'(node, params) {
    return { client: await clientView(node, await clientNamed(node, idIn(params))) }
  },
  async 'oauth.clients.create'(node, params) {
    const { client, secret } = await createClient(node, fieldsIn(params))
    const view = await clientView(node, client)
    return secret === undefined ? { client: view } : { client: view, client_secret: secret.reveal() }
  },
  async 'oauth.clients.update'(node, params) {
    await clientNamed(node, idIn(params))
    return { client: await clientView(node, await updateClient(node, idIn(params), fieldsIn(params))) }
  },
  async 'oauth.clients.rotateSecret'(node, params) {
    await clientNamed(node, idIn(params))
    const { client, secret } = await rotateSecret(node, idIn(params))
    return { client: await clientView(node, client), client_secret: secret.reveal() }
  },
  async 'oauth.clients.revoke'(node, params) {
    const clientId = idIn(params)
    if (!(await revokeClient(node, clientId))) throw unknownClient(clientId)
    return { clientDeletion: { client_id: clientId } }
  },
  /** Lists the offers of one client, or of all. */
  async 'oauth.offers.list'(node, params) {
    const clientId = textIn(params, 'clientId')
    const offers = []
    for (const client of clientId === undefined ? await listClients(node) : [await clientNamed(node, clientId)]) {
      offers.push(...(await offersOf(node, client)))
    }
    return { offers }
  },
  async 'oauth.offers.show'(node, params) {
    return { offer: await offerNamed(node, await clientNamed(node, idIn(params)), textIn(params, 'name') ?? '') }
  },
  /** Lists seen and revoked keys, of one client or of all. */
  async 'oauth.keys.list'(node, params) {
    const revoked = new Map((await revokedKeys(node)).map(({ jkt, revokedAt }) => [jkt, revokedAt]))
    const clientId = textIn(params, 'clientId')
    const seen = await knownKeys(node, clientId)
    if (clientId !== undefined && seen.length === 0) await clientNamed(node, clientId)
    const keys = seen.map((key) => ({ ...key, revokedAt: revoked.get(key.jkt) ?? null }))
    const known = new Set(seen.map(({ jkt }) => jkt))
    const unseen = clientId === undefined ? [...revoked].filter(([jkt]) => !known.has(jkt)) : []
    const others = unseen.map(([jkt, revokedAt]) => ({ jkt, clientId: null, firstSeenAt: null, lastSeenAt: null, revokedAt }))
    return { keys: [...keys, ...others] }
  },
  async 'oauth.keys.revoke'(node, params) {
    const jkt = textIn(params, 'jkt') ?? ''
    await revokeKey(node, jkt)
    return { key: { jkt, revoked: true } }
  },
  async 'oauth.keys.restore'(node, params) {
    const jkt = textIn(params, 'jkt') ?? ''
    await restoreKey(node, jkt)
    return { key: { jkt, revoked: false } }
  },
  async 'oauth.tokens.list'(node, params) {
    const tokens = await tokensIn(node, params)
    const clientId = textIn(params, 'clientId')
    if (clientId !== undefined && tokens.length === 0) await clientNamed(node, clientId)
    return { tokens }
  },
  /** Revokes the tokens of a client in one account or in all, including the refresh tokens. */
  async 'oauth.tokens.revoke'(node, params) {
    const clientId = textIn(params, 'clientId')
    if (clientId === undefined) throw new Failure('invalid-parameters-format', 'Pass a clientId.')
    const username = textIn(params, 'username')
    const target = username === undefined ? { clientId } : { clientId, userId: (await loadedOf(node, params)).user.id }
    // Revoke token families first: tokens refreshed in the meantime are then among those listed.
    const refreshTokens = await revokeTokenFamilies(node, target)
    const tokens = await tokensIn(node, params)
    if (refreshTokens === 0 && tokens.length === 0) await clientNamed(node, clientId)
    for (const one of new Set(tokens.map((token) => token.username))) {
      const ids = tokens.filter((token) => token.username === one).map(({ id }) => id)
      await endTokens(node, await loadedOf(node, { username: one }), ids)
    }
    return { tokens, refreshTokens }
  },
}
