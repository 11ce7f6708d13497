/** Addresses of pages. They are paths: whatever name of the node a browser uses, it stays there. */
import { PAGES_PATH } from '../apiEndpoint.js'
import { CONSENT_PAGE } from '../oauth/issuer.js'
import type { Node } from '../node.js'
import type { Aim, Flow } from './page.js'

/** The path below which the node's calls lie: that of its own address, without a slash at the end. */
export const callsRoot = (node: Pick<Node, 'publicBase'>): string => new URL(node.publicBase()).pathname.replace(/\/$/, '')

/** The path below which the pages lie. */
export const pagesRoot = (node: Pick<Node, 'publicBase'>): string => callsRoot(node) + PAGES_PATH

const aims: Record<Aim, string> = { access: '/access', mfa: '/second-factor/set-up' }

/** The page of an aim. */
export const pathOfAim = (to: Aim): string => aims[to]

/** Reads what a person is doing from the parameters of an address. */
export function flowOf(query: URLSearchParams): Flow {
  const flow: Flow = {}
  const key = query.get('key')
  const oauth = query.get('oauth')
  const to = query.get('to')
  const lang = query.get('lang')
  if (key !== null && /^[\w-]{1,64}$/.test(key)) flow.key = key
  if (oauth !== null && /^[\w.-]{1,30000}$/.test(oauth)) flow.oauth = oauth
  if (to === 'access' || to === 'mfa') flow.to = to
  if (lang !== null && /^[A-Za-z-]{2,20}$/.test(lang)) flow.lang = lang
  return flow
}

/** The path of a page, with what the person is doing, and other parameters. */
export function linkTo(
  { node, flow }: { node: Pick<Node, 'publicBase'>; flow: Flow },
  path: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...flow, ...more }).toString()
  return `${pagesRoot(node)}${path}${query === '' ? '' : `?${query}`}`
}

/** Where somebody goes who has just signed in. */
export function afterSignIn(visit: { node: Pick<Node, 'publicBase'>; flow: Flow }): string {
  const { key, oauth, to = 'access' } = visit.flow
  if (oauth !== undefined) return linkTo(visit, CONSENT_PAGE)
  return linkTo(visit, key === undefined ? pathOfAim(to) : '/authorize')
}
