/** Requests to other machines, begun: the address is judged before the name is looked up, and again when it was. */
import { lookup, type LookupAddress } from 'node:dns'
import { request as requestHttp, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { allowedLookup, type Targets } from './targets.js'

/** Finds the addresses of a name. */
export type Resolve = Parameters<typeof allowedLookup>[1]

export interface Beginning {
  verb: 'GET' | 'POST'
  headers: Readonly<Record<string, string | number>>
  /** `name:password`, for Basic authentication. */
  auth?: string
  /** Which addresses may be connected to; without it, all. */
  targets?: Targets | undefined
  /** In place of the system's. */
  resolve?: Resolve | undefined
  answered(response: IncomingMessage): void
}

const resolveName: Resolve = (host, options, found) =>
  lookup(host, options, (error, addresses: LookupAddress[]) => found(error, addresses))

/** A request to `url` on a connection of its own, to be ended by the caller; or why there is none. */
export function beginRequest(url: string, { verb, headers, auth, targets, resolve = resolveName, answered }: Beginning): ClientRequest | 'invalid address' | 'private address' {
  if (!URL.canParse(url)) return 'invalid address'
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const request = protocol === 'https:' ? requestHttps : protocol === 'http:' ? requestHttp : undefined
  if (request === undefined) return 'invalid address'
  const host = hostname.replace(/^\[|\]$/g, '')
  // Addresses are connected to without being looked up.
  if (targets !== undefined && isIP(host) !== 0 && !targets.allows(host, host)) return 'private address'
  const options: RequestOptions = { protocol, host, port, path: pathname + search, method: verb, headers, agent: false }
  if (auth !== undefined) options.auth = auth
  if (targets !== undefined) options.lookup = allowedLookup(targets, resolve)
  return request(options, answered)
}
