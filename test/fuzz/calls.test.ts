/** Odd parameters for every method, over HTTP, in forms and in batches: every response is a valid one. `SEED` repeats a run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Method } from '../../src/server/call/method.js'
import { methods } from '../../src/server/api/methods.js'
import { failures } from '../../src/store/model/failure.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { makeAccount, request, startTestNode, type TestNode } from '../support/nodes/node.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { expectFitting, expectServing } from './expect.js'
import { BROKEN_JSON, mutate, oddText, pick, textOf, type Next } from './oddJson.js'
import { SETUP, sampleOf } from './samples.js'

const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const TRIES = 40
const { home } = homes()
let places: HomePlaces
let node: TestNode

beforeAll(async () => {
  places = await home()
  node = await startTestNode({ 'versioning.forceKeepHistory': true }, { home: places.home })
})

afterAll(async () => {
  await node.stop()
  // Accepted data are consistent: chain, indexes, records against their changes.
  await expectSound(places)
})

interface Sent {
  url: string
  method: string
  body?: string
  headers: Record<string, string>
}

interface Account {
  username: string
  token: string
}

let users = 0
async function newAccount(): Promise<Account> {
  users += 1
  const username = `fuzz-${String(users).padStart(4, '0')}`
  const token = await makeAccount(node, username)
  const body = SETUP.map(([method, params]) => ({ method, params }))
  const answer = await request(`${node.url}${username}`, { token, body })
  expect(JSON.stringify(answer.body)).not.toContain('"error"')
  return { username, token }
}

/** Encodes a text as a path segment, byte by byte where necessary. */
const segment = (text: string): string => Buffer.from(text, 'utf8').reduce((all, byte) => all + escaped(byte), '')
const escaped = (byte: number): string => {
  const character = String.fromCharCode(byte)
  return /[A-Za-z0-9-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : textOf(value))

/** Returns the members of a mutated object; none for other values. */
function membersOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const members: unknown = 'members' in value ? value.members : undefined
  const entries = Array.isArray(members) ? (members as [unknown, unknown][]) : Object.entries(value)
  return entries.map(([key, member]) => [asText(key), member])
}

/** Returns the HTTP form of a call: path parameters from the members, the rest as body or query. */
function overHttp(method: Method, params: unknown, { username, token }: Account, next: Next): Sent {
  const members = membersOf(params)
  const names = [...method.http.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const path = method.http.path.replace(/:(\w+)/g, (_, name: string) => {
    const [, value] = members.find(([key]) => key === name) ?? [name, 'a']
    return segment(asText(next(10) === 0 ? oddText(next) : value))
  })
  const rest = members.filter(([key]) => !names.includes(key))
  const url = method.scope === 'platform' ? `${node.url}${path.slice(1)}` : `${node.url}${username}${path}`
  const headers: Record<string, string> = { authorization: token }
  const { verb } = method.http
  if (verb === 'GET' || verb === 'DELETE') {
    const query = rest.map(([key, value]) => `${queryKey(key, next)}=${encodeURI(wellFormed(asText(value), 5000))}`)
    return { url: `${url}?${query.join('&')}`, method: verb, headers }
  }
  const whole = rest.find(([key]) => key === method.http.body)
  const body = method.http.body !== undefined ? textOf(whole?.[1] ?? {}) : names.length > 0 ? textOf({ members: rest }) : textOf(params)
  return { url, method: verb, body, headers: { ...headers, 'content-type': 'application/json' } }
}

/** Returns the start of a text, without unpaired surrogates. */
const wellFormed = (text: string, most: number): string => Buffer.from(text.slice(0, most), 'utf8').toString('utf8')

function queryKey(key: string, next: Next): string {
  const suffix = next(8) === 0 ? pick(next, ['[]', '[a]', '[__proto__]', '[', ']', '[][]', '%00']) : ''
  return encodeURIComponent(wellFormed(key, 500)) + suffix
}

/** Returns the same request as a form. */
function asForm({ url, method, body, headers }: Sent, next: Next): Sent {
  const json = body === undefined ? '' : `&_json=${encodeURIComponent(wellFormed(body, Infinity))}`
  const auth = encodeURIComponent(headers['authorization'] ?? '')
  const verb = next(12) === 0 ? encodeURIComponent(oddText(next).slice(0, 100)) : method
  return {
    url,
    method: 'POST',
    body: `_method=${verb}&_auth=${auth}${json}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

function asBatch(method: Method, params: unknown, { username, token }: Account): Sent {
  const body = `[{"method":${JSON.stringify(method.id)},"params":${textOf(params)}}]`
  const headers = { authorization: token, 'content-type': 'application/json' }
  return { url: `${node.url}${username}`, method: 'POST', body, headers }
}

/** Methods of OAuth respond in its own format; other verbs on their paths have the general one. */
const ofProtocol = new Set(methods.flatMap((method) => ('protocol' in method ? [`${method.http.verb} ${method.http.path}`] : [])))
const isOfProtocol = ({ url, method }: Sent): boolean => ofProtocol.has(`${method} ${new URL(url).pathname}`)

function expectOfProtocol(sent: Sent, status: number, type: string, body: string): void {
  const about = `${JSON.stringify(sent).slice(0, 2000)} → ${status} ${body.slice(0, 500)}`
  expect(status, about).toBeLessThan(500)
  if (status < 400 || type.startsWith('text/html')) return
  expect(JSON.parse(body), about).toEqual({ error: expect.stringMatching(/^[a-z_]+$/) as string, error_description: expect.any(String) as string })
}

async function send(sent: Sent): Promise<void> {
  const response = await fetch(sent.url, sent)
  const body = await response.text()
  const type = response.headers.get('content-type') ?? ''
  if (isOfProtocol(sent)) return expectOfProtocol(sent, response.status, type, body)
  expectFitting(sent, response.status, body, response.headers.get('api-version'))
  if (!type.startsWith('application/json')) return
  const { results } = JSON.parse(body) as { results?: { error?: { id: string } }[] }
  for (const result of results ?? []) {
    const id = result.error?.id
    if (id === undefined) continue
    expect(Object.keys(failures), JSON.stringify(sent).slice(0, 2000)).toContain(id)
    expect(id, JSON.stringify(sent).slice(0, 2000)).not.toBe('unexpected-error')
  }
}

/** Implemented methods; those that are not yet available share one refusal. */
const isUnimplemented = (method: Method): boolean => method.summary.startsWith('Not available')
const implemented = methods.filter((method) => !isUnimplemented(method))

describe(`odd parameters (seed ${SEED})`, () => {
  it.each(implemented.map((method, i) => [`${method.id} ${method.http.verb} ${method.http.path}`, method, i] as const))(
    'of %s',
    async (_, method, i) => {
      const next = seeded(SEED + i)
      const account = await newAccount()
      for (let n = 0; n < TRIES; n++) {
        let params = sampleOf(method, next)
        for (let changes = next(3) === 0 ? 2 : 1; changes > 0; changes--) params = mutate(params, next)
        const http = overHttp(method, params, account, next)
        const doors = [http, http, asForm(http, next), asBatch(method, params, account)]
        await send(pick(next, doors))
      }
      await expectServing(node, method.id)
    },
  )

  it('of unimplemented methods', async () => {
    const next = seeded(SEED)
    const account = await newAccount()
    for (const method of methods.filter(isUnimplemented)) {
      const params = mutate(sampleOf(method, next), next)
      await send(overHttp(method, params, account, next))
      await send(asBatch(method, params, account))
    }
    await expectServing(node, 'waiting methods')
  })

  it('that are not JSON', async () => {
    const account = await newAccount()
    for (const body of BROKEN_JSON) {
      for (const path of ['', '/events', '/streams', '/auth/login']) {
        const headers = { authorization: account.token, 'content-type': 'application/json' }
        const response = await fetch(`${node.url}${account.username}${path}`, { method: 'POST', body, headers })
        const id = expectFitting(body, response.status, await response.text(), response.headers.get('api-version'))
        expect(id, body).toBe('invalid-request-structure')
      }
      const form = new URLSearchParams({ _json: body, _auth: account.token })
      const response = await fetch(`${node.url}${account.username}/events`, { method: 'POST', body: form })
      expect(expectFitting(body, response.status, await response.text(), response.headers.get('api-version'))).toBe(
        'invalid-request-structure',
      )
    }
    await expectServing(node, 'broken JSON')
  })
})
