/** Measures OAuth: token refresh, and calls with bearer tokens and with tokens bound to a key. */
import { createHash, randomBytes } from 'node:crypto'
import { newProofKey, proofOf, type ProofKey } from '../support/http/dpop.js'
import { batch, createStreams, register, streamIdOf, type Owner } from './account.js'
import { callApi, type RequestSpec } from './client.js'
import { runCommand } from './commands.js'
import { measure, type Measured } from './measure.js'
import { startBare, startNode, type Server } from './processes.js'
import type { LoadRow } from './rows.js'

export const oauthRows = ['get-20-bearer', 'get-20-dpop', 'oauth-refresh'] as const
export type OAuthRow = (typeof oauthRows)[number]

const CONNECTIONS = 10
const EVENTS = 1000
/** More DPoP proofs than a node verifies in a second. */
const PROOFS_PER_SECOND = 8000
/** Number of token families; each load loses one for each connection. */
const TOKEN_FAMILIES = 120

const CLIENT = 'bench-client'
const REDIRECT = 'https://bench.example/cb'

interface Stage {
  node: Server
  reader: Owner
}

type Tokens = Record<'access_token' | 'refresh_token', string>

/** Creates the account of an app with an offer, and registers a client for it. */
async function registerClient(home: string, node: Server): Promise<void> {
  const app = await register(node, 'bench-study')
  const [scope, parentId] = [':_cmc:apps:study', ':_cmc:apps']
  await callApi(node, { verb: 'POST', path: `${app.username}/streams`, token: app.token, body: JSON.stringify({ id: scope, name: 'Study', parentId }) })
  const text = { en: 'A study' }
  const permissions = [{ streamId: streamIdOf(0), level: 'read' }]
  const content = {
    ...{ to: null, capabilityRequested: true, capability: { mode: 'open-link' } },
    request: { title: text, description: text, consent: text, permissions, expiresAt: null },
  }
  const event = { streamIds: [scope], type: 'consent/request-cmc', content }
  const created = await callApi(node, { verb: 'POST', path: `${app.username}/events`, token: app.token, body: JSON.stringify(event) })
  const { capabilityUrl } = (created['event'] as { content: { capabilityUrl: string } }).content
  await runCommand(home, 'oauth', 'clients', 'create', '--client-id', CLIENT, '--redirect-uri', REDIRECT, '--cmc-offer', `study=${capabilityUrl}`)
}

/** Consents for a user; returns the tokens, bound to a key if given. */
async function tokensOf({ node, reader }: Stage, key?: ProofKey): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: CLIENT, redirect_uri: REDIRECT, response_type: 'code', scope: 'cmc:study', state: 'bench', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const redirect = await fetch(`${node.url}oauth2/authorize?${query}`, { redirect: 'manual' })
  const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state')
  const grantedPermissions = [{ streamId: streamIdOf(0), level: 'read' }]
  const body = JSON.stringify({ state, username: reader.username, userToken: reader.token, grantedPermissions })
  const { redirectTo } = await callApi(node, { verb: 'POST', path: 'oauth2/authorize/accept', body })
  const code = new URL(String(redirectTo)).searchParams.get('code')
  const params = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: CLIENT, redirect_uri: REDIRECT }
  const proof = key === undefined ? {} : { dpop: proofOf(key, { method: 'POST', url: `${node.url}oauth2/token` }) }
  return (await callApi(node, { verb: 'POST', path: 'oauth2/token', body: JSON.stringify(params), headers: () => proof })) as Tokens
}

/** Returns reads with a token bound to a key; the proof of each request is created before the load. */
function bound(url: string, path: string, token: string, key: ProofKey): RequestSpec {
  let proofs: string[] = []
  const proof = (): string => proofOf(key, { url: url + (path.split('?')[0] ?? ''), token })
  return {
    path,
    token: `DPoP ${token}`,
    prepare(seconds) {
      proofs = Array.from({ length: Math.ceil(seconds * PROOFS_PER_SECOND) }, proof)
    },
    headers: () => ({ dpop: proofs.pop() ?? proof() }),
  }
}

/** Returns token refreshes; every response contains the token of a later request. */
function refreshing(free: string[]): RequestSpec {
  return {
    verb: 'POST',
    path: 'oauth2/token',
    body: () => JSON.stringify({ grant_type: 'refresh_token', client_id: CLIENT, refresh_token: free.shift() ?? '' }),
    onBody(body) {
      const { refresh_token: next } = JSON.parse(body) as Partial<Tokens>
      if (next !== undefined) free.push(next)
    },
  }
}

/** Measures the selected rows, in a separate home. */
export async function measureOAuth(
  home: string,
  isSelected: (id: OAuthRow) => boolean,
  { seconds, profile }: { seconds: number; profile?: string },
  record: (measured: Measured) => void,
): Promise<void> {
  const node = await startNode(home, profile)
  const bare = await startBare()
  const reader = await register(node, 'reader')
  await createStreams(node, reader)
  const event = { streamIds: [streamIdOf(0)], type: 'mass/kg', content: 72.5 }
  await batch(node, reader, Array.from({ length: EVENTS }, () => ({ method: 'events.create', params: event })))
  await registerClient(home, node)
  const stage = { node, reader }
  for (const row of (await rowsOf(stage, isSelected)).filter(({ id }) => isSelected(id as OAuthRow))) {
    record(await measure(row, stage, { node, bare }, undefined, seconds, () => undefined))
  }
  await node.stop()
  await bare.stop()
}

async function rowsOf(stage: Stage, isSelected: (id: OAuthRow) => boolean): Promise<LoadRow<Stage>[]> {
  const path = `${stage.reader.username}/events?limit=20`
  const base = { connections: CONNECTIONS, unit: 'req/s', bare: 'small', writes: false } as const
  const reading = { ...base, expects: { member: 'events', items: 20 } }
  const key = newProofKey()
  const [plain, proving] = [await tokensOf(stage), await tokensOf(stage, key)]
  const families: string[] = []
  while (isSelected('oauth-refresh') && families.length < TOKEN_FAMILIES) families.push((await tokensOf(stage)).refresh_token)
  return [
    { ...reading, id: 'get-20-bearer', label: 'events.get limit 20, OAuth token', spec: () => ({ path, token: `Bearer ${plain.access_token}` }) },
    {
      ...reading,
      id: 'get-20-dpop',
      label: 'events.get limit 20, bound to a key',
      spec: ({ node }) => bound(node.url, path, proving.access_token, key),
    },
    { ...base, id: 'oauth-refresh', label: 'token refresh', spec: () => refreshing(families) },
  ]
}
