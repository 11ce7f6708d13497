/** Links between pages. They are paths without a host, so a browser stays on the host name it uses. */
import { PAGES_PATH } from '../config/apiEndpoint.js'
import { CONSENT_PAGE } from '../api/oauth/issuer.js'
import type { Context } from '../call/context.js'
import type { LoginTarget, Flow } from './flow.js'

/** Returns the path below which the API calls of the node lie, from its public address, without a trailing slash. */
export const callsRoot = (node: Pick<Context, 'publicBase'>): string => new URL(node.publicBase()).pathname.replace(/\/$/, '')

/** Returns the path below which the pages lie. */
export const pagesRoot = (node: Pick<Context, 'publicBase'>): string => callsRoot(node) + PAGES_PATH

const targets: Record<LoginTarget, string> = { overview: '/overview', access: '/access', mfa: '/second-factor/set-up' }

/** A path below the root of the pages, with query. It always follows that root, so it never leads to another host. */
const TARGET = /^\/[a-z0-9/-]{1,100}(\?[^#\s]{0,2000})?$/

/** Returns the path of a page by its name. */
export const pathOfTarget = (to: LoginTarget): string => targets[to]

/** Parses the flow (pending request, login target, language) from the query of an address. */
export function flowOf(query: URLSearchParams): Flow {
  const flow: Flow = {}
  const key = query.get('key')
  const oauth = query.get('oauth')
  const to = query.get('to')
  const lang = query.get('lang')
  if (key !== null && /^[\w-]{1,64}$/.test(key)) flow.key = key
  if (oauth !== null && /^[\w.-]{1,30000}$/.test(oauth)) flow.oauth = oauth
  const as = query.get('as')
  if (to !== null && TARGET.test(to)) flow.to = to
  if (as !== null && /^[\w-]{1,100}$/.test(as)) flow.as = as
  if (lang !== null && /^[A-Za-z-]{2,20}$/.test(lang)) flow.lang = lang
  return flow
}

/** Returns the path of a page with the parameters of the flow, and further parameters. */
export function linkTo(
  { node, flow }: { node: Pick<Context, 'publicBase'>; flow: Flow },
  path: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...flow, ...more }).toString()
  return `${pagesRoot(node)}${path}${query === '' ? '' : `?${query}`}`
}

/** Returns the path of the page to show after a login. */
export function afterSignIn(visit: { node: Pick<Context, 'publicBase'>; flow: Flow }): string {
  const { key, oauth, to, ...flow } = visit.flow
  if (oauth !== undefined) return linkTo(visit, CONSENT_PAGE)
  if (key !== undefined) return linkTo(visit, '/authorize')
  const [path = '', query = ''] = (to ?? pathOfTarget('overview')).split('?', 2)
  return linkTo({ node: visit.node, flow }, path, Object.fromEntries(new URLSearchParams(query)))
}
