/** Client side of connections to other nodes. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { ChannelError, type Channel } from '../../sync/channel/channel.js'
import { initiate, type Timers } from '../../sync/channel/open.js'
import type { Signer } from '../../sync/channel/signer.js'
import type { Traffic } from './traffic.js'
import { wireOf, WEBSOCKET_OPTIONS } from './wire.js'

type DialErrorReason =
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

/** The other node was not reached; the message is a sentence for people. */
class DialError extends Error {
  constructor(
    readonly reason: DialErrorReason,
    message: string,
  ) {
    super(message)
    this.name = 'DialError'
  }
}

interface DialOptions {
  signer: Signer
  timers: Timers
  /** Expected public key of the other node, base64url. */
  expected?: string
  /** Timeout in milliseconds for the connection, and again for the handshake; default 10,000. */
  timeoutMs?: number
  /** Counter of bytes. */
  traffic?: Traffic
}

const TIMEOUT_MS = 10_000

/**
 * Opens a channel to the node at an `http:` or `https:` URL; the caller sends the first message (purpose.ts). Verifies TLS
 * certificates.
 * @throws DialError
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

/**
 * Returns the websocket URL of a node: `ws://host:3000/sync`.
 * @throws DialError
 */
export function websocketUrl(address: string): URL {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new DialError('address', `${JSON.stringify(address)} is not a valid URL.`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new DialError('address', `The address of a node must start with http:// or https://, not ${url.protocol}`)
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
    // Keeps frames that arrive with the response until a listener is attached.
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
  if (status === 503) return new DialError('busy', `The node at ${url.host} has too many connections; try again later.`)
  return new DialError('not-a-node', `No node found at ${url.host}: it answered with status ${status}.`)
}

function ofSystem(error: Error, url: URL): DialError {
  const code = 'code' in error ? String(error.code) : ''
  const { host, hostname } = url
  if (code === 'ECONNREFUSED') return new DialError('refused', `Connection refused by ${host}.`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new DialError('unknown-host', `Host not found: ${hostname}.`)
  if (/^E(HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL)$/.test(code)) {
    return new DialError('unreachable', `No route to ${host}.`)
  }
  if (code === 'ETIMEDOUT' || error.message === 'Opening handshake has timed out') {
    return new DialError('timeout', `${host} does not respond.`)
  }
  if (code === 'EPROTO') return new DialError('tls', `${host} does not speak TLS; try http:// instead.`)
  if (/CERT|SIGNATURE|ISSUER|TLS|SSL/.test(code)) {
    return new DialError('tls', `The certificate of ${host} was rejected: ${error.message}.`)
  }
  if (code.startsWith('E')) return new DialError('lost', `The connection to ${host} was lost (${code}).`)
  return new DialError('not-a-node', `No node found at ${host}: ${error.message}.`)
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
