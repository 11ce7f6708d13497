/**
 * Determines the account of a request. Only this file does so, from the raw request, for both address forms. It rejects what
 * others would normalise: absolute targets, duplicate or missing Host headers, dot segments, empty segments.
 */
import type { IncomingMessage } from 'node:http'
import { Failure } from '../../store/model/failure.js'
import { isPlatformSegment } from '../base/platformSegments.js'

/** The parsed target of a request. `path` starts with `/` and has no trailing slash, except that the root is `/`. */
export type Address =
  | { kind: 'account'; username: string; path: string; query: string }
  | { kind: 'platform'; path: string; query: string }

export interface AddressForm {
  /** The domain whose host names contain the username; undefined when usernames are in the path. */
  hostDomain?: string
  /** Labels below it that refer to the cores of the platform. */
  ownLabels?: { has(label: string): boolean }
}

/** Duplicate slashes from websocket clients that join an address with a trailing slash and an absolute path. */
const DOUBLED = /(?<=^\/socket\.io)\/+/

/** Host labels of the registration routes. */
const REGISTER_LABELS = new Set(['reg', 'access', 'mfa'])

const USERNAME = /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$/

const refused = (message: string): Failure => new Failure('invalid-request-structure', message)

/** Returns the address of a raw request. Throws `invalid-request-structure` or `missing-header`. */
export function addressOf(request: Pick<IncomingMessage, 'url' | 'rawHeaders'>, form: AddressForm): Address {
  const target = request.url ?? ''
  const host = onlyHost(request.rawHeaders)
  if (target.charCodeAt(0) !== 0x2f) throw refused('The request target must be a path.')
  const mark = target.indexOf('?')
  const label = form.hostDomain === undefined ? undefined : labelOf(host, form.hostDomain)
  const isRegister = label !== undefined && REGISTER_LABELS.has(label)
  const encoded = mark < 0 ? target : target.slice(0, mark)
  const path = cleanPath(encoded.startsWith('/socket.io//') ? encoded.replace(DOUBLED, '/') : encoded, isRegister)
  const query = mark < 0 ? '' : target.slice(mark + 1)
  if (isRegister) {
    return { kind: 'platform', path: path === '/reg' || path.startsWith('/reg/') ? path : `/reg${path}`, query }
  }
  const slash = path.indexOf('/', 1)
  const first = slash < 0 ? path.slice(1) : path.slice(1, slash)
  if (label !== undefined && USERNAME.test(label) && form.ownLabels?.has(label) !== true) {
    if (first !== 'service' && isPlatformSegment(first) && first !== 'auth') return { kind: 'platform', path, query }
    return { kind: 'account', username: label, path, query }
  }
  if (path === '/' || isPlatformSegment(first)) return { kind: 'platform', path, query }
  return { kind: 'account', username: decode(first).toLowerCase(), path: slash < 0 ? '/' : path.slice(slash), query }
}

/** A host name or an IP address, with an optional port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i

function onlyHost(rawHeaders: readonly string[]): string {
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name === undefined || name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) throw refused('The request has more than one Host header.')
    host = rawHeaders[i + 1] ?? ''
  }
  if (host === undefined || host === '') throw new Failure('missing-header', 'The Host header is missing.')
  if (!HOST.test(host)) throw refused('The Host header is malformed.')
  return host
}

/** Empty and dot segments, invalid characters, broken escapes, and escaped backslashes and null bytes. */
const ODD = /\/(\/|$)|\/(\.|%2e){1,2}(\/|$)|[\\#\0-\x20\x7f]|%(00|5c|(?![0-9a-f]{2}))/i

/**
 * Routes with segments that may contain encoded slashes: server addresses, application ids, e-mail addresses. Routes match the
 * raw path, so that these do not separate segments.
 */
const NAMING = /^\/(reg|admin|apps|system)\//

function cleanPath(path: string, isRegister: boolean): string {
  if (path === '/') return path
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  if (ODD.test(trimmed) || (trimmed.includes('%') && /%2f/i.test(trimmed) && !(isRegister || NAMING.test(trimmed)))) throw refused('The request path is malformed.')
  return trimmed
}

/** Decodes a path segment. */
export function decode(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refused('The request path is malformed.')
  }
}

function labelOf(host: string, domain: string): string | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  if (!name.endsWith(`.${domain}`)) return undefined
  return name.slice(0, -domain.length - 1)
}
