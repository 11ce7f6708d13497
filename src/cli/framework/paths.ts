/** Where a node keeps its things: one folder, chosen by `--home`, `COFFER_HOME` or the platform's custom. */
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
  /** Where a node of this home listens for commands, mode 0600. */
  socket: string
  /** All places where such a node may listen: it may have been started in another environment. */
  socketCandidates: readonly string[]
  key: string
  log: string
}

/** Sockets have room for 104 to 108 bytes of path, by platform. */
const longestSocketPath = 100

/**
 * The places of a node. `--home` and `COFFER_HOME` may be relative to the working folder; without them the home is
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
  }
}

/** Where the nodes of other machines are listed. */
export const nodesFile = (env: Environment): string => join(platformFolder(env, 'XDG_CONFIG_HOME', ['.config']), 'nodes.json')

/**
 * A command that means the same node when it is pasted: `coffer start`, with `--home` and `--config` where a bare
 * command would take others.
 */
export function commandFor(paths: Paths, env: Environment, ...words: string[]): string {
  const home = pathsOf({ env }).home === paths.home ? [] : ['--home', paths.home]
  const config = paths.config === join(paths.home, 'config.toml') ? [] : ['--config', paths.config]
  return shellLine(['coffer', ...words, ...home, ...config])
}

function homeOf(options: string | undefined, env: Environment): string {
  const named = options ?? (env['COFFER_HOME'] === '' ? undefined : env['COFFER_HOME'])
  if (named !== undefined) return resolve(named)
  return defaultHome(env)
}

const defaultHome = (env: Environment): string => platformFolder(env, 'XDG_DATA_HOME', ['.local', 'share'])

/**
 * Where what a person's commands are at is kept, and where the node of the default home logs; others log in their home, so
 * that two never share a file.
 */
export const stateFolder = (env: Environment): string => platformFolder(env, 'XDG_STATE_HOME', ['.local', 'state'])

function platformFolder(env: Environment, name: string, below: readonly string[]): string {
  const named = env[name]
  const userHome = env['HOME'] === undefined || env['HOME'] === '' ? homedir() : env['HOME']
  return named !== undefined && isAbsolute(named) ? join(named, 'coffer') : join(userHome, ...below, 'coffer')
}

/** `node.sock` in the home; for a home with a long name, in short folders that are named by a digest of it. */
function socketPaths(home: string, env: Environment): string[] {
  const beside = join(home, 'node.sock')
  if (Buffer.byteLength(beside) <= longestSocketPath) return [beside]
  // Two spellings of one folder must meet at one socket.
  const real = existsSync(home) ? realpathSync(home) : home
  const name = `coffer-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`
  const runtime = env['XDG_RUNTIME_DIR']
  const bases = [...(runtime !== undefined && isAbsolute(runtime) ? [runtime] : []), tmpdir(), '/tmp']
  const short = bases.map((base) => join(base, name, 'node.sock'))
  return [...new Set(short)].filter((path) => Buffer.byteLength(path) <= longestSocketPath)
}
