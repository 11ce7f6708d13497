/** Starts requests to other machines; checks addresses before and after name resolution. */
import { lookup, type LookupAddress } from 'node:dns'
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps, type RequestOptions as HttpsOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Verb } from '../call/method.js'
import { allowedLookup, type Targets } from './targets.js'

/** Resolves a host name to addresses. */
export type Resolve = Parameters<typeof allowedLookup>[1]

interface Beginning {
  verb: Verb
  headers: Readonly<Record<string, string | number>>
  /** `name:password`, for Basic authentication. */
  auth?: string
  /** Addresses that may be connected to; all by default. */
  targets?: Targets | undefined
  /** Resolver to use instead of the system's. */
  resolve?: Resolve | undefined
  /** Certificate authorities to trust, in PEM; those of the system by default. */
  ca?: readonly string[]
  /** Certificate and key that identify this machine, in PEM. */
  identity?: { cert: string; key: string }
  answered(response: IncomingMessage): void
}

const resolveName: Resolve = (host, options, found) =>
  lookup(host, options, (error, addresses: LookupAddress[]) => found(error, addresses))

/** Opens a request to `url` on its own connection, which the caller must end; returns the reason if it is not possible. */
export function beginRequest(url: string, { verb, headers, auth, targets, resolve = resolveName, ca, identity, answered }: Beginning): ClientRequest | 'invalid address' | 'private address' {
  if (!URL.canParse(url)) return 'invalid address'
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const request = protocol === 'https:' ? requestHttps : protocol === 'http:' ? requestHttp : undefined
  if (request === undefined) return 'invalid address'
  const host = hostname.replace(/^\[|\]$/g, '')
  // IP addresses are not resolved, so they are checked here.
  if (targets !== undefined && isIP(host) !== 0 && !targets.allows(host, host)) return 'private address'
  const options: HttpsOptions = { protocol, host, port, path: pathname + search, method: verb, headers, agent: false, ...identity }
  if (ca !== undefined) options.ca = [...ca]
  if (auth !== undefined) options.auth = auth
  if (targets !== undefined) options.lookup = allowedLookup(targets, resolve)
  return request(options, answered)
}
