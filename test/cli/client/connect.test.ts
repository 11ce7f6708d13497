import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../../src/cli/client/connect.js'
import { openSocket } from '../../../src/cli/client/socket.js'
import type { NodeClient } from '../../../src/cli/client/nodeClient.js'
import { outputTo } from '../../../src/cli/terminal/output/out.js'
import { pathsOf } from '../../../src/cli/framework/paths.js'
import { Failure } from '../../../src/store/model/failure.js'
import { screen } from '../support/testTerminal.js'

let home: string
let server: Server
let requests: Array<{ method: string; url: string; body: unknown }>
/** Response handler of the test's node. */
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'coffer-node-'))
  requests = []
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const { method = '', url = '' } = request
      requests.push({ method, url, body: text === '' ? undefined : JSON.parse(text) })
      answer(request, response)
    })
  })
  await new Promise<void>((listening) => server.listen(join(home, 'node.sock'), listening))
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(home, { recursive: true })
})

async function client(timeoutMs?: number): Promise<NodeClient> {
  const opened = await openSocket(join(home, 'node.sock'), timeoutMs)
  if (opened === undefined) throw new Error('no node listens')
  return opened
}

describe('a running node', () => {
  it('receives calls by method, with the user and the parameters', async () => {
    answer = (_, response) => response.end('{"events":[{"id":"e1"}]}')
    const node = await client()
    expect(await node.call('events.get', { limit: 1 }, { user: 'ana' })).toEqual({ events: [{ id: 'e1' }] })
    await node.call('node.status', {}, {})
    expect(requests).toEqual([
      { method: 'POST', url: '/control/events.get', body: { user: 'ana', params: { limit: 1 } } },
      { method: 'POST', url: '/control/node.status', body: { params: {} } },
    ])
  })

  it.each([
    ['a failure', { id: 'unknown-user', message: 'No ana.', data: { user: 'ana' } }, { id: 'unknown-user', data: { user: 'ana' } }],
    ['a failure of a later release', { id: 'brand-new', message: 'New.' }, { id: 'unexpected-error', message: 'New.' }],
    ['a failure without a message', {}, { id: 'unexpected-error' }],
  ])('makes a call throw %s as a Failure', async (_, error, expected) => {
    answer = (_request, response) => response.writeHead(400).end(JSON.stringify({ error }))
    const called = (await client()).call('x', {}, {})
    await expect(called).rejects.toBeInstanceOf(Failure)
    await expect(called).rejects.toMatchObject(expected)
  })

  it.each([
    ['text that is not JSON', (response) => response.end('<html>'), 1],
    ['JSON that is not an object', (response) => response.end('[]'), 1],
    ['nothing and closes the connection', (response) => response.destroy(), 7],
    ['half a response', (response) => response.write('{"a"', () => response.destroy()), 7],
  ] as Array<[string, (response: ServerResponse) => unknown, number]>)('that answers %s gives an exit code of its own', async (_, reply, exit) => {
    answer = (_request, response) => void reply(response)
    await expect((await client()).call('x', {}, {})).rejects.toMatchObject({ name: 'CommandError', exit })
  })

  it('that does not answer is waited for until the given timeout', async () => {
    answer = () => undefined
    const called = (await client(30)).call('x', {}, {})
    await expect(called).rejects.toMatchObject({ exit: 7, message: 'The node did not answer within 0.03 s.' })
  })

  it('streams the items of a list as they arrive', async () => {
    answer = (_, response) => {
      response.write('{"meta":{},"events":[{"id":"a"},{"id"')
      setTimeout(() => response.end(':"b"}]}'), 20)
    }
    const pages: string[][] = []
    for await (const page of (await client()).texts('events.get', { limit: 2 }, { user: 'ana' }, 'events')) pages.push(page)
    expect(pages).toEqual([['{"id":"a"}'], ['{"id":"b"}']])
    expect(requests).toEqual([{ method: 'POST', url: '/control/events.get', body: { user: 'ana', params: { limit: 2 } } }])
  })

  it.each([
    ['a failure', (response) => response.writeHead(400).end('{"error":{"id":"unknown-user"}}'), { id: 'unknown-user' }],
    ['half a list', (response) => response.end('{"events":[{"id":"a"}'), { exit: 7 }],
    ['a broken connection', (response) => response.write('{"events":[', () => response.destroy()), { exit: 7 }],
  ] as Array<[string, (response: ServerResponse) => unknown, object]>)('makes a list reader throw for %s', async (_, reply, expected) => {
    answer = (_request, response) => void reply(response)
    const reading = async (): Promise<void> => {
      for await (const _page of (await client()).texts('events.get', {}, {}, 'events')) continue
    }
    await expect(reading()).rejects.toMatchObject(expected)
  })

  it('ends an endless stream of lines when the client closes', async () => {
    answer = (_, response) => void response.write('{"n":1}\n')
    const opened = await client()
    const lines = opened.lines?.('node.events', {}, {})[Symbol.asyncIterator]()
    expect(await lines?.next()).toMatchObject({ value: { n: 1 } })
    const next = lines?.next()
    await opened.close()
    await expect(next).rejects.toMatchObject({ exit: 7 })
  })

  it('streams lines while the response continues', async () => {
    let continueResponse = (): void => undefined
    answer = (_, response) => {
      response.write('{"n":1}\n{"n"')
      continueResponse = () => void response.end(':2}\n\n')
    }
    const lines: unknown[] = []
    for await (const line of (await client()).lines?.('node.events', {}, { user: 'a&b' }) ?? []) {
      lines.push(line)
      // Sends the end of the second line after its beginning has arrived.
      continueResponse()
    }
    expect(lines).toEqual([{ n: 1 }, { n: 2 }])
    expect(requests[0]).toMatchObject({ method: 'GET', url: '/control/node.events?user=a%26b' })
  })

  it('passes on a failure in place of a stream of lines', async () => {
    answer = (_, response) => response.writeHead(404).end('{"error":{"id":"unknown-user","message":"No."}}')
    const first = (await client()).lines?.('node.events', {}, {})[Symbol.asyncIterator]().next()
    await expect(first).rejects.toMatchObject({ id: 'unknown-user' })
  })
})

describe('connect', () => {
  const connecting = (offline: boolean): Promise<NodeClient> => {
    const out = outputTo(screen().terminal(), { json: false, quiet: false })
    return connect({ paths: pathsOf({ home, env: {} }), env: {}, out, terminal: screen().terminal(), offline })
  }

  it.each([true, false])('uses the socket of a running node (offline: %s)', async (offline) => {
    expect((await connecting(offline)).kind).toBe('socket')
  })

  it('exits 7 and suggests coffer start when a node is needed', async () => {
    server.close()
    await expect(connecting(false)).rejects.toMatchObject({ exit: 7, hint: `Start it: coffer start --home ${home}` })
  })

  it('exits 7 for a stale socket of a dead node', async () => {
    await new Promise((closed) => server.close(closed))
    writeFileSync(join(home, 'node.sock'), '')
    await expect(connecting(false)).rejects.toMatchObject({ exit: 7 })
  })

  it('exits 10 when there is no store', async () => {
    server.close()
    await expect(connecting(true)).rejects.toMatchObject({ exit: 10, hint: `Create one: coffer init --home ${home}` })
  })

  it('reports an invalid configuration before it opens the store', async () => {
    server.close()
    mkdirSync(join(home, 'store'))
    writeFileSync(join(home, 'config.toml'), '[http]\nprot = 1\n')
    await expect(connecting(true)).rejects.toMatchObject({ name: 'ConfigError' })
  })
})
