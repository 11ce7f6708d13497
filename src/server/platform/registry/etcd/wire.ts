/** gRPC connection to one etcd member. The only importer of the gRPC transport. */
import { isIP, type Socket } from 'node:net'
import { checkServerIdentity } from 'node:tls'
import * as grpc from '@grpc/grpc-js'
import type { Method } from './etcdMessages.js'

/** Maximum size of a response in bytes; ranges are read in pages. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** A connection that is not established after this time is begun again. */
const MAX_CONNECTING_MS = 60_000
const PING_MS = 3000

/** Authority of the members and certificate of this core, in PEM. */
export interface TlsFiles {
  ca?: string | Buffer
  cert?: string | Buffer
  key?: string | Buffer
}

/** Error of a call to one member. `isSent`: false when the request has provably not left this process. */
export class CallError extends Error {
  constructor(
    message: string,
    readonly code: grpc.status,
    readonly isSent: boolean,
  ) {
    super(message)
  }
}

interface MemberCallOptions {
  timeoutMs: number
  /** Lets a member that knows no leader refuse at once, before it handles the request. */
  needsLeader: boolean
}

/** Listener of a stream. `ended` is called once, unless the stream was canceled. */
interface StreamListener<Response> {
  received(response: Response): void
  ended(error: CallError): void
}

export interface Stream<Request> {
  send(request: Request): void
  cancel(): void
}

export interface Connection {
  readonly endpoint: string
  /** Makes a call; of a method with streams, one request and one response. @throws CallError */
  call<Request, Response>(method: Method<Request, Response>, request: Request, options: MemberCallOptions): Promise<Response>
  /** Opens a stream. `timeoutMs` is the time to connect. @throws CallError */
  open<Request, Response>(
    method: Method<Request, Response>,
    options: MemberCallOptions,
    listener: StreamListener<Response>,
  ): Promise<Stream<Request>>
  /** Ends the connection and its calls. */
  close(): void
}

/** True for an error that the gRPC transport reports when it had no connection to send the request on. */
const isWithoutConnection = ({ code, details }: grpc.ServiceError | grpc.StatusObject): boolean =>
  code === grpc.status.UNAVAILABLE && /^(No connection established|Name resolution failed|Channel closed before call started)/.test(details)

const errorOf = (error: grpc.ServiceError | grpc.StatusObject): CallError => new CallError(error.details, error.code, !isWithoutConnection(error))

/**
 * Adds the sockets of a client to a set while they are open. The transport itself does not end a socket whose TLS handshake
 * is not answered: a frozen member would keep a closed client, and its process, from ending.
 */
function trackSockets(credentials: grpc.ChannelCredentials, sockets: Set<Socket>): grpc.ChannelCredentials {
  const createConnector = credentials._createSecureConnector.bind(credentials)
  credentials._createSecureConnector = (...parameters) => {
    const connector = createConnector(...parameters)
    const secure = connector.connect.bind(connector)
    connector.connect = (socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return secure(socket)
    }
    return connector
  }
  return credentials
}

interface Channel {
  client: grpc.Client
  /** Ends the connection at once. */
  destroy(): void
}

/** Creates the client of an endpoint such as `https://10.0.0.1:2379`. */
function createChannel(endpoint: string, tls: TlsFiles): Channel {
  const { protocol, hostname, port } = new URL(endpoint)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const options: grpc.ClientOptions = {
    'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
    'grpc.keepalive_time_ms': PING_MS,
    'grpc.keepalive_timeout_ms': PING_MS,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    // The client repeats calls itself, at other members.
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
  }
  const address = `${hostname}:${port === '' ? (isSecure ? '443' : '80') : port}`
  // TLS has no server names that are IP addresses. The certificate is compared with the address all the same.
  if (isSecure && isIP(host) !== 0) options['grpc.ssl_target_name_override'] = 'etcd.invalid'
  const sockets = new Set<Socket>()
  const client = new grpc.Client(address, trackSockets(isSecure ? secureCredentials(host, tls) : grpc.credentials.createInsecure(), sockets), options)
  return {
    client,
    destroy() {
      client.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function secureCredentials(host: string, { ca, cert, key }: TlsFiles): grpc.ChannelCredentials {
  const bytes = (pem: string | Buffer | undefined): Buffer | null => (pem === undefined ? null : Buffer.from(pem))
  return grpc.credentials.createSsl(bytes(ca), bytes(key), bytes(cert), {
    checkServerIdentity: (_, peer) => checkServerIdentity(host, peer as Parameters<typeof checkServerIdentity>[1]),
  })
}

/** Creates a connection, which is established by the first call. */
export function createConnection(endpoint: string, tls: TlsFiles): Connection {
  let channel = createChannel(endpoint, tls)
  let isClosed = false
  /** Functions that end the calls under way. */
  const active = new Set<() => void>()
  let connectingSince: number | undefined
  let stateChange: Promise<void> | undefined

  /** Resolves at the next change of state of the channel. All waiting calls share one watcher of the transport. */
  function changeOfState(state: grpc.connectivityState): Promise<void> {
    stateChange ??= new Promise((resolve) => {
      channel.client.getChannel().watchConnectivityState(state, Infinity, () => {
        stateChange = undefined
        resolve()
      })
    })
    return stateChange
  }

  /** Waits until the channel is connected, or has failed to. @throws CallError that was not sent */
  async function connected(timeoutMs: number): Promise<void> {
    const start = performance.now()
    while (!isClosed) {
      const state = channel.client.getChannel().getConnectivityState(true)
      if (state !== grpc.connectivityState.IDLE && state !== grpc.connectivityState.CONNECTING) {
        connectingSince = undefined
        return
      }
      connectingSince ??= start
      const rest = timeoutMs - (performance.now() - start)
      if (rest <= 0 || !(await settlesWithin(changeOfState(state), rest))) {
        if (performance.now() - connectingSince > MAX_CONNECTING_MS) replaceChannel()
        throw new CallError(`No connection within ${Math.round(timeoutMs)} ms`, grpc.status.UNAVAILABLE, false)
      }
    }
  }

  function replaceChannel(): void {
    channel.destroy()
    connectingSince = undefined
    stateChange = undefined
    channel = createChannel(endpoint, tls)
  }

  function metadata({ needsLeader }: MemberCallOptions): grpc.Metadata {
    const headers = new grpc.Metadata()
    if (needsLeader) headers.set('hasleader', 'true')
    return headers
  }

  function assertOpen(): void {
    if (isClosed) throw new CallError('The client is closed', grpc.status.CANCELLED, false)
  }

  const connection: Connection = {
    endpoint,
    async call(method, message, options) {
      assertOpen()
      const start = performance.now()
      const bytes = encodeRequest(method, message)
      await connected(options.timeoutMs)
      assertOpen()
      const rest = Math.max(1, options.timeoutMs - (performance.now() - start))
      return new Promise((resolve, reject) => {
        const call: { sent?: { cancel(): void } } = {}
        const end = (): void => {
          clearTimeout(timer)
          active.delete(close)
        }
        const fail = (error: CallError): void => {
          end()
          reject(error)
        }
        const succeed = (response: ReturnType<typeof method.decode>): void => {
          end()
          resolve(response)
        }
        const cancel = (error: CallError): void => {
          fail(error)
          call.sent?.cancel()
        }
        const close = (): void => cancel(new CallError('The client is closed', grpc.status.CANCELLED, true))
        const timer = setTimeout(() => cancel(new CallError(`No answer within ${Math.round(options.timeoutMs)} ms`, grpc.status.DEADLINE_EXCEEDED, true)), rest)
        active.add(close)
        const request = method.isStream === true ? exchange : makeUnaryCall
        call.sent = request(channel.client, method, bytes, metadata(options), succeed, (error) => fail(errorOf(error)))
      })
    },
    async open(method, options, listener) {
      assertOpen()
      await connected(options.timeoutMs)
      assertOpen()
      const stream = channel.client.makeBidiStreamRequest(method.path, method.encode, method.decode, metadata(options), {})
      let isEnded = false
      const end = (error?: CallError): void => {
        if (isEnded) return
        isEnded = true
        active.delete(cancel)
        if (error !== undefined) listener.ended(error)
      }
      const cancel = (): void => {
        end()
        stream.cancel()
      }
      active.add(cancel)
      stream.on('data', (response: ReturnType<typeof method.decode>) => {
        if (!isEnded) listener.received(response)
      })
      stream.on('error', (error: grpc.ServiceError) => end(errorOf(error)))
      stream.on('status', (status: grpc.StatusObject) => end(errorOf(status)))
      return {
        send: (request) => {
          if (!isEnded) stream.write(request)
        },
        cancel,
      }
    },
    close() {
      isClosed = true
      for (const end of [...active]) end()
      channel.destroy()
    },
  }
  return connection
}

/** Encodes a request. @throws CallError that members would not accept it either */
function encodeRequest<Request>(method: Method<Request, unknown>, request: Request): Buffer {
  try {
    return method.encode(request)
  } catch (error) {
    throw new CallError(`The request cannot be encoded: ${String(error)}`, grpc.status.INVALID_ARGUMENT, false)
  }
}

const asBytes = (bytes: Buffer): Buffer => bytes

type OnFailure = (error: grpc.ServiceError | grpc.StatusObject) => void

/** Sends an encoded request; calls `succeed` or `fail` once, unless it was canceled. */
type SendRequest = <Response>(
  client: grpc.Client,
  method: Method<never, Response>,
  bytes: Buffer,
  metadata: grpc.Metadata,
  succeed: (response: Response) => void,
  fail: OnFailure,
) => { cancel(): void }

const makeUnaryCall: SendRequest = (client, { path, decode }, bytes, metadata, succeed, fail) =>
  client.makeUnaryRequest(path, asBytes, decode, bytes, metadata, {}, (error, response) => {
    if (error !== null) fail(error)
    else succeed(response as Parameters<typeof succeed>[0])
  })

/** Sends one message on a stream, and ends it at the first response. */
const exchange: SendRequest = (client, { path, decode }, bytes, metadata, succeed, fail) => {
  const stream = client.makeBidiStreamRequest(path, asBytes, decode, metadata, {})
  let isEnded = false
  stream.on('data', (response: Parameters<typeof succeed>[0]) => {
    if (isEnded) return
    isEnded = true
    succeed(response)
    stream.cancel()
  })
  const end: OnFailure = (error) => {
    if (isEnded) return
    isEnded = true
    fail(error)
  }
  stream.on('error', end)
  stream.on('status', end)
  stream.write(bytes)
  return {
    cancel() {
      isEnded = true
      stream.cancel()
    },
  }
}

/** Resolves with true when a promise settles in time. */
function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    void promise.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
