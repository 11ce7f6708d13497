/** Finds the node of a command: that of a home over its socket when it runs, else by opening the closed store; others over HTTP. */
import { existsSync } from 'node:fs'
import { CommandError } from '../framework/exit.js'
import type { NamedNode } from './nodeRegistry.js'
import type { Output } from '../terminal/output/out.js'
import { commandFor } from '../framework/paths.js'
import type { Environment, Paths } from '../framework/paths.js'
import type { Terminal } from '../terminal/terminal.js'
import type { Config } from '../../server/config/config.js'
import type { Opening } from '../../store/keyring/nodeKey.js'
import type { AccountsClient, NodeClient } from './nodeClient.js'
import { keyPassphrase } from './keyPassphrase.js'
import { noStore } from './noStore.js'
import { assertHomeOpen } from './homeChecks.js'
import { trustedSockets } from './socketFolder.js'

export interface ConnectOptions {
  paths: Paths
  /** The node of another machine that is meant in place of that of `paths`. */
  remote?: NamedNode
  env: Environment
  out: Output
  /** Where the passphrase of the node key is asked for. */
  terminal: Terminal
  /** Whether the command makes sense on a closed store. */
  offline: boolean
  timeoutMs?: number
}

/**
 * Opens the way to the node of `paths.home`. Says on stderr which closed store it opens, so that nobody works on
 * another one than meant.
 * @throws CommandError 4 when the home is closed to this user, 7 when a node is needed and none runs, 10 without a
 * store, 11 when another process holds it.
 */
export async function connect(options: ConnectOptions): Promise<NodeClient> {
  const open = await opened(options)
  if ('call' in open) return open
  const { openOffline } = await import('./offline.js')
  return openOffline(open.home, open.config, open.passphrase)
}

/** The same, to look at accounts alone: a closed store is then opened with little around it. @throws what `connect` throws */
export async function connectToAccounts(options: ConnectOptions): Promise<AccountsClient> {
  const open = await opened(options)
  if ('call' in open) return open
  const { openClosedAccounts } = await import('./closedAccounts.js')
  return openClosedAccounts(open.home, open.config, open.passphrase)
}

/** A closed store that is to be opened. */
interface Closed {
  home: string
  config: Config
  passphrase: Opening['passphrase']
}

/** The door of a node that runs, here or elsewhere, else what to open. */
async function opened({ paths, remote, env, out, terminal, offline, timeoutMs }: ConnectOptions): Promise<NodeClient | Closed> {
  if (remote !== undefined) {
    const { openRemote } = await import('./remote.js')
    return openRemote(remote, timeoutMs)
  }
  assertHomeOpen(paths.home)
  const running = await runningNode(paths, timeoutMs)
  if (running !== undefined) return running
  if (!offline) {
    throw new CommandError(`No node runs for ${paths.home}.`, { exit: 7, hint: `Start it: ${commandFor(paths, env, 'start')}` })
  }
  if (!existsSync(paths.store)) {
    throw noStore(paths.home, { init: commandFor(paths, env, 'init'), repair: commandFor(paths, env, 'store', 'repair') })
  }
  out.note(`No node runs; opening the store ${paths.store}`)
  const { loadConfig } = await import('../../server/config/config.js')
  return { home: paths.home, config: loadConfig({ file: paths.config, env }), passphrase: keyPassphrase({ terminal, env }) }
}

/** The door of the node that runs for a home; undefined when none does. */
export async function runningNode(paths: Paths, timeoutMs?: number): Promise<NodeClient | undefined> {
  for (const socket of trustedSockets(paths)) {
    const { openSocket } = await import('./socket.js')
    const client = await openSocket(socket, timeoutMs)
    if (client !== undefined) return client
  }
  return undefined
}
