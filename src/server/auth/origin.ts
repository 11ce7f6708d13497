/** Determines the origin and the URL of requests. Forwarding headers are only used from trusted proxies. */
import type { IncomingMessage } from 'node:http'
import type { Origin } from '../call/method.js'
import type { Context } from '../call/context.js'
import type { ProxyDeps } from './proxies.js'

export function clientOrigin(node: Context & ProxyDeps, request: IncomingMessage): Origin {
  const { headers } = request
  const origin: Origin = { transport: 'http', source: 'http', base: node.publicBase() }
  const from = headers.origin ?? headers.referer
  if (from !== undefined) origin.from = from
  const proof = headers['dpop']
  if (proof !== undefined) {
    origin.proof = { proof: String(proof), method: request.method ?? '', url: clientUrl(node, request) }
  }
  const peer = request.socket.remoteAddress
  if (peer === undefined) return origin
  const chain = headers['x-forwarded-for']
  origin.ip = chain === undefined ? peer : node.proxies.clientOf(peer, String(chain))
  return origin
}

/** Returns the URL of a request as the client used it, for DPoP proofs (docs/interface/oauth.md#dpop). */
function clientUrl(node: Context & ProxyDeps, request: IncomingMessage): string {
  const { socket, url = '' } = request
  const scheme = forwarded(node, request, 'x-forwarded-proto') ?? ('encrypted' in socket ? 'https' : 'http')
  return `${scheme}://${clientHost(node, request)}${url}`
}

/** Returns the host, with port, that the client used. */
export const clientHost = (node: ProxyDeps, request: IncomingMessage): string => forwarded(node, request, 'x-forwarded-host') ?? request.headers.host ?? ''

/** Returns the value of a forwarding header of a trusted proxy. */
function forwarded(node: ProxyDeps, { headers, socket }: IncomingMessage, name: string): string | undefined {
  const isForwarded = socket.remoteAddress !== undefined && node.proxies.isTrusted(socket.remoteAddress)
  return isForwarded ? firstOf(headers[name]) : undefined
}

/** Returns the first value of a forwarded header, set by the outermost proxy. */
function firstOf(header: string | string[] | undefined): string | undefined {
  const first = String(header ?? '').split(',', 1)[0]?.trim()
  return first === '' ? undefined : first
}
