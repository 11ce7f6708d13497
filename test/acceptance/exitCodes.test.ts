/** Tests of every exit code of commands, with the message and the suggested command. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { afterTheFile, binary, coffer, errorOf, folder, start } from './support/coffer.js'
import type { Running } from './support/coffer.js'

const password = 'correct horse battery'
/** Options that run a command as a user without privileges; empty when the tests do not run as root. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65534 } : {}
/** False when that user cannot execute the binary, for example in a folder of root. */
const mayRun = spawnSync(process.execPath, [binary, '--version'], { ...unprivileged, ...(unprivileged.uid === undefined ? {} : { gid: unprivileged.uid }) }).status === 0

let home: string
let node: Running
/** Home with an account and without a running node. */
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

/** Pattern of a failure: a cross with the message, then the suggested command. */
const failure = (what: RegExp | string, next: RegExp | string): RegExp => {
  const source = (part: RegExp | string): string => (typeof part === 'string' ? part : part.source)
  return new RegExp(`^✖ ${source(what)}[\\s\\S]*\\n {2}→ [^\\n]*${source(next)}`, 'm')
}

describe('a running node', () => {
  it.each([
    ['status', 0, /^$/],
    ['api nope', 5, failure('There is no method "nope"', 'coffer help methods')],
    ['api event.get --user ana-lovelace', 5, /Did you mean events\.get\?/],
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

  it('exits 4 for a wrong password', async () => {
    const params = { username: 'ana-lovelace', password: 'wrong', appId: 'test-app' }
    const outcome = await coffer('api auth.login - --user ana-lovelace --json', {
      env: { COFFER_HOME: home },
      stdin: JSON.stringify(params),
    })
    expect(outcome).toMatchObject({ code: 4, out: '' })
    expect(errorOf(outcome)['id']).toBe('invalid-credentials')
  })

  it('exits 11 for a second start, and names the process', async () => {
    const second = await coffer(`start --home ${home} --port 0`)
    expect(second).toMatchObject({ code: 11, out: '' })
    expect(second.err).toMatch(failure(`Process ${node.pid} holds the store`, `coffer stop --home ${home}`))
    expect(errorOf(await coffer(`start --home ${home} --port 0 --json`))).toMatchObject({ id: 'store-locked' })
    expect((await coffer(`status --home ${home}`)).code).toBe(0)
  })

  it('exits 6 for a second init', async () => {
    const again = await coffer(`init --home ${home}`)
    expect(again).toMatchObject({ code: 6, out: '' })
    expect(again.err).toMatch(failure('A node already exists', 'coffer start'))
  })

  it('exits 7 after the timeout', async () => {
    process.kill(node.pid, 'SIGSTOP')
    try {
      const slow = await coffer(`status --timeout 300ms --home ${home}`)
      expect(slow).toMatchObject({ code: 7, out: '' })
      expect(slow.err).toMatch(failure('The node did not answer within 0.3 s', '--timeout'))
    } finally {
      process.kill(node.pid, 'SIGCONT')
    }
  })

  it('exits 1 when its port is in use, and suggests another', async () => {
    const occupied = createServer()
    await new Promise<void>((listening) => occupied.listen(0, '127.0.0.1', listening))
    const { port } = occupied.address() as AddressInfo
    const outcome = await coffer(`start --home ${closed} --port ${port}`)
    occupied.close()
    expect(outcome).toMatchObject({ code: 1, out: '' })
    expect(outcome.err).toMatch(failure(`127\\.0\\.0\\.1:${port} is in use`, `coffer start --port 0 --home ${closed}`))
  })
})

describe('wrong usage exits 2', () => {
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
    ['users delete', failure('<username> is missing', 'coffer users delete --help')],
  ])('for coffer %s', async (line, err) => {
    const outcome = await coffer(line, { env: { COFFER_HOME: closed } })
    expect(outcome).toMatchObject({ code: 2, out: '' })
    expect(outcome.err).toMatch(err)
  })

  it('also with --json', async () => {
    const outcome = await coffer('usrs list --json')
    expect(outcome).toMatchObject({ code: 2, out: '' })
    expect(errorOf(outcome)).toMatchObject({ id: 'wrong-usage', message: "unknown command 'usrs'" })
  })
})

describe('without a store or a node', () => {
  it.each([
    ['users list', 10, 'coffer init --home'],
    ['api events.get --user ana-lovelace', 10, 'coffer init --home'],
    ['config set http.port 1', 10, 'coffer init'],
    ['stop', 7, 'coffer start --home'],
    ['status', 7, ''],
  ])('coffer %s exits %i', async (line, code, next) => {
    const target = join(folder(), 'none')
    const outcome = await coffer([...line.split(' '), '--home', target])
    expect(outcome.code).toBe(code)
    if (next !== '') expect(outcome.err).toMatch(failure('', next))
  })
})

describe('a store', () => {
  it('exits 1 without its key, and 10 without its database, which is not recreated', async () => {
    const target = join(folder(), 'home')
    cpSync(closed, target, { recursive: true })
    rmSync(join(target, 'store'), { recursive: true })
    for (const line of [`start --home ${target} --port 0`, `init --home ${target}`]) {
      expect(await coffer(line)).toMatchObject({ code: 10, out: '', err: expect.stringContaining('is missing') })
    }
    expect(readdirSync(target)).not.toContain('store')
    cpSync(join(closed, 'store'), join(target, 'store'), { recursive: true })
    rmSync(join(target, 'node.key'))
    const keyless = await coffer(`start --home ${target} --port 0`)
    expect(keyless).toMatchObject({ code: 1, err: expect.stringContaining('node.key is missing') })
  })

  it('exits 13 when damaged, names the file, and changes nothing', async () => {
    const target = join(folder(), 'home')
    cpSync(closed, target, { recursive: true })
    const db = join(target, 'store', 'db')
    const size = (name: string): number => statSync(join(db, name)).size
    // The account is in a log, or in a table after the store was opened again.
    const [file = ''] = readdirSync(db).filter((name) => /\.(log|ldb)$/.test(name)).sort((a, b) => size(b) - size(a))
    const bytes = readFileSync(join(db, file))
    bytes[20] = (bytes[20] ?? 0) ^ 0xff
    writeFileSync(join(db, file), bytes)
    const listed = await coffer(`users list --home ${target}`)
    expect(listed).toMatchObject({ code: 13, out: '' })
    expect(listed.err).toContain(file)
    const started = await coffer(`start --home ${target} --port 0 --json`)
    expect(started).toMatchObject({ code: 13, out: '' })
    expect(errorOf(started)).toMatchObject({ id: 'damage-found', data: { damage: [{ file }] } })
    expect(readFileSync(join(db, file)).equals(bytes)).toBe(true)
  })
})

describe('a folder without permission exits 4', () => {
  it.each(['init', 'start --port 0', 'config set http.port 1'])('for coffer %s in a folder without write permission for all', async (line) => {
    // Not even root can create a folder there.
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
  ])('for coffer %s in a folder of mode %o', async (line, mode) => {
    const base = folder()
    const target = join(base, 'home')
    chmodSync(base, 0o755)
    mkdirSync(target)
    // The permissions of others apply to a user other than the owner.
    chmodSync(target, unprivileged.uid === undefined ? mode : mode === 0 ? 0o700 : 0o755)
    const outcome = await coffer([...line.split(' '), '--home', target], unprivileged)
    chmodSync(target, 0o700)
    expect(outcome).toMatchObject({ code: 4, out: '' })
    expect(outcome.err).toMatch(failure('', 'Run the command as the owner'))
  })
})

it('an error in the settings is reported with its place and exits 1 for the file, 2 for a variable', async () => {
  const target = join(folder(), 'home')
  mkdirSync(target)
  writeFileSync(join(target, 'config.toml'), '[http]\nprot = 1\n')
  const file = await coffer(`start --home ${target} --port 0`)
  expect(file).toMatchObject({ code: 1, out: '' })
  expect(file.err).toContain(`${join(target, 'config.toml')}:2: http.prot is not a setting; did you mean http.port?`)
  const variable = await coffer(`start --home ${target}/x --port 0`, { env: { COFFER_SET_HTTP_PROT: '1' } })
  expect(variable).toMatchObject({ code: 2, out: '' })
  expect(variable.err).toContain('did you mean COFFER_SET_HTTP_PORT?')
  expect(readdirSync(target)).toEqual(['config.toml'])
})

it('stop exits 8 after the time of --within', async () => {
  // A request that never ends keeps a separate node busy.
  const target = join(folder(), 'home')
  cpSync(closed, target, { recursive: true })
  const busy = await start(target)
  const pending = new AbortController()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })
  const request = fetch(`${busy.url}users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
    signal: pending.signal,
  } as RequestInit).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const outcome = await coffer(`stop --within 200ms --home ${target} --json`)
  expect(outcome.code).toBe(8)
  expect(errorOf(outcome)).toMatchObject({ id: 'waiting' })
  pending.abort()
  await request
  expect((await busy.ended).code).toBe(0)
})
