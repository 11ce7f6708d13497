/** Node for tables of RFC requirements: an offer, clients of each kind, and calls from authorize to tokens. */
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { makeAccount, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, CHALLENGE, consented, exchange, publishOffer, REDIRECT, token } from '../../../support/people/oauth.js'

export const LOOPBACK = 'http://127.0.0.1/cb'
export const PUBLIC = 'public-app'
export const SECRET = 'secret-app'

/** Row of a table: section of the RFC, requirement, and check. */
export type Requirement = [section: string, requirement: string, check: () => Promise<void>]

export interface RfcSetup {
  node: TestNode
  clock: FakeClock
  /** Secret of `secret-app`. */
  secret: string
  /** URL without a trailing slash. */
  issuer: string
  /** Calls authorize. Parameters override the defaults, undefined ones are removed. `more` is appended to the query. */
  authorize(params?: Readonly<Record<string, string | undefined>>, more?: string): Promise<Response>
  /** Calls authorize; returns the redirect target. */
  authorizeRedirect(params?: Readonly<Record<string, string | undefined>>, more?: string): Promise<URL>
  /** Calls authorize and accepts all permissions; returns the redirect target. */
  consentRedirect(params?: Readonly<Record<string, string | undefined>>): Promise<URL>
  /** Returns a code of a new account with a consent. */
  codeOf(clientId?: string): Promise<string>
  /** Returns the token response for such a code. */
  tokensOf(clientId?: string, headers?: Record<string, string>): Promise<Answer>
  /** Returns the OAuth actions in the audit of `heart-lab` or `ana-lovelace`. */
  ownActions(username: 'heart-lab' | 'ana-lovelace'): Promise<string[]>
  stop(): Promise<void>
}

export async function startRfcSetup(): Promise<RfcSetup> {
  const clock = fakeClock()
  const node = await startTestNode({}, { clock })
  const [lab, userToken] = [await makeAccount(node, 'heart-lab'), await makeAccount(node, 'ana-lovelace')]
  const text = { en: 'A study' }
  const permissions = [{ streamId: 'heart', level: 'read' }]
  const capabilityUrl = await publishOffer(node, 'heart-lab', lab, { title: text, description: text, consent: text, permissions })
  const cmcOffers = { study: { capabilityUrl } }
  await addClient(node, PUBLIC, { cmcOffers, redirectUris: [REDIRECT, `${REDIRECT}?kept=1`, LOOPBACK, 'http://[::1]/cb', 'http://localhost/cb', 'com.example.app:/cb'] })
  const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials']
  const secret = await addClient(node, SECRET, { cmcOffers, confidential: true, username: 'heart-lab', grantTypes })
  const defaults = { client_id: PUBLIC, redirect_uri: REDIRECT, response_type: 'code', scope: 'cmc:study', state: 'own', code_challenge: CHALLENGE, code_challenge_method: 'S256' }
  const setup: RfcSetup = {
    ...{ node, clock, secret, issuer: node.url.slice(0, -1) },
    authorize(params = {}, more = '') {
      const defined = Object.entries({ ...defaults, ...params }).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return fetch(`${node.url}oauth2/authorize?${new URLSearchParams(defined)}${more}`, { redirect: 'manual' })
    },
    async authorizeRedirect(params, more) {
      const { headers } = await setup.authorize(params, more)
      return new URL(headers.get('location') ?? 'none:')
    },
    async consentRedirect(params) {
      const state = (await setup.authorizeRedirect(params)).searchParams.get('state')
      const body = { state, username: 'ana-lovelace', userToken, grantedPermissions: permissions }
      const answer = await request(`${node.url}oauth2/authorize/accept`, { method: 'POST', body })
      return new URL(String(answer.body['redirectTo']))
    },
    codeOf: async (clientId = PUBLIC) => (await consented(node, clientId)).code,
    tokensOf: async (clientId = PUBLIC, headers = {}) => token(node, exchange(await setup.codeOf(clientId), clientId), headers),
    async ownActions(username) {
      const own = username === 'heart-lab' ? lab : userToken
      const { body } = await request(`${node.url}${username}/events?streams=:_audit:actions&limit=100`, { token: own })
      return (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action).filter((one) => one.startsWith('oauth.'))
    },
    stop: () => node.stop(),
  }
  return setup
}
