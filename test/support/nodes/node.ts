/** Starts whole nodes in this process, each on a free port and in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../../src/server/config/config.js'
import type { Clock } from '../../../src/server/base/clock.js'
import type { Cores } from '../../../src/server/platform/cores/cores.js'
import { hashPassword } from '../../../src/server/auth/password.js'
import { initialise, type HomePlaces } from '../../../src/server/launch/init.js'
import { createLog } from '../../../src/server/base/log.js'
import type { NodeOptions } from '../../../src/server/index.js'
import type { Mailer } from '../../../src/server/mail/mailer.js'
import { readRegistration } from '../../../src/server/api/register/input.js'
import { claiming } from '../../../src/server/api/shared/names.js'
import { fillAccount } from '../../../src/server/api/register/newAccount.js'
import { runNode, type RunningNode } from '../../../src/server/launch/run.js'
import { checkResults } from './operatorMethods.js'

checkResults()

export const placesOf = (home: string): HomePlaces => ({
  home,
  config: join(home, 'config.toml'),
  store: join(home, 'store'),
  files: join(home, 'files'),
  key: join(home, 'node.key'),
})

export interface TestNode extends Omit<RunningNode, 'stop'> {
  stop(withinMs?: number): Promise<void>
  readonly places: HomePlaces
  /** Log lines of the node. */
  readonly logged: string[]
}

/** Starts a node; `settings` are configuration flags. */
export async function startTestNode(
  settings: Record<string, unknown> = {},
  options: { home?: string; clock?: Clock; mail?: Mailer; cores?: Cores; registry?: NodeOptions['registry'] } = {},
): Promise<TestNode> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'coffer-test-')))
  const places = placesOf(home)
  if (options.home === undefined) await initialise(places)
  const logged: string[] = []
  const config = loadConfig({ file: places.config, flags: { 'http.port': 0, ...settings } })
  const running = await runNode({
    store: places.store,
    key: places.key,
    socket: join(home, 'node.sock'),
    config,
    log: createLog('info', () => 0, (line) => void logged.push(line)),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.cores === undefined ? {} : { cores: options.cores }),
    ...(options.registry === undefined ? {} : { registry: options.registry }),
    ...(options.mail === undefined ? {} : { mail: options.mail }),
  })
  return {
    ...running,
    places,
    logged,
    async stop(withinMs = 1000) {
      await running.stop(withinMs)
      if (options.home === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}

export interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

/** Sends a JSON request; `token` is the value of `Authorization`. */
export async function request(
  url: string,
  options: { method?: string; token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers }
  if (options.token !== undefined) headers['authorization'] = options.token
  if (options.body !== undefined) headers['content-type'] ??= 'application/json'
  const response = await fetch(url, {
    method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
    headers,
    ...(options.body === undefined
      ? {}
      : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  })
  const text = await response.text()
  let body: Record<string, unknown>
  try {
    body = JSON.parse(text) as Record<string, unknown>
  } catch {
    body = { text }
  }
  return { status: response.status, headers: response.headers, body }
}

const PASSWORD = 'correct horse'

const registrationOf = (username: string): Record<string, string> => ({
  username,
  password: PASSWORD,
  email: `${username}@example.org`,
  appId: 'test-app',
})

let passwordHash: Promise<string> | undefined

/** Creates an account as `registerUser` does, without hashing its password again: tables create thousands. */
export async function makeAccount({ node }: TestNode, username: string): Promise<string> {
  passwordHash ??= hashPassword(PASSWORD)
  const asked = readRegistration(registrationOf(username), node.systemStreams)
  const id = node.newId()
  const about = { id, asked, passwordHash: await passwordHash, invitation: undefined, isProved: false }
  const take = [
    { field: 'username', value: username },
    { field: 'email', value: `${username}@example.org` },
  ]
  const { token } = await claiming(node, { account: id, by: 'creation', take }, (enter) =>
    node.store.createAccount((t, account) => {
      enter(t)
      return fillAccount(node, t, account, about)
    }),
  )
  return token.reveal()
}

/** Registers a user; returns the personal token. */
export async function registerUser(node: TestNode, username: string): Promise<string> {
  const { status, body } = await request(`${node.url}users`, {
    body: registrationOf(username),
  })
  if (status !== 200) throw new Error(`registration failed: ${JSON.stringify(body)}`)
  return String(body['token'])
}
