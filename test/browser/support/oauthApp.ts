/** OAuth client in the browser: a page of another origin with the strict client library oauth4webapi. */
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import type { Site } from './site.js'

let bundle: Promise<string> | undefined

function clientOfBrowsers(): Promise<string> {
  const stdin = { contents: `export * from 'oauth4webapi'`, resolveDir: import.meta.dirname }
  bundle ??= build({ stdin, bundle: true, write: false, format: 'iife', globalName: 'oauth', logLevel: 'error' }).then(
    ({ outputFiles }) => outputFiles[0]?.text ?? '',
  )
  return bundle
}

/** Paths of the start page and of the redirect URI. */
export const START = '/oauth.html'
export const BACK = '/back.html'

/** Registration of the app, and its authorization server. */
export interface OAuthApp {
  issuer: string
  client_id: string
  redirect_uri: string
  scope: string
  /** Streams that the app reads with its token. */
  reads: string[]
}

/** Serves the two pages of the app, which have equal contents. */
export async function serveOAuthApp(site: Site, app: OAuthApp): Promise<void> {
  site.files.set('/oauth4webapi.js', { type: 'text/javascript', text: await clientOfBrowsers() })
  const settings = JSON.stringify(app).replaceAll('<', '\\u003c')
  site.files.set('/oauth.js', { type: 'text/javascript', text: `const app = ${settings};${SCRIPT}` })
  const scripts = '<script src="/oauth4webapi.js" defer></script><script src="/oauth.js" defer></script>'
  for (const path of [START, BACK]) site.page(path, '<p><button id="plain">Connect</button> <button id="bound">Connect with a key</button></p><p id="state" role="status"></p>', scripts)
}

/** Result of the app after the redirect. */
export interface OAuthResult {
  /** Error of the authorize endpoint, or of the client library, which rejects invalid responses. */
  error?: string
  token?: { token_type: string; scope: string; expires_in: number }
  /** HTTP status and number of events for each stream. */
  reads?: Record<string, [status: number, events: number]>
  /** HTTP status of a call without a DPoP proof. */
  bare?: number
  /** Type of the refreshed token, and HTTP status of a call with it. */
  refreshed?: [type: string, status: number]
}

/** Waits until the app is done; returns its result. */
export async function oauthResult(page: Page): Promise<OAuthResult> {
  await page.waitForFunction('globalThis.result !== undefined')
  return page.evaluate<OAuthResult>('result')
}

const SCRIPT = `
const insecure = { [oauth.allowInsecureRequests]: true }
const client = { client_id: app.client_id }
const session = sessionStorage
const key = { name: 'ECDSA', namedCurve: 'P-256' }

async function discover() {
  const issuer = new URL(app.issuer)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
}

async function connect(isBound) {
  const server = await discover()
  session.verifier = oauth.generateRandomCodeVerifier()
  session.state = oauth.generateRandomState()
  if (isBound) {
    const pair = await oauth.generateKeyPair('ES256', { extractable: true })
    session.secret = JSON.stringify(await crypto.subtle.exportKey('jwk', pair.privateKey))
    session.open = JSON.stringify(await crypto.subtle.exportKey('jwk', pair.publicKey))
  }
  const { client_id, redirect_uri, scope } = app
  const code_challenge = await oauth.calculatePKCECodeChallenge(session.verifier)
  const params = { client_id, redirect_uri, scope, response_type: 'code', state: session.state, code_challenge, code_challenge_method: 'S256' }
  location = server.authorization_endpoint + '?' + new URLSearchParams(params)
}

async function keyPair() {
  const load = (text, use) => crypto.subtle.importKey('jwk', JSON.parse(text), key, true, [use])
  return { privateKey: await load(session.secret, 'sign'), publicKey: await load(session.open, 'verify') }
}

async function handleRedirect() {
  const server = await discover()
  const options = session.secret === undefined ? insecure : { ...insecure, DPoP: oauth.DPoP(client, await keyPair()) }
  const parameters = oauth.validateAuthResponse(server, client, new URL(location), session.state)
  const answer = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, app.redirect_uri, session.verifier, options)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer)
  const base = new URL(tokens.apiEndpoint)
  base.username = ''
  const statusOf = async (token, stream) => {
    const url = new URL('events?streams[]=' + stream, base)
    try {
      const response = await oauth.protectedResourceRequest(token, 'GET', url, undefined, null, options)
      return [response.status, ((await response.json()).events ?? []).length]
    } catch (error) {
      return [error.status ?? error.cause?.status ?? String(error), 0]
    }
  }
  const reads = {}
  for (const stream of app.reads) reads[stream] = await statusOf(tokens.access_token, stream)
  const bare = (await fetch(new URL('access-info', base), { headers: { authorization: 'Bearer ' + tokens.access_token } })).status
  const renewal = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token, options)
  const renewed = await oauth.processRefreshTokenResponse(server, client, renewal)
  const { token_type, scope, expires_in } = tokens
  const refreshed = [renewed.token_type, (await statusOf(renewed.access_token, app.reads[0]))[0]]
  return { token: { token_type, scope, expires_in }, reads, bare, refreshed }
}

const button = (id, isBound) => document.getElementById(id).addEventListener('click', () => connect(isBound))
button('plain', false)
button('bound', true)
if (location.search !== '') {
  handleRedirect()
    .catch((error) => ({ error: error.error ?? String(error) }))
    .then((it) => {
      globalThis.result = it
      document.getElementById('state').textContent = it.error ?? 'connected'
    })
}
`
