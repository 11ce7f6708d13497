/** Tests of secrets: their input, and that no output, log or process list contains them. */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { coffer, errorOf, folder, json, start } from './support/coffer.js'
import type { Outcome } from './support/coffer.js'

const password = 'Tr0ub4dor & 3, größer'

describe('a password', () => {
  it.each([
    ['stdin', ['--password-stdin'], password],
    ['stdin with a line break', ['--password-stdin'], `${password}\n`],
    ['stdin with a Windows line break', ['--password-stdin'], `${password}\r\n`],
    ['a file', ['--password-file', 'pw.txt'], ''],
    ['a file URL', ['--password-file', 'file:pw.txt'], ''],
  ])('is read from %s unchanged', async (_, options, stdin) => {
    const cwd = folder()
    writeFileSync(join(cwd, 'pw.txt'), `${password}\n`)
    const account = ['--user', 'ana-lovelace', '--email', 'a@b.c', ...options]
    expect((await coffer(['init', '--home', 'h', ...account], { cwd, stdin })).code).toBe(0)
    const login = JSON.stringify({ username: 'ana-lovelace', password, appId: 'test-app' })
    const call = await coffer('api auth.login - --user ana-lovelace --home h', { cwd, stdin: login })
    // The app is not trusted; a wrong password would have been refused first.
    expect([call.code, call.err]).not.toContain('invalid-credentials')
    expect(call.err).not.toMatch(/password/i)
  })

  it('is refused as the value of an option', async () => {
    const home = join(folder(), 'h')
    await coffer(`init --home ${home} --no-input`)
    for (const option of [['--password', password], [`--password=${password}`], ['--password-stdin', password]]) {
      const line = ['users', 'create', 'ana-lovelace', '--email', 'a@b.c', '--home', home, ...option]
      const outcome = await coffer(line, { stdin: password })
      expect([outcome.code, outcome.out]).toEqual([2, ''])
    }
  })

  it.each([
    ['', 2],
    ['short', 1],
    ['x'.repeat(101), 1],
  ])('of an invalid form is refused without being printed', async (wrong, code) => {
    const home = join(folder(), 'h')
    const account = `--user ana-lovelace --email a@b.c --password-stdin`
    const outcome = await coffer(`init --home ${home} ${account} --json`, { stdin: wrong })
    expect([outcome.code, outcome.out]).toEqual([code, ''])
    expect(errorOf(outcome)['message']).toMatch(/[Pp]assword/)
    if (wrong !== '') expect(outcome.err).not.toContain(wrong)
  })
})

describe('a node from init to stop', () => {
  it('writes no passwords or tokens to output, log or command line', async () => {
    const home = join(folder(), 'home')
    const outcomes: Outcome[] = []
    const run = async (line: string, stdin = ''): Promise<Outcome> => {
      const outcome = await coffer(`${line} --home ${home}`, { stdin })
      outcomes.push(outcome)
      return outcome
    }
    const node = await start(home, { options: '--set logs.level=debug' })
    const created = await coffer(`users create ana-lovelace --email a@b.c --password-stdin --json --home ${home}`, { stdin: password })
    const token = new URL(String(json(created)['apiEndpoint'])).username
    expect(created.out.split(token)).toHaveLength(2)
    expect(created.err).toBe('')
    const adminKey = (await coffer(`config get auth.adminAccessKey --reveal --home ${home}`)).out.trim()
    for (const line of ['users list --json', 'users show ana-lovelace --json', 'users show ana-lovelace', 'status --json', 'config list', 'config list --json', 'config get auth.adminAccessKey']) {
      expect((await run(line)).code).toBe(0)
    }
    const wrong = `not ${password}`
    for (const [tried, origin] of [[password, 'http://localhost:1'], [wrong, 'http://localhost:1'], [password, 'http://evil.example']] as const) {
      await fetch(`${node.url}ana-lovelace/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ username: 'ana-lovelace', password: tried, appId: 'test-app' }),
      })
    }
    await fetch(`${node.url}ana-lovelace/events?auth=${token}`)
    await fetch(`${node.url}ana-lovelace/nowhere`, { headers: { authorization: token } })
    const commandLine = readFileSync(`/proc/${node.pid}/cmdline`, 'utf8') + readFileSync(`/proc/${node.pid}/environ`, 'utf8')
    outcomes.push(await node.stop())
    const log = readFileSync(join(home, 'node.log'), 'utf8')
    expect(log).toContain('login refused')
    const texts = [log, commandLine, ...outcomes.flatMap(({ out, err }) => [out, err])].join('\n')
    for (const secret of [password, wrong, token, adminKey]) expect(texts).not.toContain(secret)
  })

  it('stores them sealed or hashed, in a private folder', async () => {
    const home = join(folder(), 'home')
    const account = `--user ana-lovelace --email a@b.c --password-stdin --json`
    const created = await coffer(`init --home ${home} ${account}`, { stdin: password })
    const token = new URL(String(json(created)['apiEndpoint'])).username
    expect(statSync(home).mode & 0o777).toBe(0o700)
    for (const file of ['config.toml', 'node.key']) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600)
    for (const secret of [password, token]) {
      const found = execFileSync('sh', ['-c', 'grep -rlaF -- "$0" "$1" || true', secret, home]).toString()
      expect(found).toBe('')
    }
  })
})

describe('the operator key', () => {
  it('is shown only with --reveal, and refused as an argument', async () => {
    const home = join(folder(), 'home')
    await coffer(`init --home ${home} --no-input`)
    expect((await coffer(`config get auth.adminAccessKey --home ${home}`)).out).toBe('•••\n')
    const key = 'a new operator key'
    const argument = await coffer(['config', 'set', 'auth.adminAccessKey', key, '--home', home])
    expect(argument).toMatchObject({ code: 2, out: '', err: expect.not.stringContaining(key) })
    const set = await coffer(`config set auth.adminAccessKey --stdin --json --home ${home}`, { stdin: key })
    expect(json(set)).toMatchObject({ value: '•••', changed: true })
    expect((await coffer(`config get auth.adminAccessKey --reveal --home ${home}`)).out).toBe(`${key}\n`)
  })
})
