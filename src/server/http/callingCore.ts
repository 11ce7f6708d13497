import type { IncomingMessage } from 'node:http'
import type { Origin, PlatformCall } from '../call/method.js'
import type { Node } from '../index.js'
import { CLIENT_HEADER, CORE_HEADER } from '../platform/cores/coreCalls.js'
import type { RequestBody } from './body.js'

/**
 * Returns the core that makes a request, and sets the address of its client in `origin`. Nothing for requests of clients, and on a
 * platform of one core.
 * @throws Failure `forbidden` when the signature is not valid
 */
export function callingCore(node: Node, request: IncomingMessage, body: RequestBody, origin: Origin): Pick<PlatformCall, 'fromCore'> {
  const { headers, method = '', url = '' } = request
  const header = headers[CORE_HEADER]
  if (header === undefined || !node.registry.isShared) return {}
  const client = headers[CLIENT_HEADER]?.toString()
  const fromCore = node.coreCalls.verify({ header: String(header), client, verb: method, path: url, body: body.bytes() })
  if (client === undefined) delete origin.ip
  else origin.ip = client
  return { fromCore }
}
