/** An app in the browser: a page of its own origin that signs people in with the published client `pryv`, unchanged. */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { withSite, type Site } from './site.js'

let bundle: Promise<string> | undefined

/** The client for browsers, as its package's own source makes it. */
function clientOfBrowsers(): Promise<string> {
  bundle ??= build({
    entryPoints: [fileURLToPath(import.meta.resolve('pryv/src/browser-index.js'))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'pryv',
    define: { global: 'globalThis' },
    // What only Node has, and the client asks for in Node alone.
    external: ['fs', 'path'],
    logLevel: 'error',
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '')
  return bundle
}

/** What an app asks, as `authRequest` of the client takes it. */
export interface AppRequest {
  requestingAppId: string
  requestedPermissions: Record<string, unknown>[]
  languageCode?: string
  returnURL?: string
  [more: string]: unknown
}

export interface App extends Site {
  /** Path of the app's page. */
  readonly path: string
}

/** Starts a site for apps. */
export function withApp(): () => App {
  const site = withSite()
  return () => ({ ...site(), path: '/app.html' })
}

/** Lays the app's page, which asks this of the node whose service information is at an address. */
export async function layApp(app: Site, serviceInfo: string, authRequest: AppRequest): Promise<void> {
  app.files.set('/pryv.js', { type: 'text/javascript', text: await clientOfBrowsers() })
  const settings = JSON.stringify({ serviceInfo, authRequest }).replaceAll('<', '\\u003c')
  app.files.set('/app.js', { type: 'text/javascript', text: `const { serviceInfo, authRequest } = ${settings};${SCRIPT}` })
  app.page('/app.html', '<p><span id="sign-in"></span></p><p id="state" role="status"></p>', '<script src="/pryv.js" defer></script><script src="/app.js" defer></script>')
}

/** Keeps the states that the client goes through, and shows the last one. */
const SCRIPT = `
globalThis.states = []
const onStateChange = (state) => {
  states.push(state)
  document.getElementById('state').textContent = state.status
}
pryv.Browser.setupAuth({ spanButtonID: 'sign-in', onStateChange, authRequest }, serviceInfo)
  .catch((error) => { document.getElementById('state').textContent = 'failed: ' + error.message })
`

/** A state of the client: what it was told of its request. */
export interface AppState {
  status: string
  apiEndpoint?: string
  username?: string
  message?: string
  [more: string]: unknown
}

/** Waits until the client's state has a status; answers the state. */
export async function stateOf(page: Page, status: string): Promise<AppState> {
  await page.getByRole('status').getByText(status, { exact: true }).waitFor()
  return page.evaluate<AppState>('states.at(-1)')
}

/** What the client has been told so far, one status after the other. */
export const statusesOf = (page: Page): Promise<string[]> => page.evaluate<string[]>('states.map(({ status }) => status)')
