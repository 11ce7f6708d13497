/**
 * Bare route, in its own process: measures the cost of a response without a node.
 * POST parses and returns JSON; POST /bytes reads any body; POST /parsed parses JSON and returns its type;
 * GET returns a small JSON; GET /text/<n> returns a JSON text of n bytes. POST /broadcast parses JSON and notifies every
 * socket of the namespace /bare.
 */
import type { Server as HttpServer } from 'node:http'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { Server as Sockets } from 'socket.io'

const app = new Hono()
const texts = new Map<string, string>()

app.post('/', async (c) => c.json(await c.req.json()))
app.post('/bytes', async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }))
app.post('/parsed', async (c) => c.json({ kind: typeof (await c.req.json()) }))
app.post('/broadcast', async (c) => {
  const body: unknown = await c.req.json()
  namespace.emit('eventsChanged')
  return c.json(body)
})
app.get('/', (c) => c.json({ id: 'cmz3v5x7e0000a1b2c3d4e5f6', type: 'mass/kg', content: 72.5, tags: [] }))
app.get('/text/:bytes', (c) => {
  const bytes = c.req.param('bytes')
  const text = texts.get(bytes) ?? JSON.stringify('x'.repeat(Math.max(0, Number(bytes) - 2)))
  texts.set(bytes, text)
  return c.body(text, 200, { 'Content-Type': 'application/json' })
})

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
})
// Uses HTTP/1.1, the default.
const namespace = new Sockets(server as HttpServer, { serveClient: false, transports: ['websocket'] }).of('/bare')
