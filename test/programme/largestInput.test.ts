/**
 * The largest accepted input of every shape, to every method and transport, with and without a token, is answered without
 * delaying another client. LONG=1 runs for MINUTES (10) and limits the latency of the other client. `SEED` repeats a run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Method } from '../../src/server/call/method.js'
import { methods } from '../../src/server/api/methods.js'
import { nodeProcesses, type NodeProcess } from '../crash/process.js'
import { expectFitting } from '../fuzz/expect.js'
import { sampleOf } from '../fuzz/samples.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { request } from '../support/nodes/node.js'
import { connectSocket } from '../support/http/socket.js'
import { LONG } from './support/needs.js'

const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const MINUTES = Number(process.env['MINUTES'] ?? 10)
const DRAWS = 25
/** Limits of the maximum and the 99th percentile of the latency of another client, on two cores. */
const MAX_WAIT_MS = 1500
const MAX_P99_MS = 100

const MB = 1024 * 1024
const next = seeded(SEED)
const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T

/** Generators of JSON texts of about `bytes` bytes, by shape. */
const shapes: Record<string, (bytes: number) => string> = {
  'wrong items': (bytes) => list(bytes, () => '1'),
  'empty objects': (bytes) => list(bytes, () => '{}'),
  texts: (bytes) => list(bytes, (i) => `"t${i}"`),
  'the same text': (bytes) => list(bytes, () => '"a"'),
  numbers: (bytes) => list(bytes, (i) => String(i * 1.1)),
  'nested arrays': (bytes) => list(bytes, () => '[[[[[[]]]]]]'),
  permissions: (bytes) => list(bytes, (i) => `{"streamId":"s${i}","level":"read"}`),
  calls: (bytes) => list(bytes, () => '{"method":"streams.get","params":{}}'),
  'wrong calls': (bytes) => list(bytes, () => '{"method":1}'),
  rows: (bytes) => list(bytes, (i) => `[${i},1]`),
  'an object of many keys': (bytes) => `{${joined(bytes, (i) => `"k${i}":${i}`)}}`,
  'an object of large values': (bytes) => `{"a":${list(bytes / 2, () => '{"b":null}')},"b":"${'x'.repeat(bytes / 2)}"}`,
  'a text': (bytes) => `"${'x'.repeat(bytes)}"`,
  'a text of escapes': (bytes) => `"${'\\u0000'.repeat(bytes / 6)}"`,
  'a text of slashes and dots': (bytes) => `"${'/../'.repeat(bytes / 4)}"`,
  'an address': (bytes) => `"https://a.example/${'a.'.repeat(bytes / 2)}"`,
  'a mail address': (bytes) => `"${'a.'.repeat(bytes / 2)}@example.org"`,
}

const list = (bytes: number, item: (i: number) => string): string => `[${joined(bytes, item)}]`

function joined(bytes: number, item: (i: number) => string): string {
  const items: string[] = []
  for (let size = 0, i = 0; size < bytes - 100; i++) {
    const text = item(i)
    items.push(text)
    size += text.length + 1
  }
  return items.join(',')
}

interface Draw {
  name: string
  isForeign?: boolean
  send(): Promise<{ status: number; body: string; version: string | null }>
}

const registration = (username: string): Record<string, string> => ({ username, password: 'correct horse', email: `${username}@example.org`, appId: 'test-app' })
const { home } = homes()
const startProcess = nodeProcesses()
let places: Awaited<ReturnType<typeof home>>
let node: NodeProcess
let url = ''
let token = ''

beforeAll(async () => {
  places = await home()
  node = await startProcess(places.home)
  url = (await node.open()).url ?? ''
  token = String((await request(`${url}users`, { body: registration('alice') })).body['token'])
  await request(`${url}alice/streams`, { token, body: { id: 'a', name: 'A' } })
  await request(`${url}users`, { body: registration('robert') })
})

afterAll(async () => {
  await node.close()
  await expectSound(places)
})

/** Methods with a body, except the one that ends the session. */
const methodsWithBody = methods.filter(({ id, http: { verb } }) => (verb === 'POST' || verb === 'PUT') && id !== 'auth.logout')
/** Paths of other protocols, whose failures have another format. */
const foreign = new Set(methods.filter((method) => 'protocol' in method).map(({ http }) => http.path))

/** Returns names of members for a method: those of a sample, and common ones. */
function memberNames(method: Method, sample: unknown): string[] {
  const body = method.http.body !== undefined && typeof sample === 'object' && sample !== null ? (sample as Record<string, unknown>)[method.http.body] : sample
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : []
  return [...names, 'clientData', 'permissions', 'content', 'streams', 'x']
}

function drawInput(): Draw {
  const method = pick(methodsWithBody)
  const shape = pick(Object.keys(shapes))
  const isKnown = next(3) > 0
  const bytes = isKnown ? pick([9.8 * MB, 9.8 * MB, MB, 127 * 1024]) : pick([63 * 1024, 63 * 1024, 9.8 * MB])
  const transport = pick(['json', 'json', 'form', 'batch', 'root', 'websocket'])
  const text = (shapes[shape] ?? String)(transport === 'websocket' ? Math.min(bytes, 0.9 * MB) : bytes)
  const sample = sampleOf(method, next)
  const member = pick(memberNames(method, sample))
  const params = withMember(method.http.body === undefined ? sample : ((sample as Record<string, unknown> | undefined)?.[method.http.body] ?? {}), member, text)
  const path = method.http.path.replace(/:(\w+)/g, 'a')
  const name = `${method.id}, ${member}, ${shape}, ${bytes} bytes, ${transport}, ${isKnown ? 'with' : 'without'} a token`
  const headers: Record<string, string> = isKnown ? { authorization: token } : {}
  const isForeign = foreign.has(method.http.path)
  const at = (target: string, body: string, type = 'application/json', verb = 'POST'): Draw => ({ name, isForeign, send: () => send(target, verb, body, { ...headers, 'content-type': type }) })
  const own = method.scope === 'platform' ? `${url}${path.slice(1)}` : `${url}alice${path}`
  switch (transport) {
    case 'json':
      return at(own, params, undefined, method.http.verb)
    case 'root':
      return at(method.scope === 'platform' ? own : `${url}alice`, text)
    case 'form': {
      const auth = isKnown ? `_auth=${token}&` : ''
      return at(own, `${auth}_method=${method.http.verb}&_json=${encodeURIComponent(params)}`, 'application/x-www-form-urlencoded')
    }
    case 'batch':
      return at(`${url}alice`, `[{"method":"${method.id}","params":${method.http.body === undefined ? params : `{"id":"a","${method.http.body}":${params}}`}}]`)
    default:
      return { name, send: () => overSocket(method.id, params, isKnown) }
  }
}

/** Returns a sample as JSON text, with one member replaced by `text`. */
function withMember(sample: unknown, member: string, text: string): string {
  const rest = Object.entries(Object(sample) as Record<string, unknown>).filter(([key]) => key !== member)
  return `{${[...rest.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`), `"${member}":${text}`].join(',')}}`
}

async function send(target: string, method: string, body: string, headers: Record<string, string>): ReturnType<Draw['send']> {
  const response = await fetch(target, { method, body, headers, redirect: 'manual' })
  return { status: response.status, body: await response.text(), version: response.headers.get('api-version') }
}

async function overSocket(id: string, params: string, isKnown: boolean): ReturnType<Draw['send']> {
  const fine = { status: 200, body: '', version: '2.0.0' }
  if (!isKnown) {
    const refused = await connectSocket({ url }, 'alice', { token: 'wrong', query: { x: params.slice(0, 8000) } }).catch(() => undefined)
    refused?.close()
    return fine
  }
  const socket = await connectSocket({ url }, 'alice', { token })
  try {
    const cut = new Promise<undefined>((resolve) => socket.io.once('disconnect', () => resolve(undefined)))
    const answer = await Promise.race([socket.call(id, JSON.parse(params)), cut])
    expect(JSON.stringify(answer?.error ?? '').includes('unexpected-error')).toBe(false)
    return fine
  } finally {
    socket.close()
  }
}

/** Starts another client in a process; `stop` returns its latencies in milliseconds, ascending. */
function otherClient(): { stop(): Promise<number[]> } {
  const program = `
    const { Agent, get } = require('node:http')
    const agent = new Agent({ keepAlive: true })
    const waits = []
    const call = () => new Promise((resolve, reject) => get(process.argv[1], { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject))
    ;(async () => {
      process.stdin.on('data', () => {
        process.stdout.write(JSON.stringify(waits.sort((a, b) => a - b)), () => process.exit())
      })
      for (;;) {
        const began = performance.now()
        await call()
        waits.push(performance.now() - began)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()`
  const child = spawn(process.execPath, ['-e', program, `${url}reg/robert@example.org/uid`], { stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  return {
    async stop() {
      child.stdin.write('stop')
      await once(child, 'close')
      return JSON.parse(out) as number[]
    },
  }
}

describe('the largest input of every shape', () => {
  it('is parsed in the thread for large JSON, which bundles of tests find', async () => {
    const { status, body } = await send(`${url}alice/events`, 'POST', JSON.stringify({ streamIds: ['a'], type: 'note/txt', content: 'x'.repeat(MB) }), { authorization: token, 'content-type': 'application/json' })
    expect(status, body.slice(0, 500)).toBe(201)
  })

  it(`is answered without delaying other clients (SEED=${SEED})`, { timeout: (MINUTES + 2) * 60_000 }, async () => {
    const other = otherClient()
    const until = Date.now() + MINUTES * 60_000
    for (let n = 0; LONG ? Date.now() < until : n < DRAWS; n++) {
      const draw = drawInput()
      const { status, body, version } = await draw.send()
      if (body !== '' && version !== null && !draw.isForeign) expectFitting(`SEED=${SEED}, draw ${n}: ${draw.name}`, status, body, version)
      else expect(status, draw.name).toBeLessThan(500)
    }
    const waits = await other.stop()
    const [p99 = NaN, max = NaN] = [waits[Math.floor(waits.length * 0.99)], waits.at(-1)]
    if (!LONG) return
    process.stderr.write(`${waits.length} calls of another client: p99 ${p99.toFixed(1)} ms, at most ${max.toFixed(1)} ms\n`)
    expect(p99).toBeLessThan(MAX_P99_MS)
    expect(max).toBeLessThan(MAX_WAIT_MS)
  })
})
