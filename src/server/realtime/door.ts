/** The websocket door: loaded with the first client that comes, not with the node. */
import type { Realtime } from '../http/listen.js'
import type { Method } from '../method.js'
import type { Node } from '../node.js'
import type { RealtimeServer } from './server.js'

const PATH = '/socket.io'

export function realtimeOf(node: Node, methods: readonly Method[]): Realtime {
  let loading: Promise<RealtimeServer> | undefined
  const load = (): Promise<RealtimeServer> =>
    (loading ??= import('./server.js').then(({ createRealtimeServer }) => createRealtimeServer(node, methods)))
  return {
    has: (path) => path === PATH || path.startsWith(`${PATH}/`),
    request: (request, response) => void load().then((server) => server.handleRequest(request, response)),
    upgrade: (request, socket, head) => void load().then((server) => server.handleUpgrade(request, socket, head)),
    async stop() {
      const server = await loading
      server?.close()
    },
  }
}
