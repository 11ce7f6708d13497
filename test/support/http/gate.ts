/** Proxy to a node that can be closed: the node keeps running, and calls over the proxy fail. */
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Treatment of a call: forwarded; refused without a server; forwarded with a lost response; forwarded without any response. */
export type Way = 'open' | 'away' | 'lost' | 'silent'

export interface Gate {
  /** Public URL of the node: `http://127.0.0.1:4321/`. */
  readonly url: string
  /** Port of the node behind it, or of one of several nodes, by path. */
  port: number | ((path: string) => number)
  /** Treatment of calls from now on: of all, or of those of a verb. */
  way: Way | { verb: 'GET' | 'POST'; way: Way }
  /** Resolves once the node has sent a response that is not forwarded. */
  swallowed(): Promise<void>
  stop(): Promise<void>
}

/** Opens a proxy, before there is a node behind it. */
export async function openGate(): Promise<Gate> {
  const waiting: (() => void)[] = []
  const server = createServer((incoming, answer) => {
    const { way } = gate
    const current = typeof way === 'string' ? way : way.verb === incoming.method ? way.way : 'open'
    if (current === 'away') return void incoming.socket.destroy()
    const { port } = gate
    pass(incoming, typeof port === 'number' ? port : port(incoming.url ?? ''), (response) => {
      if (current === 'open') return relay(response, answer)
      response.resume().on('end', () => {
        if (current === 'lost') incoming.socket.destroy()
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

function pass(incoming: IncomingMessage, port: number, answered: (response: IncomingMessage) => void): void {
  const { method, url, headers } = incoming
  const options = { host: '127.0.0.1', port, agent: false, ...(method === undefined ? {} : { method }), ...(url === undefined ? {} : { path: url }), headers }
  const forwarded = requestHttp(options, answered)
  forwarded.on('error', () => incoming.socket.destroy())
  incoming.pipe(forwarded)
}

function relay(response: IncomingMessage, answer: ServerResponse): void {
  answer.writeHead(response.statusCode ?? 502, response.headers)
  response.pipe(answer)
}
