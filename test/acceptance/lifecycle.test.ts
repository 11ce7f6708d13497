/** A node from its making to its end, as a person types it, with the exit code of every step. */
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

/** Runs a command of the node of these tests. */
const run = (line: string | readonly string[], stdin?: string): ReturnType<typeof coffer> =>
  coffer(line, { env: { COFFER_HOME: home }, ...(stdin === undefined ? {} : { stdin }) })

describe('the fixed points for scripts', () => {
  it('start: the first line names the address, the process and the home', () => {
    expect(node.told().out).toBe(
      `{"event":"started","url":"${node.url}","pid":${node.child.pid},"home":"${home}"}\n`,
    )
    expect(node.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  })

  it('status: what runs, where, and how it is', async () => {
    const outcome = await run('status --json')
    expect(outcome.code).toBe(0)
    const status = json(outcome)
    expect(status).toMatchObject({ running: true, url: node.url, pid: node.pid, home, accounts: 1, peers: [] })
    expect(Object.keys(status).slice(0, 5)).toEqual(['running', 'url', 'pid', 'home', 'version'])
    expect(status['version']).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('users create: the user, and an endpoint whose token works', async () => {
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

  it('users list: one object for each account', async () => {
    const { users } = json(await run('users list --json')) as { users: unknown[] }
    expect(users).toMatchObject([{ username: 'ana-lovelace', email: 'ana@example.org', mfa: null }])
    expect(json(await run('users show ana-lovelace --json'))).toMatchObject({ user: { username: 'ana-lovelace' } })
  })

  it('api: the result of a method, or its error with the exit code', async () => {
    const stream = ['api', 'streams.create', '{"id":"diary","name":"Tagebuch 日記 📔"}', '--user', 'ana-lovelace']
    expect(json(await run(stream))).toMatchObject({ stream: { id: 'diary', name: 'Tagebuch 日記 📔' } })
    const twice = await run([...stream, '--json'])
    expect(twice).toMatchObject({ code: 6, out: '' })
    expect(errorOf(twice)).toMatchObject({ id: 'item-already-exists' })
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'größer 🐘\u0000\n"x"' }
    const made = await run('api events.create - --user ana-lovelace', JSON.stringify(event))
    expect(json(made)).toMatchObject({ event })
    const { events } = json(await run(['api', 'events.get', '{"streams":["diary"]}', '--user', 'ana-lovelace']))
    expect(events).toMatchObject([event])
  })
})

describe('without a node', () => {
  it('commands open the closed store, and say so', async () => {
    const there = join(folder(), 'home')
    const here = { env: { COFFER_HOME: there } }
    expect(await coffer('status --json', here)).toMatchObject({ code: 7, err: '' })
    const made = await coffer('init --json', here)
    expect(json(made)).toEqual({
      event: 'initialised',
      home: there,
      config: join(there, 'config.toml'),
      store: join(there, 'store'),
    })
    expect(await coffer(account, { ...here, stdin: `${password}\n` })).toMatchObject({ code: 0 })
    const listed = await coffer('users list', here)
    expect(listed.out).toMatch(/^ana-lovelace\tana@example\.org\t/)
    expect(listed.err).toContain(`No node is running; opening the store ${join(there, 'store')}`)
    const status = await coffer('status --json', here)
    expect(status.code).toBe(7)
    expect(json(status)).toMatchObject({ running: false, home: there })
    expect(await coffer('stop', here)).toMatchObject({ code: 7, err: expect.stringContaining('coffer start') })
  })

  it('start makes one where there is none', async () => {
    const there = join(folder(), 'new')
    const made = await start(there)
    expect(existsSync(join(there, 'store'))).toBe(true)
    expect(await made.stop()).toMatchObject({ code: 0, err: '' })
  })

  it('stop by command ends it with 0, and its changes stay', async () => {
    const there = join(folder(), 'home')
    const run = { env: { COFFER_HOME: there } }
    const first = await start(there)
    await coffer(account, { ...run, stdin: password })
    const stopped = await coffer('stop --json', run)
    expect(json(stopped)).toEqual({ event: 'stopped', pid: first.pid })
    expect(await first.ended).toMatchObject({ code: 0, out: expect.stringMatching(/\n\{"event":"stopped"\}\n$/) })
    expect((await coffer('users list -q', run)).out).toBe('ana-lovelace\n')
    const log = readFileSync(join(there, 'node.log'), 'utf8').trimEnd().split('\n')
    expect(log.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'node started',
      'node stopped',
    ])
  })
})

describe('start --detach', () => {
  it('returns when the node answers, and says why it does not', async () => {
    const there = join(folder(), 'home')
    const run = { env: { COFFER_HOME: there } }
    const started = json(await coffer('start --detach --port 0 --set service.name=Apart --json', run))
    expect(started).toMatchObject({ event: 'started', home: there })
    onTestFinished(() => {
      try {
        process.kill(Number(started['pid']), 'SIGKILL')
      } catch {
        // It has been stopped.
      }
    })
    expect(await (await fetch(`${String(started['url'])}service/info`)).json()).toMatchObject({ name: 'Apart' })
    expect(await coffer('start --detach --port 0', run)).toMatchObject({ code: 11, out: '', err: expect.stringContaining(`Process ${String(started['pid'])} holds`) as string })
    expect(json(await coffer('stop --json', run))).toEqual({ event: 'stopped', pid: started['pid'] })
  })
})

describe('start --open --behind-proxy', () => {
  it('shows the only account in the browser, at the address of the proxy', async () => {
    const at = folder()
    const [there, noted] = [join(at, 'home'), join(at, 'opened')]
    writeFileSync(join(at, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$@" > '${noted}'\n`, { mode: 0o755 })
    const env = { COFFER_HOME: there, DISPLAY: ':7', PATH: `${at}:${String(process.env['PATH'])}` }
    const made = ['init', '--name', 'at home', '--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin', '--no-input']
    expect(await coffer(made, { env, stdin: password })).toMatchObject({ code: 0 })
    const started = await coffer('start --detach --open --port 0 --behind-proxy https://node.example.org', { env })
    expect(started).toMatchObject({ code: 0, err: expect.stringContaining('Opened the page of ana-lovelace in the browser') as string })
    const opened = readFileSync(noted, 'utf8')
    expect(opened).toMatch(/^https:\/\/node\.example\.org\/web\/open\?code=[\w-]{43}$/)
    expect(started.out + started.err).not.toContain('code=')
    expect((await coffer('config get sync.name', { env })).out).toBe('at home\n')
    expect(await coffer('stop', { env })).toMatchObject({ code: 0 })
  })
})

describe('restart', () => {
  it('opens the node again in the same process, with the settings as they are now; a mistake in them stops nothing', async () => {
    const there = join(folder(), 'home')
    const run = { env: { COFFER_HOME: there } }
    const first = await start(there)
    await coffer('config set service.name Elsewhere', run)
    const again = json(await coffer('restart --json', run))
    // Also a port that the system chose stays what it is.
    expect(again).toMatchObject({ event: 'restarted', pid: first.pid, url: first.url })
    const info = (await (await fetch(`${String(again['url'])}service/info`)).json()) as { name: string }
    expect(info.name).toBe('Elsewhere')
    appendFileSync(join(there, 'config.toml'), 'nonsense = 1\n')
    expect(await coffer('restart', run)).toMatchObject({ code: 1, err: expect.stringContaining('nonsense') })
    expect((await fetch(`${String(again['url'])}service/info`)).status).toBe(200)
    const ended = await first.stop()
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.out.trimEnd().split('\n').map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['started', 'started', 'stopped'])
    expect(await coffer('restart', run)).toMatchObject({ code: 1 })
  })
})

describe('init', () => {
  it('takes every answer as an option', async () => {
    const there = join(folder(), 'home')
    const made = await coffer(
      ['init', '--home', there, '--port', '8123', '--host', '0.0.0.0', '--public-url', 'https://node.example.org'].concat(
        ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin', '--json', '--no-input'],
      ),
      { stdin: password },
    )
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(json(made)).toMatchObject({ event: 'initialised', home: there, user: { username: 'ana-lovelace' } })
    expect(json(made)['apiEndpoint']).toMatch(/^https:\/\/\w+@node\.example\.org\/ana-lovelace\/$/)
    const origins = await coffer(`config list --origin --home ${there}`)
    for (const said of ['http.port\t8123', 'http.ip\t0.0.0.0', 'dnsLess.publicUrl\thttps://node.example.org']) {
      expect(origins.out).toMatch(new RegExp(`^${said}\\t.*/config\\.toml:\\d+$`, 'm'))
    }
  })

  it('addresses accounts by host name with --domain', async () => {
    const there = join(folder(), 'home')
    const made = await coffer(
      `init --home ${there} --domain example.org --user ana-lovelace --email a@b.c --password-stdin --json`,
      { stdin: password },
    )
    expect(json(made)['apiEndpoint']).toMatch(/^https:\/\/\w+@ana-lovelace\.example\.org\/$/)
    expect((await coffer(`config get dnsLess.isActive --home ${there}`)).out).toBe('false\n')
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
  ])('makes nothing for %s, exit %i', async (options, code) => {
    const there = join(folder(), 'home')
    const outcome = await coffer(`init --home ${there} ${options}`, { stdin: password })
    expect(outcome).toMatchObject({ code, out: '' })
    expect(existsSync(there)).toBe(false)
  })
})
