/** An app in the browser that comes by OAuth: a page of its own origin with the strict client oauth4webapi in it, unchanged. */
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

/** Where the app begins, and where it is led back to. */
export const START = '/oauth.html'
export const BACK = '/back.html'

/** What the app is, and where it goes. */
export interface OAuthApp {
  issuer: string
  client_id: string
  redirect_uri: string
  scope: string
  /** Streams that it reads in the end. */
  reads: string[]
}

/** Lays the app's two pages, which differ in nothing but their address. */
export async function layOAuthApp(site: Site, app: OAuthApp): Promise<void> {
  site.files.set('/oauth4webapi.js', { type: 'text/javascript', text: await clientOfBrowsers() })
  const settings = JSON.stringify(app).replaceAll('<', '\\u003c')
  site.files.set('/oauth.js', { type: 'text/javascript', text: `const app = ${settings};${SCRIPT}` })
  const scripts = '<script src="/oauth4webapi.js" defer></script><script src="/oauth.js" defer></script>'
  for (const path of [START, BACK]) site.page(path, '<p><button id="plain">Connect</button> <button id="bound">Connect with a key</button></p><p id="state" role="status"></p>', scripts)
}

/** What the app found when it was led back. */
export interface Found {
  /** The error of the answer to authorize, or of the client, which takes no answer that it cannot trust. */
  error?: string
  token?: { token_type: string; scope: string; expires_in: number }
  /** Of each stream the status of reading it, and how many events there are. */
  reads?: Record<string, [status: number, events: number]>
  /** Reading without a proof. */
  bare?: number
  /** The type of the token that a refresh gave, and the status of reading by it. */
  refreshed?: [type: string, status: number]
}

/** Waits until the app is done; answers what it found. */
export async function foundBy(page: Page): Promise<Found> {
  await page.waitForFunction('globalThis.found !== undefined')
  return page.evaluate<Found>('found')
}

const SCRIPT = `
const insecure = { [oauth.allowInsecureRequests]: true }
const client = { client_id: app.client_id }
const kept = sessionStorage
const key = { name: 'ECDSA', namedCurve: 'P-256' }

async function discover() {
  const issuer = new URL(app.issuer)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
}

async function connect(isBound) {
  const server = await discover()
  kept.verifier = oauth.generateRandomCodeVerifier()
  kept.state = oauth.generateRandomState()
  if (isBound) {
    const pair = await oauth.generateKeyPair('ES256', { extractable: true })
    kept.secret = JSON.stringify(await crypto.subtle.exportKey('jwk', pair.privateKey))
    kept.open = JSON.stringify(await crypto.subtle.exportKey('jwk', pair.publicKey))
  }
  const { client_id, redirect_uri, scope } = app
  const code_challenge = await oauth.calculatePKCECodeChallenge(kept.verifier)
  const asked = { client_id, redirect_uri, scope, response_type: 'code', state: kept.state, code_challenge, code_challenge_method: 'S256' }
  location = server.authorization_endpoint + '?' + new URLSearchParams(asked)
}

async function keyPair() {
  const load = (text, use) => crypto.subtle.importKey('jwk', JSON.parse(text), key, true, [use])
  return { privateKey: await load(kept.secret, 'sign'), publicKey: await load(kept.open, 'verify') }
}

async function back() {
  const server = await discover()
  const options = kept.secret === undefined ? insecure : { ...insecure, DPoP: oauth.DPoP(client, await keyPair()) }
  const parameters = oauth.validateAuthResponse(server, client, new URL(location), kept.state)
  const answer = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, app.redirect_uri, kept.verifier, options)
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
  back()
    .catch((error) => ({ error: error.error ?? String(error) }))
    .then((it) => {
      globalThis.found = it
      document.getElementById('state').textContent = it.error ?? 'connected'
    })
}
`
