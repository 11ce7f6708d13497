/** Published clients of the API, unmodified: the current releases, and earlier ones that are still in use. */
import { createRequire } from 'node:module'
import { createId } from '@paralleldrive/cuid2'
import type { Connection, Service } from 'pryv'
import { expect } from 'vitest'
import type { TestNode } from '../nodes/node.js'

type Json = Record<string, unknown>

type Declared =
  'accessInfo' | 'apiEndpoint' | 'apiOne' | 'deltaTime' | 'getEventsStreamed' | 'service' | 'token' | 'username'

/** A connection with the members that its type declarations omit or declare differently. */
export interface Client extends Pick<Connection, Declared> {
  options: { chunkSize: number }
  readonly endpoint: string
  api(
    calls: { method: string; params: unknown; handleResult?: (result: Json) => unknown }[],
    progress?: (percent: number, results: Json[]) => void,
  ): Promise<Json[]>
  get(path: string, query?: Json | null): Promise<Json>
  post(path: string, data: unknown): Promise<Json>
  addPointsToHFEvent(eventId: string, fields: string[], points: unknown[][]): Promise<Json>
  revoke(throwOnFail?: boolean, usingConnection?: Client): Promise<Json | null>
  readonly socket: ClientSocket
}

/** The socket of a connection (`@pryv/socket.io`), and the socket of socket.io in it. */
export interface ClientSocket {
  open(): Promise<ClientSocket>
  close(): void
  on(message: string, listener: (content?: unknown) => void): void
  api(calls: { method: string; params: unknown }[], progress?: (percent: number) => void): Promise<Json[]>
  _io: { connected: boolean; io: { engine: { close(): void; transport: { name: string } } } }
}

/** A monitor of `@pryv/monitor`. */
export interface ClientMonitor {
  start(): Promise<ClientMonitor>
  stop(): ClientMonitor
  updateEvents(): Promise<ClientMonitor>
  updateStreams(): Promise<ClientMonitor>
  on(message: string, listener: (content?: unknown) => void): ClientMonitor
  addUpdateMethod(method: unknown): ClientMonitor
  readonly started: boolean
  readonly states: Readonly<Record<'updatingEvents' | 'updatingStreams' | 'updateEventRequired' | 'updateStreamsRequired', boolean | undefined>>
  readonly eventsGetScope: Json
}

export interface AuthController {
  init(): Promise<unknown>
  handleClick(): Promise<void>
  startAuthRequest(): Promise<void>
  stopAuthRequest(message: string): void
}

/** The library `pryv` with both add-ons. */
export interface Library {
  readonly version: string
  readonly Service: (new (serviceInfoUrl: string | null, customizations?: object) => Service) & {
    buildAPIEndpoint(serviceInfo: unknown, username: string, token?: string | null): string
  }
  readonly Connection: (new (apiEndpoint: string) => Client) & { SocketIO?: unknown }
  readonly Auth: {
    readonly AuthController: new (settings: unknown, service: unknown, button?: object) => AuthController
    setupAuth(settings: unknown, serviceInfoUrl: string, customizations: object | undefined, Button: new (settings: unknown, service: Service) => object): Promise<Service>
  }
  readonly Monitor: (new (connection: Client | string, scope?: Json) => ClientMonitor) & {
    readonly UpdateMethod: { readonly Socket: new () => unknown; readonly EventsTimer: new (ms: number) => unknown }
  }
}

/** A release of the library, with the releases of the add-ons that were published with it. */
export interface Release {
  readonly name: string
  readonly library: Library
  /** Flag of releases with differences: missing functions of 2.x, and failures in another form. */
  readonly isEarlier: boolean
}

// The declarations of 2.x are those of a module `pryv`, and would conflict with the current ones if imported.
const load = createRequire(import.meta.url)

function releaseOf(packages: { pryv: string; socketIo: string; monitor: string }, isEarlier: boolean): Release {
  const library = load(packages.pryv) as Library & { Monitor?: unknown }
  const { log } = console
  // The add-ons print versions when they are loaded; the earlier ones refuse to be loaded twice.
  console.log = () => {}
  try {
    if (library.Connection.SocketIO === undefined) (load(packages.socketIo) as (pryv: Library) => void)(library)
    if ((library as { Monitor?: unknown }).Monitor === undefined) (load(packages.monitor) as (pryv: Library) => void)(library)
  } finally {
    console.log = log
  }
  return { name: `pryv ${library.version}`, library, isEarlier }
}

const current = releaseOf({ pryv: 'pryv', socketIo: '@pryv/socket.io', monitor: '@pryv/monitor' }, false)

/** The releases that tables of tests run over. */
export const releases: readonly Release[] = [
  current,
  releaseOf({ pryv: 'pryv-2', socketIo: 'socket-io-1', monitor: 'monitor-1' }, true),
]

export const PASSWORD = 'correct horse'
export const APP = 'client-test'

/** Creates an event id of the form that these clients choose. */
export const clientEventId = (): string => `c${createId()}`

export const serviceOf = (node: TestNode, { library }: Release = current): Service =>
  new library.Service(`${node.url}service/info`)

/** Connects to an address with a token, or without. */
export const connect = (apiEndpoint: string, { library }: Release = current): Client => new library.Connection(apiEndpoint)

/** Creates an account through a service of the current release; earlier ones cannot. */
export const createAccount = (
  service: Service,
  username: string,
  hosting = 'auto',
): Promise<{ username: string; apiEndpoint: string }> =>
  service.createUser({ username, password: PASSWORD, email: `${username}@example.org`, hosting, appId: APP })

export const logIn = async (service: Service, username: string): Promise<Client> =>
  (await service.login(username, PASSWORD, APP)) as unknown as Client

/** Returns the body of a call, also of a failed one: 2.x throws what 3.x returns. */
export const bodyOf = (called: Promise<Json>): Promise<Json> =>
  called.catch((error: { response?: { body?: Json } }) => {
    if (error.response?.body === undefined) throw error
    return error.response.body
  })

/** Waits until a client has the expected data: reconnections of these clients take seconds. */
export const soon = <T>(read: () => T): ReturnType<typeof expect.poll<T>> => expect.poll(read, { timeout: 30_000, interval: 20 })
