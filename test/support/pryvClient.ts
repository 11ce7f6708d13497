/** The published client `pryv`, unchanged, as a way to a node. */
import { createId } from '@paralleldrive/cuid2'
import pryv, { type Connection, type Service } from 'pryv'
import type { TestNode } from './node.js'

type Json = Record<string, unknown>

type Declared =
  'accessInfo' | 'apiEndpoint' | 'apiOne' | 'deltaTime' | 'getEventsStreamed' | 'service' | 'token' | 'username'

/** A connection with the members that its type declarations leave out, or declare otherwise than they are. */
export interface Client extends Pick<Connection, Declared> {
  options: { chunkSize: number }
  api(
    calls: { method: string; params: unknown; handleResult?: (result: Json) => void }[],
    progress?: (percent: number, results: Json[]) => void,
  ): Promise<Json[]>
  get(path: string, query?: Json | null): Promise<Json>
  post(path: string, data: unknown): Promise<Json>
}

export const PASSWORD = 'correct horse'
export const APP = 'client-test'

/** An event id of the form that these clients choose. */
export const clientEventId = (): string => `c${createId()}`

export const serviceOf = (node: TestNode): Service => new pryv.Service(`${node.url}service/info`)

/** A connection to an address with a token, or without. */
export const connect = (apiEndpoint: string): Client => new pryv.Connection(apiEndpoint) as unknown as Client

export const createAccount = (
  service: Service,
  username: string,
  hosting = 'auto',
): Promise<{ username: string; apiEndpoint: string }> =>
  service.createUser({ username, password: PASSWORD, email: `${username}@example.org`, hosting, appId: APP })

export const logIn = async (service: Service, username: string): Promise<Client> =>
  (await service.login(username, PASSWORD, APP)) as unknown as Client
