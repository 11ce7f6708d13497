/** Text message service on loopback, which records its requests. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface SmsService {
  url: string
  /** Requests so far. */
  readonly asked: Asked[]
  /** Response from now on. */
  answer: (asked: Asked) => { status: number; body?: string; headers?: Record<string, string> } | 'nothing'
  stop(): Promise<void>
}

export async function startSmsService(): Promise<SmsService> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')))
    request.on('end', () => {
      const asked: Asked = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      service.asked.push(asked)
      const answer = service.answer(asked)
      if (answer === 'nothing') return void request.socket.destroy()
      response.writeHead(answer.status, answer.headers)
      response.end(answer.body ?? '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const service: SmsService = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    answer: () => ({ status: 200, body: '{"sent":true}' }),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return service
}

/** Returns the code in the latest request to a service, where its body is `{"text":"<code>"}`. */
export function codeSentTo({ asked }: SmsService): string {
  const { text } = JSON.parse(asked.at(-1)?.body ?? '{}') as { text?: string }
  return text ?? ''
}
