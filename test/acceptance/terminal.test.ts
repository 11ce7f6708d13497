/** Tests of interactive commands on a real terminal. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testHome } from '../cli/support/closedHome.js'
import { startTestNode } from '../support/nodes/node.js'
import { afterTheFile, coffer, folder } from './support/coffer.js'
import { onTerminal } from './support/terminal.js'
import type { Session } from './support/terminal.js'

const password = 'correct horse battery'

/** Home with an account and without a running node. */
let home: string
const later = afterTheFile()
beforeAll(async () => {
  home = join(folder(later), 'home')
  const account = ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin']
  expect((await coffer(['init', '--home', home, ...account], { stdin: password })).code).toBe(0)
})

describe('the wizard of init', () => {
  /** Answers all questions up to the last step. */
  async function answerAll({ shows, type }: Session, there: string): Promise<void> {
    await shows('step 1 of 5')
    type(`\u0015${there}\r`)
    await shows('Who may connect')
    type('\r')
    await shows('Which port should')
    type('\u00158123\r')
    await shows('How do apps address')
    type('\r')
    await shows('step 3 of 5')
    type('\r')
    await shows('Username of the first account?')
    type('ana-lovelace\r')
    await shows('E-mail address of the account?')
    type('ana@example.org\r')
    await shows('Password of the account?')
    type(`${password}\r`)
    await shows('The password again?')
    type(`${password}\r`)
    await shows('Create the node?', 'with the account ana-lovelace')
  }

  it('creates the reviewed node at the last step', async () => {
    const there = join(folder(), 'home')
    const session = onTerminal('init')
    await answerAll(session, there)
    expect(existsSync(there)).toBe(false)
    session.type('\r')
    const { code, screen } = await session.ended
    expect(code).toBe(0)
    expect(screen).toContain('✔ Node created')
    expect(screen).not.toContain(password)
    const again = /Repeat without prompts: (coffer init [\s\S]*--no-input)/.exec(screen)?.[1]?.replace(/\s*\n\s*/g, '')
    expect(again).toContain(`--port 8123 --keep-key file --user ana-lovelace --email ana@example.org --password-stdin --no-input`)
    expect(again).toContain(`--home ${there}`)
    expect((await coffer(`config get http.port --home ${there}`)).out).toBe('8123\n')
    expect((await coffer(`users list -q --home ${there}`)).out).toBe('ana-lovelace\n')
  })

  it.each([
    ['q', 'Who may connect', 'q'],
    ['Ctrl-C', 'Create the node?', '\u0003'],
  ])('is quit by %s with 130, and writes nothing', async (_, at, key) => {
    const there = join(folder(), 'home')
    const session = onTerminal('init', { env: { COFFER_HOME: there } })
    if (at === 'Create the node?') await answerAll(session, there)
    else {
      await session.shows('step 1 of 5')
      session.type('\r')
      await session.shows(at)
    }
    session.type(key)
    expect(await session.ended).toMatchObject({ code: 130, screen: expect.stringContaining('nothing was created') })
    expect(existsSync(there)).toBe(false)
  })

  it.each([
    ['--no-input', {}],
    ['--json', {}],
    ['-q', {}],
    ['', { TERM: 'dumb' }],
    ['', { CI: 'true' }],
  ])('does not prompt with %s %j', async (flag, env) => {
    const there = join(folder(), 'home')
    const { code, screen } = await onTerminal(`init --home ${there} ${flag}`, { env }).ended
    expect(code).toBe(0)
    expect(screen).not.toContain('step 1')
    expect(existsSync(join(there, 'store'))).toBe(true)
  })

  it('skips questions that options answer', async () => {
    const there = join(folder(), 'home')
    const session = onTerminal(`init --home ${there} --port 8123 --host 127.0.0.1 --domain example.org`)
    await session.shows('step 3 of 5', 'https://{username}.example.org/')
    session.type('\u001b[A')
    await session.shows('❯ A passphrase')
    session.type('\r')
    await session.shows('Passphrase for the key')
    session.type(`${password}\r${password}\r`)
    await session.shows('step 4 of 5')
    session.type('\r')
    await session.shows('Create the node?')
    session.type('\r')
    const { code, screen } = await session.ended
    expect(code).toBe(0)
    expect(screen).not.toContain(password)
    expect(screen.replace(/\s+/g, ' ')).toContain('--keep-key passphrase --new-passphrase-file <file> --no-input')
    expect(readFileSync(join(there, 'node.key'), 'utf8')).toContain('"keptBy":"passphrase"')
    expect((await coffer(`config get dns.domain --home ${there}`)).out).toBe('example.org\n')
  })
})

describe('a prompt', () => {
  const create = 'users create ben-franklin --email ben@example.org'

  it('for a password does not echo it, and is repeated', async () => {
    const session = onTerminal(create, { env: { COFFER_HOME: home } })
    await session.shows('Password for ben-franklin: ')
    session.type(`${password}\r`)
    await session.shows('again: ')
    session.type(`${password}\r`)
    const { code, screen } = await session.ended
    expect(code).toBe(0)
    expect(screen).not.toContain(password)
    expect(screen).toMatch(/http:\/\/\w+@127\.0\.0\.1:3000\/ben-franklin\//)
    expect((await coffer(`users delete ben-franklin --accept-risk=lose-data --home ${home}`)).code).toBe(0)
  })

  it('exits 2 for different passwords in three attempts', async () => {
    const session = onTerminal(create, { env: { COFFER_HOME: home } })
    for (let attempt = 1; attempt <= 3; attempt++) {
      await session.shows('ben-franklin: ')
      session.type('one one one\r')
      await session.shows('again: ')
      session.type('two two two\r')
    }
    expect(await session.ended).toMatchObject({ code: 2, screen: expect.stringContaining('The two entries differ') })
  })

  it.each([
    [create, 'Password for ben-franklin: '],
    ['users delete ana-lovelace', 'Type ana-lovelace to confirm: '],
    ['config set auth.adminAccessKey', 'auth.adminAccessKey: '],
  ])('of coffer %s is cancelled by Ctrl-C with 130', async (line, prompt) => {
    const session = onTerminal(line, { env: { COFFER_HOME: home } })
    await session.shows(prompt)
    session.type('\u0003')
    expect(await session.ended).toMatchObject({ code: 130 })
    expect((await coffer(`users list -q --home ${home}`)).out).toBe('ana-lovelace\n')
  })

  it('before deletion accepts only the name', async () => {
    const wrong = onTerminal('users delete ana-lovelace', { env: { COFFER_HOME: home } })
    await wrong.shows('to confirm: ')
    wrong.type('ana\r')
    expect(await wrong.ended).toMatchObject({ code: 130 })
    expect((await coffer(`users list -q --home ${home}`)).out).toBe('ana-lovelace\n')
  })

  it('is not shown with --no-input', async () => {
    const { code, screen } = await onTerminal(`${create} --no-input`, { env: { COFFER_HOME: home } }).ended
    expect([code, screen]).toEqual([2, expect.stringContaining('--password-stdin is missing')])
  })
})

describe('two nodes', () => {
  it('are paired on two terminals, and watched on one', async () => {
    const [here, there] = [await testHome('ana-lovelace'), await testHome()]
    const nodes = [await startTestNode({ 'sync.name': 'laptop' }, { home: here.home }), await startTestNode({ 'sync.name': 'server' }, { home: there.home })]
    onTestFinished(async () => {
      for (const node of nodes) await node.stop()
      await Promise.all([here.remove(), there.remove()])
    })
    const pair = onTerminal('sync pair', { env: { COFFER_HOME: here.home } })
    const link = /coffer:pair\/[^\s']+/.exec((await pair.shows('withdraws the offer')).replaceAll('\n', ' '))?.[0] ?? ''
    const accept = onTerminal(['sync', 'accept', link, '--user', 'ana-lovelace', '--create'], { env: { COFFER_HOME: there.home } })
    const [offering, accepting] = [await pair.shows('pair   n', 'Connected to server', ' · '), await accept.shows('pair   n', ' · ')]
    const words = /\w+ · \w+ · \w+/
    expect(words.exec(offering)?.[0]).toBe(words.exec(accepting)?.[0] ?? 'three words')
    pair.type('y')
    await pair.shows('Waiting for server to confirm')
    accept.type('y')
    for (const { code, screen } of [await pair.ended, await accept.ended]) {
      expect(code).toBe(0)
      expect(screen).toContain('✔ Both nodes are in sync.')
    }

    const watch = onTerminal('status --watch', { env: { COFFER_HOME: here.home } })
    await watch.shows('✔ in sync', 'needs attention')
    watch.type('l')
    await watch.shows('━ log')
    watch.type('q')
    expect((await watch.ended).code).toBe(0)

    const given = onTerminal('sync pair', { env: { COFFER_HOME: here.home } })
    await given.shows('withdraws the offer')
    given.type('q')
    expect(await given.ended).toMatchObject({ code: 130, screen: expect.stringContaining('the offer was withdrawn') })
  })
})

describe('a node on a terminal', () => {
  it('shows a banner and a readable log, and stops with Ctrl-C', async () => {
    const there = join(folder(), 'home')
    const session = onTerminal(`start --home ${there} --port 0`)
    const banner = await session.shows('Stop with Ctrl-C')
    expect(banner).toContain(`✔ Created a new node in ${there}`)
    expect(banner).toContain(`Store        ${join(there, 'store')}`)
    expect(banner).toContain(`coffer users create ana-lovelace --email ana@example.org --home ${there}`)
    expect(banner).not.toContain('{"')
    const address = /Account API {2}(\S+)\{username\}/.exec(banner)?.[1] ?? ''
    const account = `users create ana-lovelace --email a@b.c --password-stdin --home ${there}`
    expect((await coffer(account, { stdin: password })).code).toBe(0)
    const refused = await fetch(`${address}ana-lovelace/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:1' },
      body: JSON.stringify({ username: 'ana-lovelace', password: 'wrong', appId: 'test-app' }),
    })
    expect(refused.status).toBe(401)
    expect(await session.shows('login refused', 'user="ana-lovelace"')).toMatch(/\d\d:\d\d:\d\d warn {2}login refused: wrong password {2}user="ana-lovelace"/)
    session.type('\u0003')
    const { code, screen } = await session.ended
    expect(code).toBe(0)
    expect(screen).toContain('finishing open requests')
    expect(screen).toContain('✔ Stopped')
    expect(readFileSync(join(there, 'node.log'), 'utf8')).toContain('"message":"login refused: wrong password"')
  })
})
