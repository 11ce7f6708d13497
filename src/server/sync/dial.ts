/** Calling another node. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { ChannelError, type Channel } from '../../sync/channel/channel.js'
import { initiate, type Timers } from '../../sync/channel/open.js'
import type { Signer } from '../../sync/channel/signer.js'
import type { Traffic } from './traffic.js'
import { wireOf, WEBSOCKET_OPTIONS } from './wire.js'

export type DialErrorReason =
  | 'address'
  | 'unknown-host'
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'busy'
  | 'not-a-node'
  | 'wrong-node'
  | 'version'
  | 'lost'

/** Thrown when another node is not reached; the message is a sentence for people. */
export class DialError extends Error {
  constructor(
    readonly reason: DialErrorReason,
    message: string,
  ) {
    super(message)
    this.name = 'DialError'
  }
}

export interface DialOptions {
  signer: Signer
  timers: Timers
  /** Public key of the node that is to answer, base64url. */
  expected?: string
  /** For the connection, and again for the handshake: 10,000 when absent. */
  timeoutMs?: number
  /** Where bytes are counted. */
  traffic?: Traffic
}

const TIMEOUT_MS = 10_000

/**
 * A channel to the node at an `http:` or `https:` address, whose first message is still to be sent (purpose.ts).
 * Certificates are verified as everywhere else. Rejects with DialError.
 */
export async function dial(address: string, { signer, timers, expected, traffic, timeoutMs = TIMEOUT_MS }: DialOptions): Promise<Channel> {
  const url = websocketUrl(address)
  const websocket = await connect(url, timeoutMs)
  try {
    const about = expected === undefined ? {} : { expected }
    return await initiate(wireOf(websocket, timers, traffic), { signer, timers, timeoutMs, ...about })
  } catch (error) {
    throw error instanceof ChannelError ? ofChannel(error, url) : error
  }
}

/** Where a node with a base address is called: `ws://host:3000/sync`. @throws DialError */
export function websocketUrl(address: string): URL {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new DialError('address', `${JSON.stringify(address)} is not an address.`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new DialError('address', `The address of a node begins with http:// or https://, not with ${url.protocol}`)
  }
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/sync`
  url.search = ''
  url.hash = ''
  url.username = ''
  url.password = ''
  return url
}

async function connect(url: URL, timeoutMs: number): Promise<WebSocket> {
  const { WebSocket } = await import('ws')
  return new Promise((resolve, reject) => {
    const websocket = new WebSocket(url, { ...WEBSOCKET_OPTIONS, handshakeTimeout: timeoutMs, followRedirects: false })
    const refuse = (error: DialError): void => {
      reject(error)
      websocket.terminate()
    }
    // Frames that come with the answer are kept until somebody listens.
    websocket.once('open', () => {
      websocket.off('error', failed)
      resolve(websocket)
    })
    const failed = (error: Error): void => refuse(ofSystem(error, url))
    websocket.on('error', failed)
    websocket.once('unexpected-response', (_request: ClientRequest, { statusCode = 0 }: IncomingMessage) => {
      refuse(ofStatus(statusCode, url))
    })
  })
}

function ofStatus(status: number, url: URL): DialError {
  if (status === 503) return new DialError('busy', `The node at ${url.host} has too many callers; try again later.`)
  return new DialError('not-a-node', `No node answers at ${url.host}: it said ${status} where a node opens a connection.`)
}

function ofSystem(error: Error, url: URL): DialError {
  const code = 'code' in error ? String(error.code) : ''
  const { host, hostname } = url
  if (code === 'ECONNREFUSED') return new DialError('refused', `Nothing listens at ${host}.`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new DialError('unknown-host', `There is no host named ${hostname}.`)
  if (/^E(HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL)$/.test(code)) {
    return new DialError('unreachable', `The network does not lead to ${host}.`)
  }
  if (code === 'ETIMEDOUT' || error.message === 'Opening handshake has timed out') {
    return new DialError('timeout', `${host} does not answer.`)
  }
  if (code === 'EPROTO') return new DialError('tls', `${host} does not speak TLS; is its address http://?`)
  if (/CERT|SIGNATURE|ISSUER|TLS|SSL/.test(code)) {
    return new DialError('tls', `The certificate of ${host} is not accepted: ${error.message}.`)
  }
  if (code.startsWith('E')) return new DialError('lost', `The connection to ${host} was lost (${code}).`)
  return new DialError('not-a-node', `No node answers at ${host}: ${error.message}.`)
}

const REASONS = {
  identity: 'wrong-node',
  version: 'version',
  timeout: 'timeout',
  closed: 'lost',
  damaged: 'not-a-node',
  'too-large': 'not-a-node',
} as const

function ofChannel({ reason, message }: ChannelError, url: URL): DialError {
  return new DialError(REASONS[reason], `${url.host}: ${message}`)
}
