/** App in the browser: a page of another origin that requests access with the published client `pryv`. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { Page } from 'playwright-core'
import { withSite, type Site } from './site.js'

/** Packages of a release of the client, with its add-ons. */
export interface AppPackages {
  readonly pryv: string
  readonly socketIo: string
  readonly monitor: string
}

const CURRENT: AppPackages = { pryv: 'pryv', socketIo: '@pryv/socket.io', monitor: '@pryv/monitor' }

/** Tested releases. */
export const appReleases: readonly [title: string, packages: AppPackages][] = [
  ['the current releases', CURRENT],
  ['earlier releases', { pryv: 'pryv-2', socketIo: 'socket-io-1', monitor: 'monitor-1' }],
]

/** Polyfill of `events` of Node.js, like bundlers of apps add one. */
const EVENTS = `
class EventEmitter {
  on(name, listener) {
    this.listeners ??= {}
    ;(this.listeners[name] ??= []).push(listener)
    return this
  }
  emit(name, ...args) {
    for (const listener of this.listeners?.[name] ?? []) listener.apply(this, args)
  }
}
module.exports = EventEmitter
EventEmitter.EventEmitter = EventEmitter
`

const bundles = new Map<AppPackages, Promise<string>>()

/** Bundles the client for browsers from the sources of its packages. */
function clientOfBrowsers(packages: AppPackages): Promise<string> {
  const bundle = bundles.get(packages) ?? bundleOf(packages)
  bundles.set(packages, bundle)
  return bundle
}

async function bundleOf({ pryv, socketIo, monitor }: AppPackages): Promise<string> {
  const contents = `module.exports = require('${pryv}/src/browser-index.js'); require('${socketIo}')(module.exports); require('${monitor}')(module.exports)`
  const events: Plugin = {
    name: 'events',
    setup(build) {
      build.onResolve({ filter: /^events$/ }, () => ({ path: 'events', namespace: 'events' }))
      build.onLoad({ filter: /./, namespace: 'events' }, () => ({ contents: EVENTS }))
    },
  }
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dirname(fileURLToPath(import.meta.url)) },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'pryv',
    define: { global: 'globalThis' },
    // The client uses these modules only in Node.js.
    external: ['fs', 'path'],
    plugins: [events],
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** Access request of an app, in the form of `authRequest` of the client. */
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

/** Serves the page of the app with its request and the URL of the service information. */
export async function serveApp(app: Site, serviceInfo: string, authRequest: AppRequest, packages = CURRENT): Promise<void> {
  app.files.set('/pryv.js', { type: 'text/javascript', text: await clientOfBrowsers(packages) })
  const settings = JSON.stringify({ serviceInfo, authRequest }).replaceAll('<', '\\u003c')
  app.files.set('/app.js', { type: 'text/javascript', text: `const { serviceInfo, authRequest } = ${settings};${SCRIPT}` })
  app.page('/app.html', '<p><span id="sign-in"></span></p><p id="state" role="status"></p>', '<script src="/pryv.js" defer></script><script src="/app.js" defer></script>')
}

/** Script that records the states of the client, and shows the last one. */
const SCRIPT = `
globalThis.states = []
const onStateChange = (state) => {
  states.push(state)
  document.getElementById('state').textContent = state.status
}
pryv.Browser.setupAuth({ spanButtonID: 'sign-in', onStateChange, authRequest }, serviceInfo)
  .catch((error) => { document.getElementById('state').textContent = 'failed: ' + error.message })
`

/** State of the client's request. */
export interface AppState {
  status: string
  apiEndpoint?: string
  username?: string
  message?: string
  [more: string]: unknown
}

/** Waits until the state of the client has a status; returns the state. */
export async function stateOf(page: Page, status: string): Promise<AppState> {
  await page.getByRole('status').getByText(status, { exact: true }).waitFor()
  return page.evaluate<AppState>('states.at(-1)')
}

/** Returns the statuses of the client so far, in order. */
export const statusesOf = (page: Page): Promise<string[]> => page.evaluate<string[]>('states.map(({ status }) => status)')
