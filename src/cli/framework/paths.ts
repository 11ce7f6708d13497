/** Paths of a node: one home folder, set by `--home`, `COFFER_HOME` or the platform's default. */
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { shellLine } from './shell.js'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Paths {
  home: string
  /** `config.toml`, or the file of `--config`. */
  config: string
  store: string
  files: string
  /** Control socket of the node of this home, mode 0600. */
  socket: string
  /** All possible control sockets: the node may have been started with another environment. */
  socketCandidates: readonly string[]
  key: string
  log: string
  /** Default account of commands, set by `coffer users use`. */
  defaultAccount: string
}

/** Platforms limit socket paths to 104 to 108 bytes. */
const MAX_SOCKET_PATH_BYTES = 100

/**
 * Returns the paths of a node. `--home` and `COFFER_HOME` may be relative to the working folder; the default home is
 * `$XDG_DATA_HOME/coffer`, or `~/.local/share/coffer`.
 */
export function pathsOf(given: { home?: string; config?: string; env: Environment }): Paths {
  const { env } = given
  const home = homeOf(given.home, env)
  const socketCandidates = socketPaths(home, env)
  return {
    home,
    config: given.config === undefined ? join(home, 'config.toml') : resolve(given.config),
    store: join(home, 'store'),
    files: join(home, 'files'),
    socket: socketCandidates[0] ?? join(home, 'node.sock'),
    socketCandidates,
    key: join(home, 'node.key'),
    log: join(home === defaultHome(env) ? stateFolder(env) : home, 'node.log'),
    defaultAccount: join(home, 'default-account'),
  }
}

/** Returns the path of the list of remote nodes. */
export const nodesFile = (env: Environment): string => join(platformFolder(env, 'XDG_CONFIG_HOME', ['.config']), 'nodes.json')

/**
 * Returns a command line for the same node, ready to paste: `coffer start`, with `--home` and `--config` if a bare
 * command would select others.
 */
export function commandFor(paths: Paths, env: Environment, ...words: string[]): string {
  const home = pathsOf({ env }).home === paths.home ? [] : ['--home', paths.home]
  const config = paths.config === join(paths.home, 'config.toml') ? [] : ['--config', paths.config]
  return shellLine(['coffer', ...words, ...home, ...config])
}

function homeOf(given: string | undefined, env: Environment): string {
  const named = given ?? (env['COFFER_HOME'] === '' ? undefined : env['COFFER_HOME'])
  if (named !== undefined) return resolve(named)
  return defaultHome(env)
}

const defaultHome = (env: Environment): string => platformFolder(env, 'XDG_DATA_HOME', ['.local', 'share'])

/**
 * Returns the folder for the state of commands, and for the log of the default home; other nodes log in their home, so
 * that two never share a file.
 */
export const stateFolder = (env: Environment): string => platformFolder(env, 'XDG_STATE_HOME', ['.local', 'state'])

function platformFolder(env: Environment, name: string, below: readonly string[]): string {
  const named = env[name]
  const userHome = env['HOME'] === undefined || env['HOME'] === '' ? homedir() : env['HOME']
  return named !== undefined && isAbsolute(named) ? join(named, 'coffer') : join(userHome, ...below, 'coffer')
}

/** Returns `node.sock` in the home; for long paths, in short folders named by a digest of the home. */
function socketPaths(home: string, env: Environment): string[] {
  const beside = join(home, 'node.sock')
  if (Buffer.byteLength(beside) <= MAX_SOCKET_PATH_BYTES) return [beside]
  // Different paths to one folder must lead to the same socket.
  const real = existsSync(home) ? realpathSync(home) : home
  const name = `coffer-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`
  const runtime = env['XDG_RUNTIME_DIR']
  const bases = [...(runtime !== undefined && isAbsolute(runtime) ? [runtime] : []), tmpdir(), '/tmp']
  const short = bases.map((base) => join(base, name, 'node.sock'))
  return [...new Set(short)].filter((path) => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES)
}
