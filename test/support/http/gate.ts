/** A way to a node that can be shut: the node runs on, and whoever calls it from elsewhere finds trouble. */
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of a call: it is passed on; nobody is there; it is passed on and the answer is lost; it is passed on and
 * the answer never comes.
 */
export type Way = 'open' | 'away' | 'lost' | 'silent'

export interface Gate {
  /** Where the node is reached by others: `http://127.0.0.1:4321/`. */
  readonly url: string
  /** The port of the node behind it, or of the one of several that is called by a path. */
  port: number | ((path: string) => number)
  /** What becomes of calls from now on: of all, or of those of a verb. */
  way: Way | { verb: 'GET' | 'POST'; way: Way }
  /** Resolves once the node has answered a call whose answer is not passed on. */
  swallowed(): Promise<void>
  stop(): Promise<void>
}

/** Opens a gate, before there is a node behind it. */
export async function openGate(): Promise<Gate> {
  const waiting: (() => void)[] = []
  const server = createServer((asked, answer) => {
    const { way } = gate
    const present = typeof way === 'string' ? way : way.verb === asked.method ? way.way : 'open'
    if (present === 'away') return void asked.socket.destroy()
    const { port } = gate
    pass(asked, typeof port === 'number' ? port : port(asked.url ?? ''), (response) => {
      if (present === 'open') return relay(response, answer)
      response.resume().on('end', () => {
        if (present === 'lost') asked.socket.destroy()
        for (const swallow of waiting.splice(0)) swallow()
      })
    })
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const gate: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    port: 0,
    way: 'open',
    swallowed: () => new Promise((resolve) => void waiting.push(resolve)),
    stop: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
  return gate
}

function pass(asked: IncomingMessage, port: number, answered: (response: IncomingMessage) => void): void {
  const { method, url, headers } = asked
  const options = { host: '127.0.0.1', port, agent: false, ...(method === undefined ? {} : { method }), ...(url === undefined ? {} : { path: url }), headers }
  const passed = requestHttp(options, answered)
  passed.on('error', () => asked.socket.destroy())
  asked.pipe(passed)
}

function relay(response: IncomingMessage, answer: ServerResponse): void {
  answer.writeHead(response.statusCode ?? 502, response.headers)
  response.pipe(answer)
}
