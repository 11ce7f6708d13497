/** The packed project, installed with an empty home and prefix. */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { folder, type CleanUp, type Outcome } from './coffer.js'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const { version, man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string; man: string[] }
/** Codes of npm for a registry that cannot be reached. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/

export interface Installed {
  /** Path of a file in the temporary folder: `home`, `work` (with the packed file), `prefix`. */
  at(...names: string[]): string
  /** Name of the packed file in `work`, with `./`. */
  tarball: string
  /** Folder of the installed package. */
  package: string
  /** Environment with the empty home, and the installed program in PATH. */
  env: Record<string, string>
  /** Runs a program with that environment, by default in `work`. */
  run(program: string, words: readonly string[], options?: { stdin?: string; cwd?: string }): Promise<Outcome>
}

/**
 * Packs the project and installs the packed file. Downloads come from the cache of npm where it has them, else from the registry
 * that npm is configured for; undefined, with a warning, if it cannot be reached. `later` removes it.
 */
export async function installPackage(later: CleanUp): Promise<Installed | undefined> {
  const place = folder(later)
  const at = (...names: string[]): string => join(place, ...names)
  for (const name of ['home', 'work', 'prefix', 'cache']) mkdirSync(at(name))
  const setting = (name: string): string => spawnSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).stdout.trim()
  // A cache of its own, with the downloads of the machine's.
  const machine = setting('cache')
  if (existsSync(join(machine, '_cacache'))) symlinkSync(join(machine, '_cacache'), at('cache/_cacache'))
  const [registry, cafile] = [setting('registry'), setting('cafile')]
  const npm = { cache: at('cache'), prefer_offline: 'true', registry, update_notifier: 'false', audit: 'false', fund: 'false', yes: 'true', fetch_retries: '0', ...(cafile === 'null' ? {} : { cafile }) }
  // A network with a certificate authority of its own needs it here too.
  const authorities = process.env['NODE_EXTRA_CA_CERTS']
  const env = {
    ...Object.fromEntries(Object.entries(npm).map(([name, value]) => [`npm_config_${name}`, value])),
    PATH: `${at('prefix/bin')}:${process.env['PATH'] ?? ''}`,
    HOME: at('home'),
    LANG: 'C.UTF-8',
    ...(authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }),
  }
  const run: Installed['run'] = (program, words, { stdin = '', cwd = at('work') } = {}) =>
    new Promise((resolve) => {
      const child = execFile(program, words, { cwd, env, maxBuffer: 64e6 }, (error, out, err) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : (error.signal ?? null), out, err: err || (error?.message ?? '') }),
      )
      child.stdin?.end(stdin)
    })
  // The build exists; packing would replace it below the other tests.
  const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', at('work')], { cwd: root })
  expect(packed).toMatchObject({ code: 0, out: `coffer-${version}.tgz\n` })
  const tarball = `./coffer-${version}.tgz`
  const { code, err } = await run('npm', ['install', '--global', '--prefix', at('prefix'), tarball])
  if (code !== 0 && UNREACHABLE.test(err)) {
    console.warn('The npm registry cannot be reached: the package is not tested.')
    return undefined
  }
  expect([code, err]).toEqual([0, expect.anything()])
  return { at, tarball, package: at('prefix/lib/node_modules/coffer'), env, run }
}
