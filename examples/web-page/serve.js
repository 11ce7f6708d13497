#!/usr/bin/env node
// Serves the page, with app.js and its libraries put together for browsers. PORT is where to listen, 8081 without it.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))
const { outputFiles } = await build({
  entryPoints: [at('app.js')],
  bundle: true,
  write: false,
  minify: true,
  define: { global: 'globalThis' },
  // What only Node has, and the client asks for in Node alone.
  external: ['fs', 'path'],
})

const files = {
  '/': { type: 'text/html; charset=utf-8', body: readFileSync(at('index.html')) },
  '/app.js': { type: 'text/javascript; charset=utf-8', body: outputFiles[0].contents },
}

const server = createServer((request, response) => {
  const file = files[request.url.split('?')[0]]
  if (file === undefined) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': file.type }).end(file.body)
})
server.listen(Number(process.env.PORT ?? 8081), '127.0.0.1', () => console.log(`open http://127.0.0.1:${server.address().port}/`))
