/** Operator methods for OAuth clients, their DPoP keys and their tokens (docs/interface/oauth.md#clients). */
import * as z from 'zod'
import { listUsernames } from '../../../store/accounts/users.js'
import { documented } from '../../base/documented.js'
import type { Node } from '../../index.js'
import { createClient, revokeClient, rotateSecret, updateClient } from '../../api/oauth/clientChanges.js'
import { ClientPatch, NewClient } from '../../api/oauth/clientRules.js'
import { clientNamed, listClients, unknownClient } from '../../api/oauth/clients.js'
import { ClientView, clientView } from '../../api/oauth/clientView.js'
import { restoreKey, revokedKeys, revokeKey, knownKeys } from '../../api/oauth/dpopKeys.js'
import { revokeTokenFamilies } from '../../api/oauth/refresh.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'
import { OfferDetails, offerNamed, offersOf, OfferView } from './oauthOffers.js'
import { ClientToken, endTokens, tokensOf } from './oauthTokens.js'

const clientId = z.string().describe('Id of the client.')
const OfClient = z.strictObject({ clientId })
const OfAnyClient = z.strictObject({ clientId: clientId.optional() })
const Client = z.object({ client: ClientView.describe('The client.') })
const secret = z.string().describe('Secret of the client; shown only here.')

const jkt = z.string().describe('Thumbprint of the key.')
const OfKey = z.strictObject({ jkt })

const Tokens = z.array(ClientToken)
const OfTokens = z.strictObject({ username: OfAccount.username.optional(), clientId: clientId.optional() })

/** Lists tokens of one account by `username` or of all, and of one client by `clientId` or of all. */
async function tokensIn(node: Node, { username, clientId: of }: z.output<typeof OfTokens>): Promise<ClientToken[]> {
  const named = username === undefined ? await listUsernames(node.store.db) : [{ username }]
  const tokens = []
  for (const one of named) tokens.push(...(await tokensOf(node, await loadedOf(node, one), of)))
  return tokens
}

const clients = [
  operatorMethod({
    id: 'oauth.clients.list',
    summary: 'Lists the OAuth clients.',
    input: z.strictObject({}),
    output: () => z.object({ clients: z.array(ClientView).describe('The clients.') }),
    fails: [],
    async run({ node }) {
      const views = []
      for (const client of await listClients(node)) views.push(await clientView(node, client))
      return { clients: views }
    },
  }),
  operatorMethod({
    id: 'oauth.clients.show',
    summary: 'Returns one OAuth client.',
    input: OfClient,
    output: () => Client,
    fails: ['unknown-resource'],
    run: async ({ node }, input) => ({ client: await clientView(node, await clientNamed(node, input.clientId)) }),
  }),
  operatorMethod({
    id: 'oauth.clients.create',
    summary: 'Registers an OAuth client.',
    // `createClient` checks the client, with paths that start there.
    input: z.strictObject({ client: documented(NewClient).describe('The client.') }),
    output: () => Client.extend({ client_secret: secret.optional() }),
    fails: ['unknown-user', 'item-already-exists'],
    async run({ node }, input) {
      const { client, secret: created } = await createClient(node, input.client)
      const view = await clientView(node, client)
      return created === undefined ? { client: view } : { client: view, client_secret: created.reveal() }
    },
  }),
  operatorMethod({
    id: 'oauth.clients.update',
    summary: 'Changes fields of an OAuth client.',
    input: z.strictObject({ clientId, client: documented(ClientPatch).describe('New values of fields; null removes one.') }),
    output: () => Client,
    fails: ['unknown-resource', 'unknown-user'],
    async run({ node }, input) {
      await clientNamed(node, input.clientId)
      return { client: await clientView(node, await updateClient(node, input.clientId, input.client)) }
    },
  }),
  operatorMethod({
    id: 'oauth.clients.rotateSecret',
    summary: 'Replaces the secret of an OAuth client.',
    input: OfClient,
    output: () => Client.extend({ client_secret: secret }),
    fails: ['unknown-resource', 'invalid-operation'],
    async run({ node }, input) {
      await clientNamed(node, input.clientId)
      const { client, secret: created } = await rotateSecret(node, input.clientId)
      return { client: await clientView(node, client), client_secret: created.reveal() }
    },
  }),
  operatorMethod({
    id: 'oauth.clients.revoke',
    summary: 'Revokes an OAuth client with all its tokens.',
    input: OfClient,
    output: () => z.object({ clientDeletion: z.object({ client_id: clientId }).describe('The revoked client.') }),
    fails: ['unknown-resource'],
    async run({ node }, input) {
      if (!(await revokeClient(node, input.clientId))) throw unknownClient(input.clientId)
      return { clientDeletion: { client_id: input.clientId } }
    },
  }),
] as const

const offers = [
  operatorMethod({
    id: 'oauth.offers.list',
    summary: 'Lists the consent offers of one client, or of all.',
    input: OfAnyClient,
    output: () => z.object({ offers: z.array(OfferView).describe('The offers.') }),
    fails: ['unknown-resource'],
    async run({ node }, input) {
      const views = []
      for (const client of input.clientId === undefined ? await listClients(node) : [await clientNamed(node, input.clientId)]) {
        views.push(...(await offersOf(node, client)))
      }
      return { offers: views }
    },
  }),
  operatorMethod({
    id: 'oauth.offers.show',
    summary: 'Returns one consent offer with its content.',
    input: z.strictObject({ clientId, name: z.string().describe('Name of the offer.') }),
    output: () => z.object({ offer: OfferDetails.describe('The offer.') }),
    fails: ['unknown-resource'],
    run: async ({ node }, input) => ({ offer: await offerNamed(node, await clientNamed(node, input.clientId), input.name) }),
  }),
] as const

const keys = [
  operatorMethod({
    id: 'oauth.keys.list',
    summary: 'Lists seen and revoked keys of bound tokens, of one client or of all.',
    input: OfAnyClient,
    output: () => z.object({
      keys: z.array(z.object({
        jkt,
        clientId: clientId.nullable().describe('Id of the client; null when it was never seen.'),
        firstSeenAt: z.number().nullable().describe('First use, in milliseconds since 1970; null for none.'),
        lastSeenAt: z.number().nullable().describe('Last use, in milliseconds since 1970; null for none.'),
        revokedAt: z.number().nullable().describe('Time of the revocation, in milliseconds since 1970; null for none.'),
      })).describe('The keys, the latest first.'),
    }),
    fails: ['unknown-resource'],
    async run({ node }, input) {
      const revoked = new Map((await revokedKeys(node)).map(({ jkt: one, revokedAt }) => [one, revokedAt]))
      const seen = await knownKeys(node, input.clientId)
      if (input.clientId !== undefined && seen.length === 0) await clientNamed(node, input.clientId)
      const used = seen.map((key) => ({ ...key, revokedAt: revoked.get(key.jkt) ?? null }))
      const known = new Set(seen.map((key) => key.jkt))
      const unseen = input.clientId === undefined ? [...revoked].filter(([one]) => !known.has(one)) : []
      const others = unseen.map(([one, revokedAt]) => ({ jkt: one, clientId: null, firstSeenAt: null, lastSeenAt: null, revokedAt }))
      return { keys: [...used, ...others] }
    },
  }),
  operatorMethod({
    id: 'oauth.keys.revoke',
    summary: 'Revokes a key: tokens bound to it are rejected.',
    input: OfKey,
    output: () => z.object({ key: z.object({ jkt, revoked: z.literal(true).describe('Always true.') }).describe('The key.') }),
    fails: ['invalid-parameters-format'],
    async run({ node }, input) {
      await revokeKey(node, input.jkt)
      return { key: { jkt: input.jkt, revoked: true as const } }
    },
  }),
  operatorMethod({
    id: 'oauth.keys.restore',
    summary: 'Accepts tokens bound to a revoked key again.',
    input: OfKey,
    output: () => z.object({ key: z.object({ jkt, revoked: z.literal(false).describe('Always false.') }).describe('The key.') }),
    fails: ['invalid-parameters-format', 'unknown-resource'],
    async run({ node }, input) {
      await restoreKey(node, input.jkt)
      return { key: { jkt: input.jkt, revoked: false as const } }
    },
  }),
] as const

const tokens = [
  operatorMethod({
    id: 'oauth.tokens.list',
    summary: 'Lists valid tokens, of one account or of all, and of one client or of all.',
    input: OfTokens,
    output: () => z.object({ tokens: Tokens.describe('The tokens.') }),
    fails: ['unknown-user', 'unknown-resource'],
    async run({ node }, input) {
      const found = await tokensIn(node, input)
      if (input.clientId !== undefined && found.length === 0) await clientNamed(node, input.clientId)
      return { tokens: found }
    },
  }),
  operatorMethod({
    id: 'oauth.tokens.revoke',
    summary: 'Revokes the tokens of a client in one account or in all, including the refresh tokens.',
    input: OfTokens.required({ clientId: true }),
    output: () => z.object({ tokens: Tokens.describe('The revoked tokens.'), refreshTokens: z.number().describe('Number of revoked refresh tokens.') }),
    fails: ['unknown-user', 'unknown-resource'],
    async run({ node }, input) {
      const { clientId: of, username } = input
      const target = username === undefined ? { clientId: of } : { clientId: of, userId: (await loadedOf(node, { username })).user.id }
      // Revoke token families first: tokens refreshed in the meantime are then among those listed.
      const refreshTokens = await revokeTokenFamilies(node, target)
      const found = await tokensIn(node, input)
      if (refreshTokens === 0 && found.length === 0) await clientNamed(node, of)
      for (const one of new Set(found.map((token) => token.username))) {
        const ids = found.filter((token) => token.username === one).map(({ id }) => id)
        await endTokens(node, await loadedOf(node, { username: one }), ids)
      }
      return { tokens: found, refreshTokens }
    },
  }),
] as const

export const oauthMethods = [...clients, ...offers, ...keys, ...tokens] as const
