/**
 * A server in place of the node of another account. Tests set its response when it is called back
 * (docs/interface/consents.md#responses).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import type { Stage } from '../../../support/http/methodTable.js'
import { internalEvents, type Content, type CreatedEvent } from './consentFlow.js'

type Responder = (response: ServerResponse) => void

export interface ForeignAccount {
  readonly username: string
  /** Host name and port. */
  readonly host: string
  readonly from: { username: string; host: string }
  /** The calls that it received, such as `GET /dora/access-info with token`. */
  calls: string[]
  /** Its response to `access-info`. */
  access: Responder
  endpoint(token?: string, path?: string): string
}

export const json =
  (body: object, status = 200): Responder =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Starts the node of an account before the tests of a file. */
export function withForeignAccount(username = 'dora'): ForeignAccount {
  let server: Server
  const calls: string[] = []
  const hostOf = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`
  const account: ForeignAccount = {
    username,
    get host() {
      return hostOf()
    },
    get from() {
      return { username, host: hostOf() }
    },
    calls,
    access: json({}, 401),
    endpoint: (token = 'token', path = `/${username}/`) => `http://${token}@${hostOf()}${path}`,
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    calls.push(`${request.method} ${request.url} with ${request.headers.authorization}`)
    request.resume().on('end', () => {
      if (request.url?.endsWith('/access-info') === true) account.access(response)
      else json({ event: { id: 'taken' } }, 201)(response)
    })
  }
  beforeAll(async () => {
    server = createServer(answer)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return account
}

/** The id of the offer behind a link. */
export async function offerIdOf(requester: Stage, { content }: CreatedEvent): Promise<string> {
  const [offer] = await internalEvents(requester, `:_cmc:_internal:offer:${String(content['capabilityId'])}`)
  return offer?.id ?? ''
}

/** Builds the `access-info` response for the consent of an account to an offer. */
export async function consentTo(requester: Stage, invited: CreatedEvent, { username }: Pick<ForeignAccount, 'username'>, more: Content = {}): Promise<Content> {
  const host = new URL(requester.node.url).host
  const counterparty = { username: requester.username, host }
  const cmc = { role: 'counterparty', counterparty, offerEventId: await offerIdOf(requester, invited), acceptEventId: 'a1', ...more }
  return { id: 'g1', type: 'shared', name: 'Study', permissions: [], clientData: { cmc }, user: { username } }
}
