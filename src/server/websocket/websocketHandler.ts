/** Websocket endpoint: its code is loaded with the first client. */
import type { Duplex } from 'node:stream'
import type { Realtime } from '../http/listen.js'
import type { Method } from '../call/method.js'
import type { Node } from '../index.js'
import type { RealtimeServer } from './server.js'

const PATH = '/socket.io'

export function realtimeOf(node: Node, methods: readonly Method<Node>[]): Realtime {
  let loading: Promise<RealtimeServer> | undefined
  const load = (): Promise<RealtimeServer> =>
    (loading ??= import('./server.js').then(({ createRealtimeServer }) => createRealtimeServer(node, methods)))
  // On a load failure, the client's connection closes.
  const failed = (socket: Duplex) => (error: unknown) => {
    node.log.error('failed to serve websockets', { error: String(error) })
    socket.destroy()
  }
  return {
    has: (path) => path === PATH || path.startsWith(`${PATH}/`),
    request(request, response) {
      load().then((server) => server.handleRequest(request, response)).catch(failed(request.socket))
    },
    upgrade(request, socket, head) {
      load().then((server) => server.handleUpgrade(request, socket, head)).catch(failed(socket))
    },
    async stop(withinMs) {
      const server = await loading?.catch(() => undefined)
      await server?.close(withinMs)
    },
  }
}
