/** Tests of the end of a node: gracefully, immediately, killed or by an exception, without data loss. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { coffer, folder, json, start } from './support/coffer.js'
import type { Running } from './support/coffer.js'

const password = 'correct horse battery'

let home: string
beforeEach(() => {
  home = join(folder(), 'home')
})

/** Creates an account with a stream; returns its token. */
async function account(): Promise<string> {
  const created = await coffer(`users create ana-lovelace --email a@b.c --password-stdin --json --home ${home}`, { stdin: password })
  const token = new URL(String(json(created)['apiEndpoint'])).username
  const stream = ['api', 'streams.create', '{"id":"diary","name":"Diary"}', '--user', 'ana-lovelace', '--home', home]
  expect((await coffer(stream)).code).toBe(0)
  return token
}

interface Request {
  socket: Socket
  /** Sends the rest of the body. */
  finish(): void
  /** Resolves with the complete response once the connection is closed. */
  answer: Promise<string>
}

/** Sends a request without its last byte. */
async function halfRequest(node: Running, token: string): Promise<Request> {
  const { hostname, port } = new URL(node.url)
  const body = '{"streamIds":["diary"],"type":"note/txt","content":"slow"}'
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  socket.on('error', () => undefined)
  const head =
    `POST /ana-lovelace/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, -1))
  // Waits for a call on another connection, so that the node has received the first one.
  await fetch(`${node.url}ana-lovelace/access-info`, { headers: { authorization: token } }).then((r) => r.text())
  return { socket, finish: () => void socket.write(body.slice(-1)), answer }
}

/** Resolves once the node accepts no more connections. */
async function untilClosing(node: Running): Promise<void> {
  const { hostname, port } = new URL(node.url)
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const probe = connect(Number(port), hostname, () => resolve(true))
      probe.on('error', () => resolve(false))
      probe.on('connect', () => probe.destroy())
    })
    if (!isOpen) return
  }
}

/** Counts the events in the store. */
const notes = async (): Promise<number> =>
  (json(await coffer(['api', 'events.get', '{"streams":["diary"]}', '--user', 'ana-lovelace', '--home', home]))['events'] as unknown[]).length

describe('a node that receives a signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s finishes the open request, then exits 0', async (signal) => {
    const node = await start(home)
    const token = await account()
    const slow = await halfRequest(node, token)
    node.child.kill(signal)
    await untilClosing(node)
    expect(node.output().out).not.toContain('stopped')
    slow.finish()
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 201 [\s\S]*"content":"slow"/)
    expect(await node.ended).toMatchObject({ code: 0, out: expect.stringMatching(/\n\{"event":"stopped"\}\n$/), err: '' })
    expect(await notes()).toBe(1)
  })

  it('exits 130 immediately at a second signal', async () => {
    const node = await start(home)
    const token = await account()
    const slow = await halfRequest(node, token)
    node.child.kill('SIGINT')
    await untilClosing(node)
    await new Promise((resolve) => setTimeout(resolve, 100))
    node.child.kill('SIGINT')
    expect(await node.ended).toMatchObject({ code: 130 })
    expect(await slow.answer).toBe('')
    // The stale socket and lock do not prevent other commands.
    expect((await coffer(`status --home ${home}`)).code).toBe(7)
    expect(await notes()).toBe(0)
    const again = await start(home)
    expect(await again.stop()).toMatchObject({ code: 0 })
  })

  it('does not wait for idle connections', async () => {
    const node = await start(home)
    const { hostname, port } = new URL(node.url)
    const idle = connect(Number(port), hostname)
    await new Promise((resolve) => idle.on('connect', resolve))
    expect(await node.stop()).toMatchObject({ code: 0 })
  })
})

describe('a killed node', () => {
  it('keeps acknowledged events', async () => {
    const node = await start(home)
    const token = await account()
    const created = await fetch(`${node.url}ana-lovelace/events`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: '{"streamIds":["diary"],"type":"note/txt","content":"kept"}',
    })
    expect(created.status).toBe(201)
    expect(await node.stop('SIGKILL')).toMatchObject({ code: 'SIGKILL' })
    expect(await notes()).toBe(1)
    const again = await start(home)
    expect((await coffer(`stop --home ${home}`)).code).toBe(0)
    expect((await again.ended).code).toBe(0)
  })
})

describe('a node with an uncaught error', () => {
  it.each([
    ['an exception', 'throw new Error("from nowhere")', 'uncaughtException'],
    ['a rejection', 'void Promise.reject(new Error("from nowhere"))', 'unhandledRejection'],
  ])('logs %s and exits 1', async (_, code, origin) => {
    const fault = join(folder(), 'fault.mjs')
    writeFileSync(fault, `process.once('SIGUSR2', () => { ${code} })`)
    const node = await start(home, { env: { NODE_OPTIONS: `--import ${pathToFileURL(fault).href}` } })
    node.child.kill('SIGUSR2')
    const outcome = await node.ended
    expect(outcome.code).toBe(1)
    const logged = JSON.parse(outcome.err) as Record<string, unknown>
    expect(logged).toMatchObject({ level: 'error', origin, error: expect.stringContaining('from nowhere') })
    expect(readFileSync(join(home, 'node.log'), 'utf8')).toContain('from nowhere')
    expect((await coffer(`users list --home ${home}`)).code).toBe(0)
  })
})

describe('two concurrent starts', () => {
  it('of a new home run one node, and the other reports its process', async () => {
    const lines = [0, 1].map(() => coffer(`start --home ${home} --port 0 --json`))
    // The refused process ends by itself; then the other one is stopped.
    const loser = await Promise.race(lines)
    expect(loser).toMatchObject({ code: 11, out: '' })
    let stopped = await coffer(`stop --home ${home}`)
    while (stopped.code === 7) stopped = await coffer(`stop --home ${home}`)
    const outcomes = await Promise.all(lines)
    expect(outcomes.map((each) => each.code).sort()).toEqual([0, 11])
    const winner = outcomes.find((each) => each.code === 0)
    expect(loser.err).toContain(`Process ${(JSON.parse(winner?.out.split('\n')[0] ?? '') as { pid: number }).pid} `)
  })
})
