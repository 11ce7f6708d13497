/** Tests of the package: packs the project, installs it with an empty home and prefix, and runs it; skipped without a registry of npm. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtFiles } from './support/builtFiles.js'
import { afterTheFile, type Outcome } from './support/coffer.js'
import { installPackage, man, version, type Installed } from './support/installed.js'


const later = afterTheFile()
/** Undefined without a registry. */
let found: Installed | undefined
const isOffline = (): boolean => found === undefined
const its = (): Installed => found ?? expect.unreachable('the package is not installed')

/** Runs the installed program by its name, as a shell finds it. */
const coffer = (line: string, stdin?: string): Promise<Outcome> => its().run('coffer', line.split(' '), stdin === undefined ? {} : { stdin })

/** Starts the node with the installed program; returns its address. It is killed after the tests unless it has ended. */
async function start(program: string, ...words: string[]): Promise<{ url: string; stop(): Promise<number | null> }> {
  const child = spawn(program, [...words, 'start', '--port', '0', '--json'], { cwd: its().at('work'), env: its().env, detached: true })
  // npx starts processes of its own, which are in the same group.
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name)
  }
  later(() => signal('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  let output = ''
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('\n')) resolve(output.split('\n')[0] ?? '')
    })
    void ended.then(() => reject(new Error(`the node did not start: ${output}${errors}`)))
  })
  const { url } = JSON.parse(line) as { url: string }
  return {
    url,
    stop: () => {
      signal('SIGTERM')
      return ended
    },
  }
}

beforeAll(async () => {
  found = await installPackage(later)
}, 300_000)

describe('the installed package', () => {
  it('runs by its name, with help', async ({ skip }) => {
    skip(isOffline())
    expect(await coffer('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
    expect((await coffer('--help')).out).toContain('coffer users')
    expect((await coffer('help exit-codes')).code).toBe(0)
  })

  it('has the documents, the changelog and the licences, but no sources or tests', ({ skip }) => {
    skip(isOffline())
    const names = readdirSync(its().package)
    expect(names).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', 'docs', 'examples', 'man', 'bin', 'dist']))
    expect(names.filter((name) => ['src', 'test', 'scripts', 'build.js', 'Dockerfile'].includes(name))).toEqual([])
    expect(readFileSync(join(its().package, 'dist/LICENCES.txt'), 'utf8')).toContain('commander')
  })

  it('starts a node, creates an account and serves its calls', async ({ skip }) => {
    skip(isOffline())
    const { url, stop } = await start('coffer')
    const created = await coffer('users create ana-lovelace --email ana@example.org --password-stdin --json', 'correct horse battery')
    expect(created.code, created.err).toBe(0)
    const { username, password: token } = new URL((JSON.parse(created.out) as { apiEndpoint: string }).apiEndpoint)
    const answer = await fetch(new URL('ana-lovelace/access-info', url), { headers: { authorization: username || token } })
    expect([answer.status, await answer.json()]).toMatchObject([200, { type: 'personal' }])
    expect(await stop()).toBe(0)
    expect((await coffer('users list --quiet')).out).toBe('ana-lovelace\n')
  })

  it('has manual pages that man finds', async ({ skip }) => {
    skip(isOffline())
    for (const name of man) {
      const file = name.replace('man/', '')
      expect(readlinkSync(its().at(`prefix/share/man/man${file.at(-1) ?? ''}`, file)), file).toContain(`coffer/man/${file}`)
    }
    if (spawnSync('man', ['--version']).error !== undefined) return
    const found = (await its().run('man', ['--where', 'coffer', 'coffer-users', 'coffer-api-events'])).out.trim().split('\n')
    expect(found.map((path) => path.slice(path.lastIndexOf('/') + 1))).toEqual(['coffer.1', 'coffer-users.1', 'coffer-api-events.7'])
    for (const path of found) expect(path).toContain(its().at(''))
  })

  it.each(['bash', 'zsh', 'fish'])('completes its commands in %s', async (shell) => {
    if (isOffline()) return
    const script = await coffer(`completion ${shell}`)
    expect(script).toMatchObject({ code: 0, err: '' })
    if (shell !== 'bash') return
    const words = `${script.out}\nCOMP_WORDS=(coffer users cre) COMP_CWORD=2 COMP_LINE='coffer users cre' COMP_POINT=16; $(complete -p coffer | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p'); echo "\${COMPREPLY[@]}"`
    expect((await its().run('bash', ['--norc', '-c', words])).out.trim()).toBe('create')
  })

  it('tells which version runs after another one was installed, and what changed', async ({ skip }) => {
    skip(isOffline())
    const { stop } = await start('coffer')
    const about = join(its().package, 'package.json')
    const [text, changelog] = [readFileSync(about, 'utf8'), readFileSync(join(its().package, 'CHANGELOG.md'), 'utf8')]
    writeFileSync(about, text.replace(`"version": "${version}"`, '"version": "99.0.0"'))
    writeFileSync(join(its().package, 'CHANGELOG.md'), changelog.replace('\n## ', '\n## 99.0.0 (2099-01-01)\n\n- Something new.\n\n## '))
    const { code, out } = await coffer('update')
    expect(code).toBe(0)
    expect(out).toContain(`Running    ${version}\nInstalled  99.0.0 in `)
    expect(out).toContain(`! The node runs ${version}, and 99.0.0 is installed: stop the node and start it again.\n`)
    expect(out).toContain('Changes in 99.0.0 (2099-01-01):\n  - Something new.\n')
    expect(out.match(/^Changes in/gm)).toHaveLength(1)
    writeFileSync(about, text)
    writeFileSync(join(its().package, 'CHANGELOG.md'), changelog)
    await stop()
  })

  it('names an npx command after a start by npx', { timeout: 300_000 }, async ({ skip }) => {
    skip(isOffline())
    const { url, stop } = await start('npx', its().tarball)
    expect((await fetch(new URL('service/info', url))).status).toBe(200)
    expect((await coffer('status --json')).code).toBe(0)
    await stop()
    const update = await its().run('npx', [its().tarball, 'update', '--json'])
    expect(JSON.parse(update.out)).toMatchObject({ means: 'npx', running: null, commands: [`npx ./coffer-<version>.tgz start`] })
  })

  // The last test, since it removes parts of the installation.
  it('runs without what few nodes need: keychains, ACME, DNS, screens, mail', async ({ skip }) => {
    skip(isOffline())
    expect(existsSync(join(its().package, 'node_modules/sharp'))).toBe(false)
    rmSync(join(its().package, 'node_modules/@napi-rs'), { recursive: true })
    const code = join(its().package, 'dist/cli')
    // Each is in a part of its own.
    const parts = ['acme-client', 'dns-packet', 'ink', 'react', 'nodemailer'].map((name) => [...builtFiles()].filter(([, { sources }]) => sources.some((source) => source.startsWith(`node_modules/${name}/`))))
    expect(parts.map((found) => found.length > 0)).not.toContain(false)
    for (const [name] of parts.flat()) rmSync(join(code, name), { force: true })
    const { url, stop } = await start('coffer')
    expect((await fetch(new URL('service/info', url))).status).toBe(200)
    expect((await coffer('users list --quiet')).out).toBe('ana-lovelace\n')
    expect((await coffer('status')).code).toBe(0)
    expect(await stop()).toBe(0)
  })
})
