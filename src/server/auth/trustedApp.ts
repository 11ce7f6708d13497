/** Checks apps for methods reserved to trusted apps (docs/interface/auth.md#trusted-apps). */
import { frontOf } from '../config/apiEndpoint.js'
import { Failure } from '../../store/model/failure.js'
import type { OpenCall } from '../call/method.js'

interface TrustedApp {
  appId: string
  /** The origin as written in the setting. */
  pattern: string
  origin: '*' | { scheme: string; host: string; subdomains: boolean; port: string }
}

/** Parses `auth.trustedApps`: comma-separated `<appId>@<origin>`. Malformed entries are returned separately. */
export function parseTrustedApps(setting: string): { apps: TrustedApp[]; malformed: string[] } {
  const apps: TrustedApp[] = []
  const malformed: string[] = []
  for (const entry of setting.split(',')) {
    const text = entry.trim()
    if (text === '') continue
    const at = text.indexOf('@')
    const appId = text.slice(0, Math.max(at, 0)).trim()
    const pattern = text.slice(at + 1).trim()
    const origin = at < 0 ? undefined : parsePattern(pattern)
    if (appId === '' || origin === undefined) malformed.push(text)
    else apps.push({ appId, pattern, origin })
  }
  return { apps, malformed }
}

const PATTERN = /^([a-z][a-z0-9+.-]*):\/\/(\*\.)?((?:[a-z0-9-]+\.)*[a-z0-9-]+|\[[0-9a-f:.]+\])(?::([0-9]+|\*)|(\*))?\/?$/i

const DEFAULT_PORTS: Partial<Record<string, string>> = { http: '80', https: '443' }

function parsePattern(text: string): TrustedApp['origin'] | undefined {
  if (text === '*') return '*'
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const [, protocol = '', wildcard, host = '', port = '', legacyPort] = match
  const scheme = protocol.toLowerCase()
  return {
    scheme,
    host: host.toLowerCase(),
    subdomains: wildcard !== undefined,
    // URLs omit the default port of their scheme.
    port: legacyPort !== undefined ? '*' : port === DEFAULT_PORTS[scheme] ? '' : port,
  }
}

/** Checks whether `appId` calling from `origin` (an `Origin` or `Referer` header) is trusted. */
export function isTrustedApp(apps: readonly TrustedApp[], appId: string, origin: string | undefined): boolean {
  const url = origin === undefined ? undefined : parsedUrl(origin)
  return apps.some((app) => isOfApp(app, appId) && originMatches(app.origin, url))
}

function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const isOfApp = (app: TrustedApp, appId: string): boolean => app.appId === '*' || app.appId === appId

function originMatches(pattern: TrustedApp['origin'], url: URL | undefined): boolean {
  if (pattern === '*') return true
  if (url === undefined || url.protocol !== `${pattern.scheme}:`) return false
  const host = url.hostname.toLowerCase()
  const hostMatches = pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host
  return hostMatches && (pattern.port === '*' || pattern.port === url.port)
}

/** Throws for an app that is not trusted; the node's own origin, and that in front of all cores, are always trusted. */
export function assertTrustedApp(call: OpenCall, appId: string): void {
  const { node, origin } = call
  if (origin.transport === 'control') return
  const { apps } = parseTrustedApps(node.config.get('auth.trustedApps'))
  const own = new URL(node.publicBase()).origin
  const isOwn = [own, new URL(frontOf(node)).origin].some((each) => origin.from === each || origin.from?.startsWith(`${each}/`) === true)
  if (!isOwn && !isTrustedApp(apps, appId, origin.from)) {
    node.log.warn('app not trusted', { user: call.user.username, appId, origin: origin.from, ip: origin.ip })
    throw new Failure('invalid-credentials', refusalText(apps, appId, origin.from, own))
  }
}

/** Maximum number of origins, and of characters of client input, in an error message. */
const MAX_LISTED_ORIGINS = 10
const MAX_TEXT_LENGTH = 100

/** Returns the error message: the problem, the trusted origins, and the option to add to a curl command. */
function refusalText(apps: readonly TrustedApp[], appId: string, from: string | undefined, own: string): string {
  const shortened = (text: string): string => (text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text)
  const problem = from === undefined ? 'The header Origin is missing.' : `The origin ${shortened(parsedUrl(from)?.origin ?? from)} is not trusted.`
  const patterns = [...new Set(apps.filter((app) => isOfApp(app, appId)).map(({ pattern }) => pattern))]
  const more = patterns.length > MAX_LISTED_ORIGINS ? ' and others' : ''
  const trusted = [`${own} (this node)`, ...patterns.slice(0, MAX_LISTED_ORIGINS)].join(', ')
  const hint = from === undefined ? ` With curl, add: -H 'Origin: ${own}'` : ''
  return `${problem} Trusted origins of the app "${shortened(appId)}" (setting auth.trustedApps): ${trusted}${more}.${hint}`
}
