/** Import of an account from another server over HTTP: paged reads, resumption after an interruption, refusals. */
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { coffer } from '../../cli/support/testTerminal.js'
import { expectSound } from '../../support/store/check.js'
import { callAll } from '../../support/people/fillAccount.js'
import { homes } from '../../support/nodes/home.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { seeded } from '../../store/leveldb/fixtures.js'
import { fillAll } from './sampleAccount.js'

type Json = Record<string, unknown>

const { home, folder } = homes()
const MANY = 1300
let node: TestNode
let s: Stage
let app: string
/** Proxy between the command and the node. It answers with the status that `failWith` returns, if any. */
let proxy: Server
let requests: string[] = []
let failWith: (path: string) => number | undefined = () => undefined

beforeAll(async () => {
  node = await startTestNode({ 'versioning.forceKeepHistory': true })
  s = await newStage(node)
  const draw = seeded(7)
  app = (await fillAll(s, () => draw(1 << 30) / 2 ** 30)).app
  // More events at one time than fit in a page.
  await callAll(s, Array.from({ length: MANY }, (_, n): [string, Json] => ['events.create', { streamIds: ['body'], type: 'mass/kg', content: n, time: n < 1100 ? 1_600_000_000 : 1_600_000_000 + n }]))
  const target = new URL(node.url)
  proxy = createServer((request, response) => {
    requests.push(request.url ?? '')
    const status = failWith(request.url ?? '')
    if (status !== undefined) {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end('{"error":{"id":"invalid-operation","message":"not now"}}')
      return
    }
    const forwarded = httpRequest({ host: target.hostname, port: target.port, path: request.url, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  await new Promise((done) => proxy.close(done))
  await node.stop()
})
beforeEach(() => {
  requests = []
  failWith = () => undefined
})

const endpoint = (token: string): string => `http://${token}@127.0.0.1:${(proxy.address() as AddressInfo).port}/${s.username}/`

async function move(at: string, line: string[], stdin: string): Promise<{ code: number; lines: Json[]; err: string }> {
  const { code, out, err } = await coffer(['users', 'import', '--from', '-', ...line, '--json'], { env: { COFFER_HOME: at, NO_COLOR: '1' }, stdin })
  return { code, err, lines: out.split('\n').filter((each) => each !== '').map((each) => JSON.parse(each) as Json) }
}

async function events(at: string, user: string): Promise<Json[]> {
  const { out } = await coffer(['events', 'export', '--user', user], { env: { COFFER_HOME: at, NO_COLOR: '1' } })
  return out.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Json)
}

describe('import of an account from another server', () => {
  it('resumes with a personal token after interruptions and fetches no page twice', async () => {
    const places = await home()
    let pages = 0
    failWith = (path) => (path.includes('/events?') && ++pages > 2 ? 400 : undefined)
    const interrupted = await move(places.home, ['--as', 'ana-moved'], endpoint(s.owner))
    expect(interrupted).toMatchObject({ code: 1 })
    expect(interrupted.err).toContain('not now')
    expect(existsSync(join(places.home, 'moving'))).toBe(true)
    failWith = (path) => (/\/events\/[^/?]+\/[^/?]+$/.test(path) && !path.endsWith('/series') ? 403 : undefined)
    requests = []
    expect(await move(places.home, ['--as', 'ana-moved'], endpoint(s.owner))).toMatchObject({ code: 4 })
    // Pages that were already received are not requested again.
    expect(requests.filter((path) => path.includes('toTime=1000000000000') && !path.includes('modifiedSince'))).toEqual([])
    failWith = () => undefined
    requests = []
    const done = await move(places.home, ['--as', 'ana-moved'], endpoint(s.owner))
    expect({ ...done, lines: done.lines.slice(-1) }).toMatchObject({ code: 0, err: '', lines: [{ event: 'done', username: 'ana-moved', refused: 0, differences: 0, restored: { attachments: 3, points: 50, series: 1, eventDeletions: 2, streamDeletions: 1, profileSets: 2 } }] })
    expect(await readdir(join(places.home, 'moving'))).toEqual([])
    expect(requests.filter((path) => path.includes('/events?') && !path.includes('modifiedSince'))).toEqual([])
    const [there, here] = [await events(node.places.home, s.username), await events(places.home, 'ana-moved')]
    expect(here.length).toBeGreaterThan(MANY)
    const plain = (list: Json[]): Json[] => list.filter(({ id }) => !String(id).startsWith(':')).sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
    const withoutTokens = (list: Json[]): unknown => JSON.parse(JSON.stringify(plain(list), (key, value: unknown) => (key === 'readToken' ? undefined : value)))
    expect(withoutTokens(here)).toEqual(withoutTokens(there))
    await expectSound(places)
  })

  it('imports with an app token and an endpoint from a file', async () => {
    const places = await home()
    const file = join(await folder(), 'endpoint')
    await writeFile(file, `${endpoint(app)}\n`)
    const line = ['users', 'import', '--from-file', file, '--as', 'ana-by-app', '--password-stdin', '--json']
    const { code, out } = await coffer(line, { env: { COFFER_HOME: places.home, NO_COLOR: '1' }, stdin: 'a good password' })
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({ username: 'ana-by-app', refused: 0, restored: { profileSets: 2, attachments: 3 } })
    await expectSound(places)
  })

  it('refuses invalid endpoints, unknown tokens, conflicting arguments and servers of another kind', async () => {
    const places = await home()
    expect(await move(places.home, [], 'not an endpoint')).toMatchObject({ code: 2 })
    expect(await move(places.home, [], 'ftp://token@example.org/')).toMatchObject({ code: 2 })
    expect(await move(places.home, [], endpoint('no-such-token'))).toMatchObject({ code: 4 })
    expect(await move(places.home, ['a-folder'], endpoint(app))).toMatchObject({ code: 2 })
    const other = createServer((_, response) => response.end('<html>hello</html>'))
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const refused = await move(places.home, [], `http://token@127.0.0.1:${(other.address() as AddressInfo).port}/ana/`)
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.err).toContain('does not answer like a Pryv API server')
    await new Promise((done) => other.close(done))
  })
})
