/** One node for a table of what RFCs demand: an offer, clients of each kind, and the way from authorize to tokens. */
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { makeAccount, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, CHALLENGE, consented, exchange, publishOffer, REDIRECT, token } from '../../../support/people/oauth.js'

export const LOOPBACK = 'http://127.0.0.1/cb'
export const PUBLIC = 'public-app'
export const SECRET = 'secret-app'

/** A row: where it is said, what must be, and what shows that it is. */
export type Must = [section: string, must: string, check: () => Promise<void>]

export interface Musts {
  node: TestNode
  clock: FakeClock
  /** Of `secret-app`. */
  secret: string
  /** Without a slash. */
  issuer: string
  /** Asks authorize; members replace what is asked, undefined ones go. `more` is added as it stands. */
  authorize(asked?: Readonly<Record<string, string | undefined>>, more?: string): Promise<Response>
  /** Where authorize leads with an error, or with a state. */
  led(asked?: Readonly<Record<string, string | undefined>>, more?: string): Promise<URL>
  /** A person consents to all; answers where the browser is led. */
  agreed(asked?: Readonly<Record<string, string | undefined>>): Promise<URL>
  /** A code of a person who has consented to a client. */
  codeOf(clientId?: string): Promise<string>
  /** Tokens of such a person. */
  tokensOf(clientId?: string, headers?: Record<string, string>): Promise<Answer>
  /** What is recorded of OAuth in `heart-lab` or `ana-lovelace`. */
  ownActions(username: 'heart-lab' | 'ana-lovelace'): Promise<string[]>
  stop(): Promise<void>
}

export async function startMusts(): Promise<Musts> {
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
  const usual = { client_id: PUBLIC, redirect_uri: REDIRECT, response_type: 'code', scope: 'cmc:study', state: 'own', code_challenge: CHALLENGE, code_challenge_method: 'S256' }
  const made: Musts = {
    ...{ node, clock, secret, issuer: node.url.slice(0, -1) },
    authorize(asked = {}, more = '') {
      const given = Object.entries({ ...usual, ...asked }).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return fetch(`${node.url}oauth2/authorize?${new URLSearchParams(given)}${more}`, { redirect: 'manual' })
    },
    async led(asked, more) {
      const { headers } = await made.authorize(asked, more)
      return new URL(headers.get('location') ?? 'none:')
    },
    async agreed(asked) {
      const state = (await made.led(asked)).searchParams.get('state')
      const body = { state, username: 'ana-lovelace', userToken, grantedPermissions: permissions }
      const answer = await request(`${node.url}oauth2/authorize/accept`, { method: 'POST', body })
      return new URL(String(answer.body['redirectTo']))
    },
    codeOf: async (clientId = PUBLIC) => (await consented(node, clientId)).code,
    tokensOf: async (clientId = PUBLIC, headers = {}) => token(node, exchange(await made.codeOf(clientId), clientId), headers),
    async ownActions(username) {
      const own = username === 'heart-lab' ? lab : userToken
      const { body } = await request(`${node.url}${username}/events?streams=:_audit:actions&limit=100`, { token: own })
      return (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action).filter((one) => one.startsWith('oauth.'))
    },
    stop: () => node.stop(),
  }
  return made
}
