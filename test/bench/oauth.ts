/** OAuth: refreshing tokens, and calls that are bound to a key beside those that are not. */
import { createHash, randomBytes } from 'node:crypto'
import { newProofKey, proofOf, type ProofKey } from '../support/http/dpop.js'
import { batch, createStreams, register, streamIdOf, type Owner } from './account.js'
import { ask, type Question } from './client.js'
import { runCommand } from './commands.js'
import { measure, type Measured } from './measure.js'
import { startBare, startNode, type Server } from './processes.js'
import type { LoadRow } from './rows.js'

export const oauthRows = ['get-20-bearer', 'get-20-dpop', 'oauth-refresh'] as const
export type OAuthRow = (typeof oauthRows)[number]

const CONNECTIONS = 10
const EVENTS = 1000
/** More proofs than a node takes in a second. */
const PROOFS_A_SECOND = 8000
/** Refresh tokens that are not in use: each stretch of load leaves one of each connection behind. */
const CHAINS = 120

const CLIENT = 'bench-client'
const REDIRECT = 'https://bench.example/cb'

interface Stage {
  node: Server
  reader: Owner
}

type Tokens = Record<'access_token' | 'refresh_token', string>

/** Makes an account of an app with an offer, and a client that may ask for it. */
async function registerClient(home: string, node: Server): Promise<void> {
  const app = await register(node, 'bench-study')
  const [scope, parentId] = [':_cmc:apps:study', ':_cmc:apps']
  await ask(node, { verb: 'POST', path: `${app.username}/streams`, token: app.token, body: JSON.stringify({ id: scope, name: 'Study', parentId }) })
  const text = { en: 'A study' }
  const permissions = [{ streamId: streamIdOf(0), level: 'read' }]
  const content = {
    ...{ to: null, capabilityRequested: true, capability: { mode: 'open-link' } },
    request: { title: text, description: text, consent: text, permissions, expiresAt: null },
  }
  const event = { streamIds: [scope], type: 'consent/request-cmc', content }
  const made = await ask(node, { verb: 'POST', path: `${app.username}/events`, token: app.token, body: JSON.stringify(event) })
  const { capabilityUrl } = (made['event'] as { content: { capabilityUrl: string } }).content
  await runCommand(home, 'oauth', 'clients', 'create', '--client-id', CLIENT, '--redirect-uri', REDIRECT, '--cmc-offer', `study=${capabilityUrl}`)
}

/** Has a person consent; answers the tokens, bound to a key where there is one. */
async function tokensOf({ node, reader }: Stage, key?: ProofKey): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: CLIENT, redirect_uri: REDIRECT, response_type: 'code', scope: 'cmc:study', state: 'bench', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const led = await fetch(`${node.url}oauth2/authorize?${query}`, { redirect: 'manual' })
  const state = new URL(led.headers.get('location') ?? '').searchParams.get('state')
  const grantedPermissions = [{ streamId: streamIdOf(0), level: 'read' }]
  const body = JSON.stringify({ state, username: reader.username, userToken: reader.token, grantedPermissions })
  const { redirectTo } = await ask(node, { verb: 'POST', path: 'oauth2/authorize/accept', body })
  const code = new URL(String(redirectTo)).searchParams.get('code')
  const asked = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: CLIENT, redirect_uri: REDIRECT }
  const proof = key === undefined ? {} : { dpop: proofOf(key, { method: 'POST', url: `${node.url}oauth2/token` }) }
  return (await ask(node, { verb: 'POST', path: 'oauth2/token', body: JSON.stringify(asked), headers: () => proof })) as Tokens
}

/** Reading with a token that is bound to a key; each request has a proof of its own, made before the load begins. */
function bound(url: string, path: string, token: string, key: ProofKey): Question {
  let proofs: string[] = []
  const proof = (): string => proofOf(key, { url: url + (path.split('?')[0] ?? ''), token })
  return {
    path,
    token: `DPoP ${token}`,
    prepare(seconds) {
      proofs = Array.from({ length: Math.ceil(seconds * PROOFS_A_SECOND) }, proof)
    },
    headers: () => ({ dpop: proofs.pop() ?? proof() }),
  }
}

/** Refreshing: every answer has the token of a later request. */
function refreshing(free: string[]): Question {
  return {
    verb: 'POST',
    path: 'oauth2/token',
    body: () => JSON.stringify({ grant_type: 'refresh_token', client_id: CLIENT, refresh_token: free.shift() ?? '' }),
    answered(body) {
      const { refresh_token: next } = JSON.parse(body) as Partial<Tokens>
      if (next !== undefined) free.push(next)
    },
  }
}

/** Measures the rows that are chosen, on a home of their own. */
export async function measureOAuth(
  home: string,
  chosen: (id: OAuthRow) => boolean,
  { seconds, profile }: { seconds: number; profile?: string },
  tell: (measured: Measured) => void,
): Promise<void> {
  const node = await startNode(home, profile)
  const bare = await startBare()
  const reader = await register(node, 'reader')
  await createStreams(node, reader)
  const event = { streamIds: [streamIdOf(0)], type: 'mass/kg', content: 72.5 }
  await batch(node, reader, Array.from({ length: EVENTS }, () => ({ method: 'events.create', params: event })))
  await registerClient(home, node)
  const stage = { node, reader }
  for (const row of (await rowsOf(stage, chosen)).filter(({ id }) => chosen(id as OAuthRow))) {
    tell(await measure(row, stage, { node, bare }, undefined, seconds, () => undefined))
  }
  await node.stop()
  await bare.stop()
}

async function rowsOf(stage: Stage, chosen: (id: OAuthRow) => boolean): Promise<LoadRow<Stage>[]> {
  const path = `${stage.reader.username}/events?limit=20`
  const base = { connections: CONNECTIONS, unit: 'req/s', bare: 'small', writes: false } as const
  const reading = { ...base, expects: { member: 'events', items: 20 } }
  const key = newProofKey()
  const [plain, proving] = [await tokensOf(stage), await tokensOf(stage, key)]
  const chains: string[] = []
  while (chosen('oauth-refresh') && chains.length < CHAINS) chains.push((await tokensOf(stage)).refresh_token)
  return [
    { ...reading, id: 'get-20-bearer', label: 'events.get limit 20, OAuth token', question: () => ({ path, token: `Bearer ${plain.access_token}` }) },
    {
      ...reading,
      id: 'get-20-dpop',
      label: 'events.get limit 20, bound to a key',
      question: ({ node }) => bound(node.url, path, proving.access_token, key),
    },
    { ...base, id: 'oauth-refresh', label: 'token refresh', question: () => refreshing(chains) },
  ]
}
