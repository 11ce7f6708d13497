/** A core that takes acknowledgements, and a member of etcd, as small HTTP servers. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface CoreCall {
  method: string
  path: string
  body: Record<string, unknown> | undefined
}

export interface FakePlatform {
  /** Address of acknowledgements. */
  ackUrl: string
  /** Address of the member of etcd. */
  etcd: string
  /** Calls of the core, in their order. */
  calls: CoreCall[]
  /** Status and body of acknowledgements. */
  answer: { status: number; body: unknown }
  /** Seconds by which the clock of the core is ahead of this machine. */
  ahead: number
  /** False while the member of etcd does not answer. */
  hasEtcd: boolean
  close(): Promise<void>
}

const ACCEPTED = {
  status: 200,
  body: { ok: true, coreId: 'core-b', cluster: { cores: ['core-a', 'core-b'].map((id) => ({ id, url: null, hosting: null, available: true })), lscIps: [] } },
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export async function fakePlatform(): Promise<FakePlatform> {
  const core = createServer((request, response) => {
    void textOf(request).then((text) => {
      const path = request.url ?? ''
      platform.calls.push({ method: request.method ?? '', path, body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>) })
      const { status, body } = path.endsWith('/ack') ? platform.answer : { status: 200, body: {} }
      response.writeHead(status, { 'content-type': 'application/json', date: new Date(Date.now() + platform.ahead * 1000).toUTCString() })
      response.end(JSON.stringify(body))
    })
  })
  const etcd = createServer((request, response) => {
    if (!platform.hasEtcd) return void request.socket.destroy()
    response.end(request.url === '/version' ? '{"etcdserver":"3.5.21","etcdcluster":"3.5.0"}' : '')
  })
  for (const server of [core, etcd]) await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const portOf = (server: typeof core): number => (server.address() as AddressInfo).port
  const platform: FakePlatform = {
    ackUrl: `http://127.0.0.1:${portOf(core)}/system/admin/cores/ack`,
    etcd: `http://127.0.0.1:${portOf(etcd)}`,
    calls: [],
    answer: ACCEPTED,
    ahead: 0,
    hasEtcd: true,
    close: async () => {
      for (const server of [core, etcd]) {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      }
    },
  }
  return platform
}
