/**
 * Connects a command to its node: over the socket when it is running, else by opening the closed store; remote nodes over HTTP.
 */
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
import { accountChoice } from './defaultAccount.js'
import { openUnlessInterrupted } from './interruption.js'
import { keyPassphrase } from './keyPassphrase.js'
import { noStore, assertHomeAccessible } from './homeChecks.js'
import { runningNode } from './runningNode.js'

export interface ConnectOptions {
  paths: Paths
  /** Remote node to use instead of that of `paths`. */
  remote?: NamedNode
  env: Environment
  out: Output
  /** Terminal for the prompt of the node key's passphrase. */
  terminal: Terminal
  /** True when the command works on a closed store. */
  offline: boolean
  timeoutMs?: number
}

/**
 * Connects to the node of `paths.home`. Prints on stderr which closed store it opens, so that users notice a wrong one.
 * @throws CommandError 4 when the home is not accessible, 7 when a running node is required, 10 without a store, 11 when
 * another process has locked it, 130 on Ctrl-C while a store is being opened
 */
export async function connect(options: ConnectOptions): Promise<NodeClient> {
  const open = await clientOrStore(options)
  if ('call' in open) return withChoice(open, options)
  const opening = async (): Promise<NodeClient> => {
    const [{ openOffline }, config] = await Promise.all([import('./offline.js'), configOf(options)])
    return openOffline(open.home, config, open.passphrase)
  }
  return withChoice(await openUnlessInterrupted(opening()), options)
}

/**
 * Connects only to read accounts: opens a closed store with few components.
 * @throws the same as `connect`
 */
export async function connectToAccounts(options: ConnectOptions): Promise<AccountsClient> {
  const open = await clientOrStore(options)
  if ('call' in open) return withChoice(open, options)
  const opening = async (): Promise<AccountsClient> => {
    const [{ openClosedAccounts }, config] = await Promise.all([import('./closedAccounts.js'), configOf(options)])
    return openClosedAccounts(open.home, config, open.passphrase)
  }
  return withChoice(await openUnlessInterrupted(opening()), options)
}

/** Adds the choice of the account for commands without `--user`. */
const withChoice = <C extends AccountsClient>(client: C, { paths, remote, env, out }: ConnectOptions): C => ({
  ...client,
  choice: accountChoice({ env, paths, remote }, out.note),
})

/** A closed store to open. */
interface ClosedStore {
  home: string
  passphrase: Opening['passphrase']
}

/** Returns the client of a running node, local or remote, else the store to open. */
async function clientOrStore({ paths, remote, env, out, terminal, offline, timeoutMs }: ConnectOptions): Promise<NodeClient | ClosedStore> {
  if (remote !== undefined) {
    const { openRemote } = await import('./remote.js')
    return openRemote(remote, timeoutMs)
  }
  assertHomeAccessible(paths.home)
  const running = await runningNode(paths, timeoutMs)
  if (running !== undefined) return running
  if (!offline) {
    throw new CommandError(`No node is running for ${paths.home}.`, { exit: 7, hint: `Start it: ${commandFor(paths, env, 'start')}` })
  }
  if (!existsSync(paths.store)) {
    throw noStore(paths.home, { init: commandFor(paths, env, 'init'), repair: commandFor(paths, env, 'store', 'repair') })
  }
  out.note(`No node is running; opening the store ${paths.store}`)
  return { home: paths.home, passphrase: keyPassphrase({ terminal, env }) }
}

async function configOf({ paths, env }: ConnectOptions): Promise<Config> {
  const { loadConfig } = await import('../../server/config/config.js')
  return loadConfig({ file: paths.config, env })
}
