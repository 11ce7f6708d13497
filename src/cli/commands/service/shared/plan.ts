/** Builds the systemd unit from command options and settings. */
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../../../server/config/config.js'
import { redirectPortOf } from '../../../../server/config/tlsConfig.js'
import type { Context } from '../../../command.js'
import { usageError } from '../../../framework/exit.js'
import { machineAccount, type MachineAccount } from '../../../client/machineAccount.js'
import { logPath } from '../../../client/nodeLog.js'
import { flag, text } from '../../../framework/option.js'
import { pathsOf } from '../../../framework/paths.js'
import type { Environment } from '../../../framework/paths.js'
import { hasProgram, runs } from './systemd.js'
import type { Scope, Unit } from './unit.js'

/** Options that select a service. */
export const whichService = {
  user: flag('Service of the current user, run by the systemd user instance (default, except for root)'),
  system: flag('System service (default for root)'),
  unit: text('Name of the unit, for machines with several nodes (default: coffer)', { placeholder: 'name' }),
}

export interface Which {
  scope: Scope
  /** File name: `coffer.service`. */
  unit: string
}

/**
 * Returns the selected service.
 * @throws CommandError 2
 */
export function whichOf(options: { user: boolean; system: boolean; unit?: string | undefined }): Which {
  if (options.user && options.system) throw usageError('--user and --system exclude each other')
  const name = options.unit ?? 'coffer'
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(name)) {
    throw usageError(`--unit takes letters, digits, dots, dashes and underscores, not ${JSON.stringify(name)}`)
  }
  const scope = options.system || (!options.user && process.geteuid?.() === 0) ? 'system' : 'user'
  return { scope, unit: name.endsWith('.service') ? name : `${name}.service` }
}

/** Returns a command line about the same service. */
export function serviceCommand({ commandFor }: Pick<Context, 'commandFor'>, verb: 'install' | 'status', { scope, unit }: Which): string {
  const named = unit === 'coffer.service' ? [] : ['--unit', unit.replace(/\.service$/, '')]
  return commandFor('service', verb, `--${scope}`, ...named)
}

interface UnitOptions {
  /** Account of a system unit; the owner of the home by default. */
  runAs?: string | undefined
  /** File with the passphrase of the node key. */
  passphraseFile?: string | undefined
}

/**
 * Returns the unit for the node of the command's home.
 * @throws CommandError 2 when the account is unknown, or is root without being named
 */
export function unitFor(context: Context, scope: Scope, config: Config, { runAs, passphraseFile }: UnitOptions): Unit {
  const { paths, env } = context
  if (scope === 'user' && runAs !== undefined) throw usageError('--run-as requires --system: a user service runs as its own user')
  const account = scope === 'user' ? undefined : accountFor(paths.home, runAs, env)
  const nodeEnv = account === undefined ? env : { PATH: env['PATH'], HOME: account.home }
  const places = pathsOf({ env: nodeEnv, home: paths.home, config: paths.config })
  const script = process.argv[1]
  if (script === undefined) throw usageError('The path of this program is unknown')
  const socketFolder = dirname(places.socket)
  const isSocketOutside = socketFolder !== places.home
  const backups = config.get('backup.to')
  const writes = [
    places.home,
    dirname(logPath(places.log, config)),
    ...(isSocketOutside ? [dirname(socketFolder)] : []),
    ...(backups === null ? [] : [backups]),
  ]
  const configWords = paths.config === pathsOf({ env, home: paths.home }).config ? [] : ['--config', paths.config]
  const command = [process.execPath, script, 'start', '--home', paths.home, ...configWords, ...(passphraseFile === undefined ? [] : ['--passphrase-file', resolve(passphraseFile)])]
  const invalid = [...command, ...writes].find((word) => /\p{Cc}/u.test(word))
  if (invalid !== undefined) throw usageError(`A systemd unit cannot contain control characters: ${JSON.stringify(invalid)}`)
  const ports = [config.get('http.port'), redirectPortOf(config) ?? 0, config.get('dns.active') ? config.get('dns.port') : 0]
  const certificate = [config.get('http.ssl.certFile'), config.get('http.ssl.keyFile')].filter((path) => path !== null)
  const needed = [...command, ...writes, ...certificate, paths.config]
  return {
    scope,
    home: paths.home,
    command,
    writes: writes.filter((path, at) => !writes.some((other, place) => (place < at && other === path) || path.startsWith(`${other}/`))),
    environment: scope === 'user' ? placeVariables(env) : {},
    ...(account === undefined ? {} : { runAs: account.name }),
    notifies: hasProgram('systemd-notify', env),
    bindsLowPort: ports.some((port) => port > 0 && port < 1024),
    needsHomes: needed.some((path) => /^\/(home|root|run\/user)\//.test(path)),
    needsTmp: isSocketOutside || needed.some((path) => /^\/(var\/)?tmp\//.test(path)),
    separatesUsers: scope === 'user' && runs('unshare', ['--user', 'true'], env),
  }
}

/** Variables that determine the log folder of the node; they must match those of `coffer logs`. */
function placeVariables(env: Environment): Record<string, string> {
  const names = ['XDG_DATA_HOME', 'XDG_STATE_HOME']
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

function accountFor(home: string, runAs: string | undefined, env: Environment): MachineAccount {
  const owner = existsSync(home) ? machineAccount(statSync(home).uid, env)?.name : env['SUDO_USER']
  const name = runAs ?? owner
  if (name === undefined || (runAs === undefined && name === 'root')) {
    throw usageError(
      '--run-as <account> is missing: a system service should not run as root',
      'Create an account for it: useradd --system --create-home --home-dir /var/lib/coffer --shell /usr/sbin/nologin coffer\n' +
        'Then: coffer service install --system --run-as coffer --home /var/lib/coffer',
    )
  }
  const account = machineAccount(name, env)
  if (account === undefined) throw usageError(`This machine has no account ${JSON.stringify(name)}`)
  return account
}
