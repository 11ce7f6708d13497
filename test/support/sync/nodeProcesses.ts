/** Nodes as processes that are paired by commands: started, disconnected, killed and started again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { openSocket } from '../../../src/cli/client/socket.js'
import { binary, coffer, json, start, type CleanUp, type Outcome, type Running } from '../../acceptance/support/coffer.js'
import { openLine, type Line } from './badConnection.js'
import { request } from '../nodes/node.js'

export const USER = 'traveller'
export const PASSWORD = 'correct horse'
const RISK = '--accept-risk=unconfirmed-peer'

/** Node that is started and stopped; its home and its line stay. */
export interface SyncNode {
  readonly home: string
  /** URL of the node; undefined while it is stopped. */
  readonly url: string | undefined
  /** URL for other nodes. */
  readonly address: string
  /** Line to the node, if there is one. */
  readonly line: Line | undefined
  /** Starts the node; returns its URL. */
  start(): Promise<string>
  stop(): Promise<void>
  /** Kills the node at once, and waits until it is gone. */
  kill(): Promise<void>
  /** Calls a method of its control socket. */
  ask(method: string, params?: object): Promise<Record<string, unknown>>
  /** Runs a command on it. */
  run(...words: string[]): Promise<Outcome>
}

/** Network of a node, if not a free local port behind a line. */
export interface Place {
  network: string
  port: number
  /** Address on which it listens. */
  listens: string
  /** URLs for the tests and for other nodes, with a final slash. */
  seen: string
  address: string
}

export async function syncNode(home: string, cleanUp: CleanUp, place?: Place): Promise<SyncNode> {
  const line = place === undefined ? await openLine(0) : undefined
  if (line !== undefined) cleanUp(() => void line.stop())
  let running: Running | undefined
  let control: ReturnType<typeof openSocket> | undefined
  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = running
    running = undefined
    control = undefined
    await ending?.stop(signal)
  }
  return {
    home,
    line,
    address: place?.address ?? `http://127.0.0.1:${line?.port}/`,
    get url() {
      return running === undefined ? undefined : (place?.seen ?? running.url)
    },
    async start() {
      const where = place === undefined ? {} : { network: place.network, port: place.port, options: `--host ${place.listens}` }
      running = await start(home, where, cleanUp)
      if (line !== undefined) line.target = Number(new URL(running.url).port)
      return place?.seen ?? running.url
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async ask(method, params = {}) {
      const door = await (control ??= openSocket(`${home}/node.sock`))
      if (door === undefined) throw new Error(`the node in ${home} has no control socket`)
      return { ...(await door.call(method, params, {})) }
    },
    run: (...words) => coffer([...words, '--home', home]),
  }
}

/** Creates the account; returns the token of an app with all rights, which is replicated to other nodes. */
export async function makeAccount(url: string): Promise<string> {
  const about = { username: USER, password: PASSWORD, email: 'traveller@example.org', appId: 'test-app' }
  const { body: registered } = await request(`${url}users`, { body: about })
  const permissions = [{ streamId: '*', level: 'manage' }]
  const access = { name: 'writers', type: 'app', permissions }
  const { body } = await request(`${url}${USER}/accesses`, { token: String(registered['token']), body: access })
  const token = (body['access'] as { token?: string } | undefined)?.token
  if (token === undefined) throw new Error(`no access: ${JSON.stringify({ registered, body })}`)
  return token
}

/** Offered pairing: its link, and the end of the command that offers it. */
export interface Offering {
  link: string
  ended: Promise<Outcome>
}

/** Offers a pairing by `coffer sync pair`. */
export async function offer(from: SyncNode, name?: string): Promise<Offering> {
  const words = ['sync', 'pair', '--user', USER, '--address', from.address, RISK, '--json', '--home', from.home]
  if (name !== undefined) words.push('--name', name)
  const child = spawn(process.execPath, [binary, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { out: '', err: '' }
  child.stdout.on('data', (data) => (output.out += String(data)))
  child.stderr.on('data', (data) => (output.err += String(data)))
  const ended = new Promise<Outcome>((give) => void child.on('close', (code, signal) => give({ code: code ?? signal, ...output })))
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  const text: unknown = Array.isArray(first) ? first[0] : undefined
  if (typeof text !== 'string') throw new Error(`nothing was offered: ${JSON.stringify(first)}`)
  return { link: (JSON.parse(text) as { link: string }).link, ended }
}

/** Accepts by `coffer sync accept --create`. */
export const accept = (to: SyncNode, link: string, ...more: string[]): Promise<Outcome> =>
  to.run('sync', 'accept', link, '--user', USER, '--create', RISK, '--json', ...more)

/** Pairs two nodes; the second creates the account if missing, and dials the first over its line. */
export async function pair(from: SyncNode, to: SyncNode, names: { there?: string; here?: string } = {}, ...more: string[]): Promise<void> {
  const { link, ended } = await offer(from, names.there)
  const accepted = await accept(to, link, ...(names.here === undefined ? [] : ['--name', names.here]), ...more)
  const offered = await ended
  expect({ accepted: accepted.code, offered: offered.code }, JSON.stringify({ accepted, offered })).toEqual({ accepted: 0, offered: 0 })
}

/** Syncs with all peers by `coffer sync now`, and expects to be in sync with them. */
export async function expectInSync(node: SyncNode, seconds = 120): Promise<void> {
  const outcome = await node.run('sync', 'now', '--json', '--timeout', `${seconds}s`)
  expect(outcome.code, JSON.stringify(outcome)).toBe(0)
  expect(json(outcome)['peers']).not.toEqual([])
}

export interface Contact {
  began: number
  sent: number
  received: number
  bytesSent: number
  bytesReceived: number
  result: string
}

/** Returns the contacts of a node, latest first. */
export const contactsOf = async (node: SyncNode): Promise<Contact[]> =>
  (await node.ask('sync.history', { username: USER, limit: 200 }))['contacts'] as Contact[]
