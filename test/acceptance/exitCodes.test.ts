/** Every exit code that a command of this release can answer, each with what it says: what, why, and the next command. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { afterTheFile, binary, coffer, errorOf, folder, start } from './support/coffer.js'
import type { Running } from './support/coffer.js'

const password = 'correct horse battery'
/** A user who may not do what root may; nobody else than the one who runs the tests when that is not root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534 } : {}
/** Whether that user can reach the binary at all: it may lie in a folder of root's. */
const mayRun = spawnSync(process.execPath, [binary, '--version'], { ...nobody, ...(nobody.uid === undefined ? {} : { gid: nobody.uid }) }).status === 0

let home: string
let node: Running
/** A closed home with an account. */
let closed: string
const later = afterTheFile()
beforeAll(async () => {
  const base = folder(later)
  closed = join(base, 'closed')
  const account = ['--user', 'ana-lovelace', '--email', 'ana@example.org', '--password-stdin']
  expect((await coffer(['init', '--home', closed, ...account], { stdin: password })).code).toBe(0)
  home = join(base, 'open')
  cpSync(closed, home, { recursive: true })
  node = await start(home, {}, later)
})

/** How a failure looks: a cross, then the next command. */
const failure = (what: RegExp | string, next: RegExp | string): RegExp => {
  const source = (part: RegExp | string): string => (typeof part === 'string' ? part : part.source)
  return new RegExp(`^✖ ${source(what)}[\\s\\S]*\\n {2}→ [^\\n]*${source(next)}`, 'm')
}

describe('a running node', () => {
  it.each([
    ['status', 0, /^$/],
    ['api nope', 5, failure('There is no method "nope"', 'coffer help methods')],
    ['api event.get --user ana-lovelace', 5, /Did you mean events\.get\?/],
    ['api system.ackCore', 1, failure('This method is not available', 'coffer help methods')],
    ['api events.get --user nobody-here', 5, failure('Unknown user "nobody-here"', 'coffer users list')],
    ['users show nobody-here', 5, failure('Unknown user', 'coffer users list')],
    ['users create ana-lovelace --email x@y.z --password-stdin', 6, /username: "ana-lovelace"/],
    ['users create ana --email x@y.z --password-stdin', 1, /username: Username is invalid/],
    ['users delete ana-lovelace', 2, /--accept-risk=lose-data is missing/],
    ['users create ana-two --email x@y.z', 2, /--password-stdin is missing/],
  ])('%s exits %i', async (line, code, err) => {
    const outcome = await coffer(line, { env: { COFFER_HOME: home }, stdin: line.includes('stdin') ? password : '' })
    expect(outcome.code).toBe(code)
    expect(outcome.err).toMatch(err)
    if (code !== 0) expect(outcome.out).toBe('')
  })

  it('refuses a wrong password: 4', async () => {
    const asked = { username: 'ana-lovelace', password: 'wrong', appId: 'test-app' }
    const outcome = await coffer('api auth.login - --user ana-lovelace --json', {
      env: { COFFER_HOME: home },
      stdin: JSON.stringify(asked),
    })
    expect(outcome).toMatchObject({ code: 4, out: '' })
    expect(errorOf(outcome)['id']).toBe('invalid-credentials')
  })

  it('is not started twice: 11, naming the process', async () => {
    const second = await coffer(`start --home ${home} --port 0`)
    expect(second).toMatchObject({ code: 11, out: '' })
    expect(second.err).toMatch(failure(`Process ${node.pid} holds the store`, `coffer stop --home ${home}`))
    expect(errorOf(await coffer(`start --home ${home} --port 0 --json`))).toMatchObject({ id: 'store-locked' })
    expect((await coffer(`status --home ${home}`)).code).toBe(0)
  })

  it('is not made again: 6', async () => {
    const again = await coffer(`init --home ${home}`)
    expect(again).toMatchObject({ code: 6, out: '' })
    expect(again.err).toMatch(failure('A node already exists', 'coffer start'))
  })

  it('that does not answer in time: 7', async () => {
    process.kill(node.pid, 'SIGSTOP')
    try {
      const slow = await coffer(`status --timeout 300ms --home ${home}`)
      expect(slow).toMatchObject({ code: 7, out: '' })
      expect(slow.err).toMatch(failure('The node did not answer within 0.3 s', '--timeout'))
    } finally {
      process.kill(node.pid, 'SIGCONT')
    }
  })

  it('whose port is taken does not start: 1, with the command for another', async () => {
    const taken = createServer()
    await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening))
    const { port } = taken.address() as AddressInfo
    const outcome = await coffer(`start --home ${closed} --port ${port}`)
    taken.close()
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome.err).toMatch(failure(`127\\.0\\.0\\.1:${port} is in use`, `coffer start --port 0 --home ${closed}`))
  })
})

describe('wrong usage: 2', () => {
  it.each([
    ['usrs list', failure("unknown command 'usrs'", 'Did you mean users')],
    ['users lst', failure("unknown command 'lst'", 'Did you mean list')],
    ['walrus', failure("unknown command 'walrus'", 'coffer --help')],
    ['users', failure('coffer users needs a command', 'coffer users --help')],
    ['status --jsn', failure("unknown option '--jsn'", 'Did you mean --json')],
    ['start --port abc', failure('--port <n> takes a whole number', 'coffer start --help')],
    ['start --set http.prot=1', failure('http.prot is not a setting; did you mean http.port?', 'coffer help settings')],
    ['start --set port', failure('--set takes key=value', 'coffer help settings')],
    ['config set http.prt 1', failure('http.prt is not a setting', 'Did you mean http.port')],
    ['api events.get {', failure('The parameters are not JSON', 'single quotes')],
    ['users show', failure('<username> is missing', 'coffer users show --help')],
  ])('coffer %s', async (line, err) => {
    const outcome = await coffer(line, { env: { COFFER_HOME: closed } })
    expect(outcome).toMatchObject({ code: 2, out: '' })
    expect(outcome.err).toMatch(err)
  })

  it('under --json, too', async () => {
    const outcome = await coffer('usrs list --json')
    expect(outcome).toMatchObject({ code: 2, out: '' })
    expect(errorOf(outcome)).toMatchObject({ id: 'wrong-usage', message: "unknown command 'usrs'" })
  })
})

describe('without a store: 10, and without a node: 7', () => {
  it.each([
    ['users list', 10, 'coffer init --home'],
    ['api events.get --user ana-lovelace', 10, 'coffer init --home'],
    ['config set http.port 1', 10, 'coffer init'],
    ['stop', 7, 'coffer start --home'],
    ['status', 7, ''],
  ])('coffer %s exits %i', async (line, code, next) => {
    const there = join(folder(), 'none')
    const outcome = await coffer([...line.split(' '), '--home', there])
    expect(outcome.code).toBe(code)
    if (next !== '') expect(outcome.err).toMatch(failure('', next))
  })
})

describe('a store', () => {
  it('whose key is gone: 1, and whose database is gone: never made anew', async () => {
    const there = join(folder(), 'home')
    cpSync(closed, there, { recursive: true })
    rmSync(join(there, 'store'), { recursive: true })
    for (const line of [`start --home ${there} --port 0`, `init --home ${there}`]) {
      expect(await coffer(line)).toMatchObject({ code: 10, out: '', err: expect.stringContaining('is missing') })
    }
    expect(readdirSync(there)).not.toContain('store')
    cpSync(join(closed, 'store'), join(there, 'store'), { recursive: true })
    rmSync(join(there, 'node.key'))
    const keyless = await coffer(`start --home ${there} --port 0`)
    expect(keyless).toMatchObject({ code: 1, err: expect.stringContaining('node.key is missing') })
  })

  it('that is damaged: 13, naming the file, and nothing is changed', async () => {
    const there = join(folder(), 'home')
    cpSync(closed, there, { recursive: true })
    const db = join(there, 'store', 'db')
    const size = (name: string): number => statSync(join(db, name)).size
    // Where the account is: in a log, or in a table once the store was opened again.
    const [file = ''] = readdirSync(db).filter((name) => /\.(log|ldb)$/.test(name)).sort((a, b) => size(b) - size(a))
    const bytes = readFileSync(join(db, file))
    bytes[20] = (bytes[20] ?? 0) ^ 0xff
    writeFileSync(join(db, file), bytes)
    const listed = await coffer(`users list --home ${there}`)
    expect(listed).toMatchObject({ code: 13, out: '' })
    expect(listed.err).toContain(file)
    const started = await coffer(`start --home ${there} --port 0 --json`)
    expect(started).toMatchObject({ code: 13, out: '' })
    expect(errorOf(started)).toMatchObject({ id: 'damage-found', data: { damage: [{ file }] } })
    expect(readFileSync(join(db, file)).equals(bytes)).toBe(true)
  })
})

describe('a folder that is not open to the user: 4', () => {
  it.each(['init', 'start --port 0', 'config set http.port 1'])('coffer %s in one where nobody may write', async (line) => {
    // The system lets not even root make a folder there.
    const outcome = await coffer([...line.split(' '), '--home', line.startsWith('config') ? '/sys' : '/sys/coffer/home'])
    expect(outcome).toMatchObject({ code: 4, out: '' })
    expect(outcome.err).toMatch(failure('', '--home'))
  })

  it.runIf(mayRun).each([
    ['init', 0o500],
    ['start --port 0', 0o500],
    ['init', 0],
    ['start --port 0', 0],
    ['users list', 0],
    ['status', 0],
  ])('coffer %s in one of mode %o', async (line, mode) => {
    const base = folder()
    const there = join(base, 'home')
    chmodSync(base, 0o755)
    mkdirSync(there)
    // For another user than its owner, the folder's last digit counts.
    chmodSync(there, nobody.uid === undefined ? mode : mode === 0 ? 0o700 : 0o755)
    const outcome = await coffer([...line.split(' '), '--home', there], nobody)
    chmodSync(there, 0o700)
    expect(outcome).toMatchObject({ code: 4, out: '' })
    expect(outcome.err).toMatch(failure('', 'Run the command as the owner'))
  })
})

it('a mistake in the settings is told with its place: 1 for the file, 2 for a variable', async () => {
  const there = join(folder(), 'home')
  mkdirSync(there)
  writeFileSync(join(there, 'config.toml'), '[http]\nprot = 1\n')
  const file = await coffer(`start --home ${there} --port 0`)
  expect(file).toMatchObject({ code: 1, out: '' })
  expect(file.err).toContain(`${join(there, 'config.toml')}:2: http.prot is not a setting; did you mean http.port?`)
  const variable = await coffer(`start --home ${there}/x --port 0`, { env: { COFFER_SET_HTTP_PROT: '1' } })
  expect(variable).toMatchObject({ code: 2, out: '' })
  expect(variable.err).toContain('did you mean COFFER_SET_HTTP_PORT?')
  expect(readdirSync(there)).toEqual(['config.toml'])
})

it('stopping waits only as long as asked: 8', async () => {
  // The node of this file is stopped by the test's end; here one is kept busy by a request that never ends.
  const there = join(folder(), 'home')
  cpSync(closed, there, { recursive: true })
  const busy = await start(there)
  const held = new AbortController()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })
  const request = fetch(`${busy.url}users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
    signal: held.signal,
  } as RequestInit).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const outcome = await coffer(`stop --within 200ms --home ${there} --json`)
  expect(outcome.code).toBe(8)
  expect(errorOf(outcome)).toMatchObject({ id: 'waiting' })
  held.abort()
  await request
  expect((await busy.ended).code).toBe(0)
})
