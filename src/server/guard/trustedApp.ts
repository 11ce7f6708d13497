/** Whether an app may use the methods reserved to trusted apps (accounts supplement 1). */
import { Failure } from '../../store/model/failure.js'
import type { OpenCall } from '../method.js'

interface TrustedApp {
  appId: string
  origin: '*' | { scheme: string; host: string; subdomains: boolean; port: string }
}

/** Reads `auth.trustedApps`: comma-separated `<appId>@<origin>`. Malformed entries are left out and named. */
export function parseTrustedApps(setting: string): { apps: TrustedApp[]; malformed: string[] } {
  const apps: TrustedApp[] = []
  const malformed: string[] = []
  for (const entry of setting.split(',')) {
    const text = entry.trim()
    if (text === '') continue
    const at = text.indexOf('@')
    const appId = text.slice(0, Math.max(at, 0)).trim()
    const origin = at < 0 ? undefined : parsePattern(text.slice(at + 1).trim())
    if (appId === '' || origin === undefined) malformed.push(text)
    else apps.push({ appId, origin })
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
    // URLs do not show the port that their scheme has anyway.
    port: legacyPort !== undefined ? '*' : port === DEFAULT_PORTS[scheme] ? '' : port,
  }
}

/** Whether `appId` calling from `origin` (an `Origin` or `Referer` header) is trusted. */
export function isTrustedApp(apps: readonly TrustedApp[], appId: string, origin: string | undefined): boolean {
  let url: URL | undefined
  try {
    url = origin === undefined ? undefined : new URL(origin)
  } catch {
    url = undefined
  }
  return apps.some((app) => (app.appId === '*' || app.appId === appId) && originMatches(app.origin, url))
}

function originMatches(pattern: TrustedApp['origin'], url: URL | undefined): boolean {
  if (pattern === '*') return true
  if (url === undefined || url.protocol !== `${pattern.scheme}:`) return false
  const host = url.hostname.toLowerCase()
  const hostMatches = pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host
  return hostMatches && (pattern.port === '*' || pattern.port === url.port)
}

/** Refuses an app that the operator does not trust; the node's own origin always is. */
export function refuseUntrusted(call: OpenCall, appId: string): void {
  const { node, origin } = call
  if (origin.door === 'control') return
  const { apps } = parseTrustedApps(node.config.get('auth.trustedApps'))
  const own = new URL(node.publicBase()).origin
  const isOwn = origin.from !== undefined && (origin.from === own || origin.from.startsWith(`${own}/`))
  if (!isOwn && !isTrustedApp(apps, appId, origin.from)) {
    node.log.warn('app not trusted', { user: call.user.username, appId, origin: origin.from, ip: origin.ip })
    throw new Failure('invalid-credentials', 'The app, or where it calls from, is not trusted by this node.')
  }
}
