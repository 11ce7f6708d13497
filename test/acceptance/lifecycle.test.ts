/** Tests of the life cycle of a node by commands, with the exit code of every step. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { afterTheFile, coffer, errorOf, folder, json, start } from './support/coffer.js'
import type { Running } from './support/coffer.js'

const password = 'correct horse battery'
const account = 'users create ana-lovelace --email ana@example.org --password-stdin'

let home: string
let node: Running
const later = afterTheFile()
beforeAll(async () => {
  home = join(folder(later), 'home')
  expect((await coffer('init --no-input', { env: { COFFER_HOME: home } })).code).toBe(0)
  node = await start(home, {}, later)
  expect((await coffer(account, { env: { COFFER_HOME: home }, stdin: password })).code).toBe(0)
})

/** Runs a command for the node of these tests. */
const run = (line: string | readonly string[], stdin?: string): ReturnType<typeof coffer> =>
  coffer(line, { env: { COFFER_HOME: home }, ...(stdin === undefined ? {} : { stdin }) })

describe('stable output for scripts', () => {
  it('start prints the address, the process and the home in the first line', () => {
    expect(node.output().out).toBe(
      `{"event":"started","url":"${node.url}","pid":${node.child.pid},"home":"${home}"}\n`,
    )
    expect(node.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  })

  it('status prints the state, the address and the version', async () => {
    const outcome = await run('status --json')
    expect(outcome.code).toBe(0)
    const status = json(outcome)
    expect(status).toMatchObject({ running: true, url: node.url, pid: node.pid, home, accounts: 1, peers: [] })
    expect(Object.keys(status).slice(0, 5)).toEqual(['running', 'url', 'pid', 'home', 'version'])
    expect(status['version']).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('users create prints the user, and an endpoint with a valid token', async () => {
    const outcome = await run('users create ben-franklin --email ben@example.org --password-stdin --json', password)
    const { user, apiEndpoint } = json(outcome)
    expect(user).toMatchObject({ username: 'ben-franklin', email: 'ben@example.org', id: expect.stringMatching(/./) })
    const { username: token, host, pathname } = new URL(String(apiEndpoint))
    expect([host, pathname]).toEqual([new URL(node.url).host, '/ben-franklin/'])
    const answer = await fetch(`${node.url}ben-franklin/access-info`, { headers: { authorization: token } })
    expect(await answer.json()).toMatchObject({ type: 'personal', user: { username: 'ben-franklin' } })
    expect((await run('users delete ben-franklin --accept-risk=lose-data --json')).out).toBe(
      '{"userDeletion":{"username":"ben-franklin"}}\n',
    )
    const after = await fetch(`${node.url}ben-franklin/access-info`, { headers: { authorization: token } })
    expect(after.status).toBe(404)
  })

  it('users list prints one object for each account', async () => {
    const { users } = json(await run('users list --json')) as { users: unknown[] }
    expect(users).toMatchObject([{ username: 'ana-lovelace', email: 'ana@example.org', mfa: null }])
    expect(json(await run('users show ana-lovelace --json'))).toMatchObject({ user: { username: 'ana-lovelace' } })
  })

  it('api prints the result of a method, or its error with the exit code', async () => {
    const stream = ['api', 'streams.create', '{"id":"diary","name":"Tagebuch 日記 📔"}', '--user', 'ana-lovelace']
    expect(json(await run(stream))).toMatchObject({ stream: { id: 'diary', name: 'Tagebuch 日記 📔' } })
    const twice = await run([...stream, '--json'])
    expect(twice).toMatchObject({ code: 6, out: '' })
    expect(errorOf(twice)).toMatchObject({ id: 'item-already-exists' })
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'größer 🐘\u0000\n"x"' }
    const created = await run('api events.create - --user ana-lovelace', JSON.stringify(event))
    expect(json(created)).toMatchObject({ event })
    const { events } = json(await run(['api', 'events.get', '{"streams":["diary"]}', '--user', 'ana-lovelace']))
    expect(events).toMatchObject([event])
  })
})

describe('without a running node', () => {
  it('commands open the closed store, and report that', async () => {
    const newHome = join(folder(), 'home')
    const here = { env: { COFFER_HOME: newHome } }
    expect(await coffer('status --json', here)).toMatchObject({ code: 7, err: '' })
    const created = await coffer('init --json', here)
    expect(json(created)).toEqual({
      event: 'initialised',
      home: newHome,
      config: join(newHome, 'config.toml'),
      store: join(newHome, 'store'),
    })
    expect(await coffer(account, { ...here, stdin: `${password}\n` })).toMatchObject({ code: 0 })
    const listed = await coffer('users list', here)
    expect(listed.out).toMatch(/^ana-lovelace\tana@example\.org\t/)
    expect(listed.err).toContain(`No node is running; opening the store ${join(newHome, 'store')}`)
    const status = await coffer('status --json', here)
    expect(status.code).toBe(7)
    expect(json(status)).toMatchObject({ running: false, home: newHome })
    expect(await coffer('stop', here)).toMatchObject({ code: 7, err: expect.stringContaining('coffer start') })
  })

  it('start creates a node when there is none', async () => {
    const newHome = join(folder(), 'new')
    const created = await start(newHome)
    expect(existsSync(join(newHome, 'store'))).toBe(true)
    expect(await created.stop()).toMatchObject({ code: 0, err: '' })
  })

  it('a node stopped by the command exits 0, and its changes are persisted', async () => {
    const newHome = join(folder(), 'home')
    const run = { env: { COFFER_HOME: newHome } }
    const first = await start(newHome)
    await coffer(account, { ...run, stdin: password })
    const stopped = await coffer('stop --json', run)
    expect(json(stopped)).toEqual({ event: 'stopped', pid: first.pid })
    expect(await first.ended).toMatchObject({ code: 0, out: expect.stringMatching(/\n\{"event":"stopped"\}\n$/) })
    expect((await coffer('users list -q', run)).out).toBe('ana-lovelace\n')
    const log = readFileSync(join(newHome, 'node.log'), 'utf8').trimEnd().split('\n')
    expect(log.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'node started',
      'node stopped',
    ])
  })
})

describe('start --detach', () => {
  it('returns when the node answers, or reports why it does not', async () => {
    const newHome = join(folder(), 'home')
    const run = { env: { COFFER_HOME: newHome } }
    const started = json(await coffer('start --detach --port 0 --set service.name=Apart --json', run))
    expect(started).toMatchObject({ event: 'started', home: newHome })
    onTestFinished(() => {
      try {
        process.kill(Number(started['pid']), 'SIGKILL')
      } catch {
        // The node is already stopped.
      }
    })
    expect(await (await fetch(`${String(started['url'])}service/info`)).json()).toMatchObject({ name: 'Apart' })
    expect(await coffer('start --detach --port 0', run)).toMatchObject({ code: 11, out: '', err: expect.stringContaining(`Process ${String(started['pid'])} holds`) as string })
    expect(json(await coffer('stop --json', run))).toEqual({ event: 'stopped', pid: started['pid'] })
  })
})

describe('start --open --behind-proxy', () => {
  it('opens the page of the only account in the browser, at the address of the proxy', async () => {
    const at = folder()
    const [newHome, record] = [join(at, 'home'), join(at, 'opened')]
    writeFileSync(join(at, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$@" > '${record}'\n`, { mode: 0o755 })
    const env = { COFFER_HOME: newHome, DISPLAY: ':7', PATH: `${at}:${String(process.env['PATH'])}` }
    const created = ['init', '--name', 'at home', '--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin', '--no-input']
    expect(await coffer(created, { env, stdin: password })).toMatchObject({ code: 0 })
    const started = await coffer('start --detach --open --port 0 --behind-proxy https://node.example.org', { env })
    expect(started).toMatchObject({ code: 0, err: expect.stringContaining('Opened the page of ana-lovelace in the browser') as string })
    const opened = readFileSync(record, 'utf8')
    expect(opened).toMatch(/^https:\/\/node\.example\.org\/web\/open\?code=[\w-]{43}$/)
    expect(started.out + started.err).not.toContain('code=')
    expect((await coffer('config get sync.name', { env })).out).toBe('at home\n')
    expect(await coffer('stop', { env })).toMatchObject({ code: 0 })
  })
})

describe('restart', () => {
  it('restarts the node in the same process with the current settings, or leaves it running when they are invalid', async () => {
    const newHome = join(folder(), 'home')
    const run = { env: { COFFER_HOME: newHome } }
    const first = await start(newHome)
    await coffer('config set service.name Elsewhere', run)
    const again = json(await coffer('restart --json', run))
    // A port chosen by the system is kept.
    expect(again).toMatchObject({ event: 'restarted', pid: first.pid, url: first.url })
    const info = (await (await fetch(`${String(again['url'])}service/info`)).json()) as { name: string }
    expect(info.name).toBe('Elsewhere')
    appendFileSync(join(newHome, 'config.toml'), 'nonsense = 1\n')
    expect(await coffer('restart', run)).toMatchObject({ code: 1, err: expect.stringContaining('nonsense') })
    expect((await fetch(`${String(again['url'])}service/info`)).status).toBe(200)
    const ended = await first.stop()
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.out.trimEnd().split('\n').map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['started', 'started', 'stopped'])
    expect(await coffer('restart', run)).toMatchObject({ code: 1 })
  })
})

describe('init', () => {
  it('accepts every answer as an option', async () => {
    const newHome = join(folder(), 'home')
    const created = await coffer(
      ['init', '--home', newHome, '--port', '8123', '--host', '0.0.0.0', '--public-url', 'https://node.example.org'].concat(
        ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin', '--json', '--no-input'],
      ),
      { stdin: password },
    )
    expect(created).toMatchObject({ code: 0, err: '' })
    expect(json(created)).toMatchObject({ event: 'initialised', home: newHome, user: { username: 'ana-lovelace' } })
    expect(json(created)['apiEndpoint']).toMatch(/^https:\/\/\w+@node\.example\.org\/ana-lovelace\/$/)
    const origins = await coffer(`config list --origin --home ${newHome}`)
    for (const setting of ['http.port\t8123', 'http.ip\t0.0.0.0', 'dnsLess.publicUrl\thttps://node.example.org']) {
      expect(origins.out).toMatch(new RegExp(`^${setting}\\t.*/config\\.toml:\\d+$`, 'm'))
    }
  })

  it('addresses accounts by host name with --domain', async () => {
    const newHome = join(folder(), 'home')
    const created = await coffer(
      `init --home ${newHome} --domain example.org --user ana-lovelace --email a@b.c --password-stdin --json`,
      { stdin: password },
    )
    expect(json(created)['apiEndpoint']).toMatch(/^https:\/\/\w+@ana-lovelace\.example\.org\/$/)
    expect((await coffer(`config get dnsLess.isActive --home ${newHome}`)).out).toBe('false\n')
  })

  it.each([
    ['--port 70000', 2],
    ['--host example.org', 2],
    ['--public-url ftp://x', 2],
    ['--domain Not_One', 2],
    ['--email a@b.c', 2],
    ['--user ana-lovelace --email a@b.c', 2],
    ['--user ana --email a@b.c --password-stdin', 1],
    ['--user coffer-shop --email a@b.c --password-stdin', 6],
    ['--user ana-lovelace --email a@b.c --password-file /nowhere/at/all', 2],
  ])('creates nothing for %s, and exits %i', async (options, code) => {
    const newHome = join(folder(), 'home')
    const outcome = await coffer(`init --home ${newHome} ${options}`, { stdin: password })
    expect(outcome).toMatchObject({ code, out: '' })
    expect(existsSync(newHome)).toBe(false)
  })
})
