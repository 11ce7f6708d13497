/** OAuth clients and grants, created without the pages. */
import { createHash } from 'node:crypto'
import type { Permission } from '../../../src/store/model/access.js'
import { writeWithinQuota } from '../../../src/server/dispatch/accountWrite.js'
import { createClient } from '../../../src/server/api/oauth/clientChanges.js'
import { issueCode } from '../../../src/server/api/oauth/codes.js'
import { createSession, sessionPermissions } from '../../../src/server/api/oauth/sessions.js'
import { terminalCall } from '../../../src/server/dispatch/terminalCaller.js'
import { grantAccess } from './access.js'
import { makeAccount, type Answer, request, type TestNode } from '../nodes/node.js'

export const REDIRECT = 'https://app.example/cb'
export const VERIFIER = 'a-verifier-of-enough-characters-for-everybody-0'
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** Registers a client; returns its secret if it has one. */
export async function addClient({ node }: TestNode, clientId: string, more: Record<string, unknown> = {}): Promise<string> {
  const { secret } = await createClient(node, { clientId, redirectUris: [REDIRECT], ...more })
  return secret?.reveal() ?? ''
}

/** Publishes an offer of an account by an open link without expiry; returns its capabilityUrl. */
export async function publishOffer(node: TestNode, username: string, owner: string, asked: object): Promise<string> {
  const [app, parentId] = [':_cmc:apps:offers', ':_cmc:apps']
  await request(`${node.url}${username}/streams`, { token: owner, body: { id: app, name: 'Offers', parentId } })
  const content = { to: null, capabilityRequested: true, capability: { mode: 'open-link' }, request: { expiresAt: null, ...asked } }
  const event = { streamIds: [app], type: 'consent/request-cmc', content }
  const { status, body } = await request(`${node.url}${username}/events`, { token: owner, body: event })
  if (status !== 201) throw new Error(`the offer is not taken: ${JSON.stringify(body)}`)
  return (body['event'] as { content: { capabilityUrl: string } }).content.capabilityUrl
}

/** Posts a form, or with `json` a JSON body. Undefined members are omitted. */
export function post(
  { url }: { url: string },
  path: string,
  body: Readonly<Record<string, string | undefined>>,
  { headers = {}, json = false }: { headers?: Record<string, string>; json?: boolean } = {},
): Promise<Answer> {
  const given = Object.fromEntries(Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== undefined))
  if (json) return request(url + path, { method: 'POST', body: given, headers })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return request(url + path, { method: 'POST', body: new URLSearchParams(given).toString(), headers: { ...type, ...headers } })
}

export const token = (
  node: { url: string },
  body: Readonly<Record<string, string | undefined>>,
  headers: Record<string, string> = {},
): Promise<Answer> => post(node, 'oauth2/token', body, { headers })

export const basic = (id: string, secret: string, scheme = 'Basic'): Record<string, string> => ({
  authorization: `${scheme} ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})

export interface Consented {
  username: string
  /** Token of the owner. */
  owner: string
  code: string
  /** Id of the access that the code grants. */
  accessId: string
  consentId: string
}

let users = 0

/** Creates an account that has consented to a client, as accept does. */
export async function consented(
  node: TestNode,
  clientId: string,
  permissions: Permission[] = [{ streamId: '*', level: 'read' }],
): Promise<Consented> {
  users += 1
  const username = `person-${String(users).padStart(5, '0')}`
  const owner = await makeAccount(node, username)
  const cmc = { role: 'counterparty', counterparty: { username: clientId, host: 'clients.example' }, offerEventId: `offer-${clientId}`, acceptEventId: `accept-${username}` }
  const consent = await grantAccess(node, username, permissions, { type: 'shared', name: `cmc:${clientId}`, clientData: { cmc } })
  return { username, owner, consentId: consent.id, ...(await anotherCode(node, { username, consentId: consent.id }, clientId, permissions)) }
}

/** Creates another code of an existing consent. */
export async function anotherCode(
  { node }: TestNode,
  { username, consentId }: Pick<Consented, 'username' | 'consentId'>,
  clientId: string,
  permissions: Permission[] = [{ streamId: '*', level: 'read' }],
): Promise<Pick<Consented, 'code' | 'accessId'>> {
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no account ${username}`)
  const owner = terminalCall(node, loaded)
  const { access } = await writeWithinQuota(owner, (t) => createSession(owner, t, { clientId, permissions: sessionPermissions(permissions), consent: consentId }))
  const code = await issueCode(node, {
    clientId,
    account: loaded.account.prefix,
    userId: loaded.user.id,
    scope: 'cmc:study',
    dataGrantAccessId: consentId,
    permissions,
    grantedAt: node.clock.now(),
    coreId: node.registry.core,
    redirectUri: REDIRECT,
    codeChallenge: CHALLENGE,
    accessId: access.id,
  })
  return { code, accessId: access.id }
}

/** Returns the parameters of a code exchange. */
export const exchange = (code: string, clientId: string, more: Record<string, string | undefined> = {}): Record<string, string | undefined> => ({
  grant_type: 'authorization_code',
  code,
  code_verifier: VERIFIER,
  client_id: clientId,
  redirect_uri: REDIRECT,
  ...more,
})

/** Tests whether a token is accepted. */
export async function letsIn(node: { url: string }, username: string, accessToken: string): Promise<boolean> {
  const { status } = await request(`${node.url}${username}/access-info`, { token: accessToken })
  return status === 200
}
