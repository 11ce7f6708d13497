/** Web server of a test on another origin than the node. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

export interface Site {
  /** `http://127.0.0.1:<port>`: another origin of the same site. */
  readonly origin: string
  /** `http://localhost:<port>`: another site. */
  readonly otherSite: string
  /** Served files by path; others are answered 404. Tests may change them. */
  readonly files: Map<string, { type: string; text: string }>
  /** Serves a page at a path. */
  page(path: string, body: string, head?: string): void
}

/** Returns a complete HTML document with a body. */
const documentOf = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>Page</title><link rel="icon" href="data:,">${head}</head><body><main><h1>Page</h1>${body}</main></body></html>`

/** Starts a site for the tests of a block. */
export function withSite(pages: Readonly<Record<string, string>> = {}): () => Site {
  const files = new Map<string, { type: string; text: string }>()
  const page = (path: string, body: string, head?: string): void =>
    void files.set(path, { type: 'text/html; charset=utf-8', text: documentOf(body, head) })
  for (const [path, body] of Object.entries(pages)) page(path, body)
  const server = createServer((request, response) => {
    const file = files.get((request.url ?? '').split('?')[0] ?? '')
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': file?.type ?? 'text/plain' })
    response.end(file?.text ?? 'nothing here')
  })
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return () => ({ origin: `http://127.0.0.1:${port}`, otherSite: `http://localhost:${port}`, files, page })
}
