/** Runs systemctl. */
import { execFile, spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { CommandError } from '../../../framework/exit.js'
import type { Environment } from '../../../framework/paths.js'
import type { Scope } from './unit.js'

/** Timeout in milliseconds; starting may wait for a check of the store, see TimeoutStartSec of the unit. */
const TIMEOUT_MS = 660_000

interface ProgramResult {
  code: number
  out: string
  err: string
}

export interface Systemd {
  /** Path of the unit file. */
  file: string
  /**
   * Runs systemctl.
   * @throws CommandError with its output when it fails
   */
  control(...words: string[]): Promise<string>
  /** Resets the failure state and the start counter of the unit; no error for an unknown unit. */
  forget(): Promise<void>
  /** Returns properties of the unit, by their systemctl names. */
  properties(...names: string[]): Promise<Record<string, string>>
}

/**
 * Returns the systemd instance of a scope.
 * @throws CommandError 1 when there is none, with an alternative
 */
export async function systemdFor(scope: Scope, unit: string, env: Environment): Promise<Systemd> {
  const words = scope === 'user' ? ['--user'] : []
  // Checks that this systemd can be reached.
  const probe = await run('systemctl', [...words, 'show', '--property=Version'], env)
  if (probe.code !== 0) throw unavailable(scope, probe.err)
  const control = async (...options: string[]): Promise<string> => {
    const answer = await run('systemctl', [...words, ...options], env)
    if (answer.code === 0) return answer.out
    const isRefused = /interactive authentication|access denied|permission denied/i.test(answer.err)
    const flags = scope === 'user' ? '--user ' : ''
    throw new CommandError(`systemctl ${flags}${options.join(' ')} failed: ${answer.err.trim() || `exit ${answer.code}`}`, {
      exit: isRefused ? 4 : 1,
      hint: isRefused ? 'Run it as root, with sudo.' : `See: journalctl ${flags}--unit ${unit} --lines 50`,
    })
  }
  return {
    file: unitFile(scope, unit, env),
    control,
    forget: async () => void (await run('systemctl', [...words, 'reset-failed', unit], env)),
    properties: async (...names) => {
      const lines = (await control('show', unit, `--property=${names.join(',')}`)).split('\n')
      return Object.fromEntries(lines.flatMap((line) => (line.includes('=') ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [])))
    },
  }
}

/** Returns the path of a unit file. */
export function unitFile(scope: Scope, unit: string, env: Environment): string {
  if (scope === 'system') return join('/etc/systemd/system', unit)
  const configured = env['XDG_CONFIG_HOME']
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(env['HOME'] || homedir(), '.config')
  return join(base, 'systemd', 'user', unit)
}

/** Checks whether a program runs and exits with 0. */
export function runs(program: string, words: readonly string[], env: Environment): boolean {
  return spawnSync(program, words, { env: { ...env }, stdio: 'ignore' }).status === 0
}

/** Checks whether a program is in PATH. */
export function hasProgram(name: string, env: Environment): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })
}

function run(program: string, words: readonly string[], env: Environment): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(program, [...words], { env: { ...env }, timeout: TIMEOUT_MS }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127
      resolve({ code, out, err: err === '' && error !== null ? error.message : err })
    })
  })
}

function unavailable(scope: Scope, stderr: string): CommandError {
  const isOther = scope === 'user' ? ' Or install a system service: --system.' : ''
  return new CommandError(`systemd is not available: ${stderr.trim().split('\n')[0] ?? ''}`, {
    hint:
      `Run "coffer start" under another service manager: it stays in the foreground, ends on SIGTERM, and logs to stderr.${isOther}\n` +
      'To print the unit for another machine, pass --print.',
  })
}
