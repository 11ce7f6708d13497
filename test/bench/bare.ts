/**
 * The bare route: what an answer costs without a node behind it. Run as a process of its own.
 * POST parses JSON and answers it; POST /bytes takes in any body; GET answers a small JSON; GET /text/<n> answers a JSON text of n bytes.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
const texts = new Map<string, string>()

app.post('/', async (c) => c.json(await c.req.json()))
app.post('/bytes', async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }))
app.get('/', (c) => c.json({ id: 'cmz3v5x7e0000a1b2c3d4e5f6', type: 'mass/kg', content: 72.5, tags: [] }))
app.get('/text/:bytes', (c) => {
  const bytes = c.req.param('bytes')
  const text = texts.get(bytes) ?? JSON.stringify('x'.repeat(Math.max(0, Number(bytes) - 2)))
  texts.set(bytes, text)
  return c.body(text, 200, { 'Content-Type': 'application/json' })
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
})
