/** Where a call comes from, and the address its client used. Forwarding headers count behind trusted proxies only. */
import type { IncomingMessage } from 'node:http'
import type { Origin } from '../method.js'
import type { Node } from '../node.js'

export function clientOrigin(node: Node, request: IncomingMessage): Origin {
  const { headers } = request
  const origin: Origin = { door: 'http', source: 'http', base: node.publicBase() }
  const from = headers.origin ?? headers.referer
  if (from !== undefined) origin.from = from
  const peer = request.socket.remoteAddress
  if (peer === undefined) return origin
  const forwarded = headers['x-forwarded-for']
  origin.ip = forwarded === undefined ? peer : node.proxies.clientOf(peer, String(forwarded))
  return origin
}
