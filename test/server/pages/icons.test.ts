/** Icons of apps: fetched and cached by the node, limited to small images of known types. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createIcons } from '../../../src/server/pages/icons/icons.js'
import { imageAt } from '../../../src/server/pages/icons/image.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

let server: Server
let base: string
const requests: string[] = []

const png = (response: ServerResponse, bytes: Buffer): void => {
  response.writeHead(200, { 'Content-Type': 'image/png' })
  response.end(bytes)
}

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  requests.push(url)
  if (url === '/good.png') return png(response, PNG)
  if (url === '/limit.png') return png(response, Buffer.alloc(256 * 1024, 7))
  if (url === '/huge.png') return png(response, Buffer.alloc(256 * 1024 + 1, 7))
  if (url === '/endless.png') {
    response.writeHead(200, { 'Content-Type': 'image/png' })
    const more = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(64 * 1024), () => setImmediate(more))
    }
    return more()
  }
  if (url === '/slow.png') {
    response.writeHead(200, { 'Content-Type': 'image/png' })
    return void response.write(PNG)
  }
  if (url === '/drawing.svg') {
    response.writeHead(200, { 'Content-Type': 'image/svg+xml; charset=utf-8' })
    return void response.end(SVG)
  }
  if (url === '/moved.png') {
    response.writeHead(302, { Location: '/good.png' })
    return void response.end()
  }
  if (url === '/page.png') {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    return void response.end('<script>alert(1)</script>')
  }
  response.writeHead(url === '/empty.png' ? 200 : 404, { 'Content-Type': 'image/png' })
  response.end()
}

beforeAll(async () => {
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
afterEach(() => void (requests.length = 0))

describe('an image', () => {
  it.each([
    ['/good.png', 'image/png', PNG.length],
    ['/limit.png', 'image/png', 256 * 1024],
    ['/drawing.svg', 'image/svg+xml', SVG.length],
  ])('is fetched from %s', async (path, type, size) => {
    const image = await imageAt(base + path)
    expect([image.type, image.bytes.length]).toEqual([type, size])
  })

  it('is decoded from a data: URL', async () => {
    const image = await imageAt(`data:image/png;base64,${PNG.toString('base64')}`)
    expect([image.type, Buffer.from(image.bytes)]).toEqual(['image/png', PNG])
  })

  it.each([
    ['too large an image', '/huge.png', 'larger than 256 KB'],
    ['an endless body', '/endless.png', 'larger than 256 KB'],
    ['a redirect', '/moved.png', 'fetch failed'],
    ['an HTML page', '/page.png', 'unsupported image type "text/html"'],
    ['an empty body', '/empty.png', 'empty'],
    ['a missing file', '/none.png', 'status 404'],
  ])('is not accepted from %s', async (_, path, message) => {
    await expect(imageAt(base + path)).rejects.toThrow(message)
    expect(requests).toEqual([path])
  })

  it('is fetched within a time limit', async () => {
    await expect(imageAt(`${base}/slow.png`, 100)).rejects.toThrow(/timeout/)
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', '/relative.png', 'blob:x', 'data:text/html,<p>', 'data:image/png,'])(
    'is not fetched from %s',
    async (address) => {
      await expect(imageAt(address)).rejects.toThrow()
    },
  )
})

describe('icons', () => {
  const clock = fakeClock()
  const log = { info() {}, warn() {}, error() {} } as unknown as Parameters<typeof createIcons>[0]['log']

  it('are fetched once an hour for any number of requests', async () => {
    const icons = createIcons({ clock, log })
    const app = { id: 'diary', iconURL: `${base}/good.png` }
    expect(icons.mayHave(app)).toBe(true)
    const all = await Promise.all(Array.from({ length: 20 }, () => icons.of(app)))
    expect(all.every((image) => image?.type === 'image/png')).toBe(true)
    clock.pass(3599)
    await icons.of(app)
    expect(requests).toHaveLength(1)
    clock.pass(1)
    await icons.of(app)
    expect(requests).toHaveLength(2)
  })

  it('that cannot be fetched are retried after a minute', async () => {
    const icons = createIcons({ clock, log })
    const app = { id: 'diary', iconURL: `${base}/none.png` }
    for (let again = 0; again < 3; again++) expect(await icons.of(app)).toBeUndefined()
    expect([icons.mayHave(app), requests.length]).toEqual([false, 1])
    clock.pass(60)
    expect(icons.mayHave(app)).toBe(true)
  })

  it('use bounded memory; the oldest are evicted first', async () => {
    const fetched: string[] = []
    const icons = createIcons({ clock, log }, (address) => {
      fetched.push(address)
      return Promise.resolve({ type: 'image/png', bytes: new Uint8Array(256 * 1024) })
    })
    const app = (n: number): { id: string; iconURL: string } => ({ id: `app${n}`, iconURL: `https://icons.example/${n}` })
    for (let n = 0; n < 100; n++) await icons.of(app(n))
    await icons.of(app(99))
    expect(fetched).toHaveLength(100)
    await icons.of(app(0))
    expect(fetched).toHaveLength(101)
  })

  it('are undefined for apps without an icon', async () => {
    const icons = createIcons({ clock, log })
    expect([await icons.of({ id: 'x' }), icons.mayHave({ id: 'x' }), icons.mayHave({ id: 'x', iconURL: '' })]).toEqual([
      undefined,
      false,
      false,
    ])
  })
})

describe('GET /web/icons/{app id}', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({
      appList: {
        'good-app': { iconURL: `${base}/good.png` },
        'svg-app': { iconURL: `${base}/drawing.svg` },
        'inline-app': { iconURL: `data:image/png;base64,${PNG.toString('base64')}` },
        'bad-app': { iconURL: `${base}/page.png` },
        'bare-app': {},
        'odd app é': { iconURL: `${base}/good.png` },
      },
    })
  })
  afterAll(() => node.stop())

  const iconOf = (id: string): Promise<Response> => fetch(`${node.url}web/icons/${encodeURIComponent(id)}`)

  it.each(['good-app', 'svg-app', 'inline-app', 'odd app é'])('serves the icon of %s with headers that disable scripts', async (id) => {
    const response = await iconOf(id)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(id === 'svg-app' ? 'image/svg+xml' : 'image/png')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*; sandbox$/)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
  })

  it.each(['bad-app', 'bare-app', 'unknown', '__proto__', '%', 'x'.repeat(500)])('answers 404 for %s', async (id) => {
    expect((await iconOf(id)).status).toBe(404)
    expect((await fetch(`${node.url}web/icons/`)).status).toBe(404)
  })
})
