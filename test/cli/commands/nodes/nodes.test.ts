/** Tests of remote nodes: their names, their keys, and the node that a command is sent to. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allCommands } from '../../../../src/cli/commands.js'
import { isMachineCommand } from '../../../../src/cli/client/isMachineCommand.js'
import { withNode } from '../../../support/nodes/started.js'
import { coffer } from '../../support/testTerminal.js'

type Json = Record<string, unknown>
const KEY = 'an operator key of more than sixteen'
const nas = withNode({ 'remoteControl.active': true, 'auth.adminAccessKey': KEY })
const closed = withNode({ 'auth.adminAccessKey': KEY })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-nodes-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a command on a machine without a node. */
const run = (line: string | string[], stdin = KEY): ReturnType<typeof coffer> =>
  coffer(line, { env: { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data'), XDG_STATE_HOME: join(folder, 'state'), NO_COLOR: '1' }, stdin })
const json = async (line: string, stdin?: string): Promise<Json> => {
  const { code, out, err } = await run(`${line} --json`, stdin)
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as Json
}
const file = (): string => join(folder, 'config', 'coffer', 'nodes.json')
const add = (name = 'nas', url = nas().url): ReturnType<typeof coffer> => run(`nodes add ${name} ${url} --key-stdin`)

describe('coffer nodes', () => {
  it('adds a node after a check of its address and key', async () => {
    const { code, out, err } = await add()
    expect([code, out, err]).toEqual([0, '', expect.stringContaining(`Node nas added: coffer `) as string])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ inUse: null, nodes: { nas: { url: nas().url, key: KEY } } })
    expect(await json('nodes list')).toEqual({ nodes: [{ name: 'nas', url: nas().url, keyIn: 'file', inUse: false }] })
    expect((await run('nodes list -q')).out).toBe('nas\n')
    expect((await run('nodes list')).out).not.toContain(KEY)
  })

  it('prints stable JSON for scripts', async () => {
    expect(await json(`nodes add nas ${nas().url} --key-stdin`)).toEqual({
      node: { name: 'nas', url: nas().url, keyIn: 'file', inUse: false },
      version: expect.any(String) as string,
    })
    expect(await json('nodes whoami')).toMatchObject({ node: null, url: null, home: join(folder, 'data', 'coffer'), running: false })
    expect(await json('nodes use nas')).toEqual({ inUse: 'nas' })
    expect(await json('nodes whoami')).toMatchObject({ node: 'nas', url: nas().url, home: null, running: true, accounts: 0 })
    expect(await json('nodes use local')).toEqual({ inUse: null })
    expect(await json('nodes remove nas')).toEqual({ nodeDeletion: { name: 'nas' } })
    expect(await json('nodes list')).toEqual({ nodes: [] })
  })

  it('does not store a node that rejects the key', async () => {
    const wrong = await run(`nodes add nas ${nas().url} --key-stdin`, 'another key')
    expect([wrong.code, wrong.err]).toEqual([4, expect.stringMatching(/does not accept remote commands with this key[\s\S]*remoteControl\.active/) as string])
    const disabled = await run(`nodes add nas ${closed().url} --key-stdin`)
    expect(disabled.code).toBe(4)
    expect((await run('nodes list -q')).out).toBe('')
    expect(await run(`nodes add nas ${closed().url} --key-stdin --no-check`)).toMatchObject({ code: 0, err: expect.stringContaining('added without a check') as string })
  })

  it.each([
    ['add local http://localhost:1 --key-stdin', 2, 'not local'],
    ['add a/b http://localhost:1 --key-stdin', 2, 'letters, digits'],
    ['add nas nas.example.org --key-stdin', 2, 'an address such as https://'],
    ['add nas ftp://nas.example.org --key-stdin', 2, 'an address such as https://'],
    ['add nas http://nas.example.org --key-stdin', 2, 'ssh -L 3001:localhost:3000 nas.example.org'],
    ['add nas https://me:key@nas.example.org --key-stdin', 2, 'must not contain a name or key'],
    ['add nas https://nas.example.org/?a=b --key-stdin', 2, 'must not contain ? or #'],
    ['add nas https://nas.example.org', 2, '--key-stdin is missing'],
    ['add nas http://127.0.0.1:1 --key-stdin', 7, 'connection refused'],
    ['add nas http://no-such-machine.invalid.localhost:1/x --key-stdin', 2, 'ssh -L'],
    ['use nas', 5, 'There is no node "nas"'],
    ['use constructor', 5, 'There is no node "constructor"'],
    ['remove nas', 5, 'coffer nodes list'],
    ['whoami --node nas', 5, 'There is no node "nas"'],
    ['whoami --node nas --home /tmp', 2, '--home and --config select a node of this machine'],
  ])('%s: exit %i, %s', async (line, exit, message) => {
    const { code, out, err } = await run(`nodes ${line}`)
    expect([code, out, err]).toEqual([exit, '', expect.stringContaining(message) as string])
  })

  describe('that are added without a key at hand', () => {
    let other: Server
    let port = 0
    beforeAll(async () => {
      other = createServer((_, response) => response.end('hello'))
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      port = (other.address() as AddressInfo).port
    })
    afterAll(() => void other.close())

    it.each([
      ['nothing listens', () => 'http://127.0.0.1:1', 'connection refused'],
      ['another server answers', () => `http://127.0.0.1:${port}`, 'is not a coffer node'],
      ['the server has no TLS', () => `https://127.0.0.1:${port}`, 'does not answer with TLS at this port'],
    ])('are refused before the key is asked for when %s', async (_, url, message) => {
      const env = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data'), NO_COLOR: '1' }
      const { code, err } = await coffer(['nodes', 'add', 'nas', url()], { env, tty: true })
      expect([code, err]).toEqual([7, expect.stringContaining(message) as string])
      expect(err).not.toContain('Operator key')
    })

    it('are asked for their key when a node answers, with remote control or without', async () => {
      for (const { url } of [nas(), closed()]) {
        const env = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data'), NO_COLOR: '1' }
        const { code, err } = await coffer(['nodes', 'add', 'nas', url], { env, tty: true })
        expect([code, err]).toEqual([130, expect.stringContaining('Operator key of') as string])
      }
    })
  })

  it('refuses a second node of one name', async () => {
    await add()
    expect(await add()).toMatchObject({ code: 6, err: expect.stringContaining('coffer nodes remove nas') as string })
  })

  it('reports a damaged list of nodes, and does not change it', async () => {
    await add()
    writeFileSync(file(), '{"nodes":{"nas":7}}')
    for (const line of ['nodes list', 'nodes use local', 'users list', 'status --node nas']) {
      expect(await run(line), line).toMatchObject({ code: 1, err: expect.stringContaining('nodes.json cannot be read') as string })
    }
    expect(readFileSync(file(), 'utf8')).toBe('{"nodes":{"nas":7}}')
  })
})

describe('a command for a remote node', () => {
  beforeAll(async () => {
    // Commands need no --user with a single account.
    folder = mkdtempSync(join(tmpdir(), 'coffer-nodes-'))
    await add()
    await run('users create ana-lovelace --email ana@example.org --password-stdin --node nas', 'correct horse')
    await run('streams create Diary --id diary --node nas')
  })
  beforeEach(() => add())

  it('is sent to the node of --node, which it names on stderr', async () => {
    const { code, out, err } = await run('users list -q --node nas')
    expect([code, out]).toEqual([0, 'ana-lovelace\n'])
    expect(err).toBe('')
    expect((await run('users list --node nas')).err).toContain(`On nas, ${nas().url}`)
    expect(await json('status --node nas')).toMatchObject({ running: true, node: 'nas', accounts: 1 })
  })

  it('is sent to the default node, unless --node, --home or COFFER_HOME select another', async () => {
    await run('nodes use nas')
    expect((await run('users list -q')).out).toBe('ana-lovelace\n')
    expect((await run('users list --node local')).code).toBe(10)
    expect((await run(`users list --home ${join(folder, 'none')}`)).err).toContain(join(folder, 'none'))
    const env = { XDG_CONFIG_HOME: join(folder, 'config'), COFFER_HOME: join(folder, 'none') }
    expect((await coffer('users list', { env })).err).toContain(join(folder, 'none'))
    await run('nodes remove nas')
    expect((await run('users list')).code).toBe(10)
  })

  it('reads and changes data, except methods that are local to its machine', async () => {
    const created = await run(['events', 'create', '{"streamIds":["diary"],"type":"note/txt","content":"from afar"}', '--node', 'nas'])
    expect(created.code).toBe(0)
    expect((await run('events list --stream diary --node nas')).out).toContain('from afar')
    expect(await run('streams create Diary --id diary --node nas')).toMatchObject({ code: 6 })
    expect(await run('store check --node nas')).toMatchObject({ code: 0 })
    expect(await run('wait --for ready --node nas')).toMatchObject({ code: 0 })
    expect(await run('api node.stop --node nas')).toMatchObject({ code: 4, err: expect.stringMatching(/is only available on the machine of the node[\s\S]*Run on its machine: coffer stop/) as string })
    expect(await run('api no.such --node nas')).toMatchObject({ code: 5 })
  })

  it('suggests commands for the same node', async () => {
    const { err } = await run('accesses list --user nobody --node nas')
    expect(err).not.toContain('--home')
    expect(err).toContain('→ List the accounts: coffer users list --node nas\n')
    expect((await run('apps list --node nas')).err).toContain('--node nas')
    // Suggestions mark commands that must run on the machine of the node.
    expect((await run('invitations list --node nas')).err).toMatch(/coffer config set invitationTokens '\[\]' {3}# on the machine of nas\n/)
  })

  it('that is limited to this machine refuses --node, and names this machine when another node is the default', async () => {
    const machineOnly = (await allCommands()).filter(({ reach }) => reach === 'machine').map(({ path }) => path.join(' '))
    expect(machineOnly).toContain('backup create')
    const all = (await allCommands()).map(({ path }) => path)
    expect(all.filter(isMachineCommand).map((path) => path.join(' '))).toEqual(machineOnly)
    for (const path of machineOnly) {
      const words = (await allCommands()).find((each) => each.path.join(' ') === path)?.arguments ?? {}
      const given = Object.values(words).filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? 'x')
      const { code, err } = await run([...path.split(' '), ...given, '--node', 'nas'])
      expect([code, err], path).toEqual([2, expect.stringMatching(new RegExp(`only works on the node of this machine[^]*Run it on the machine of nas: coffer ${path}\n`)) as string])
    }
    await run('nodes use nas')
    const { code, err } = await run('config check')
    expect([code, err]).toEqual([0, expect.stringContaining('On this machine, although nas is the default node') as string])
  })
})

describe('nodes add', () => {
  let server: Server
  let answer: { status: number; headers: Record<string, string>; body: string }
  beforeAll(async () => {
    server = createServer((_, response) => void response.writeHead(answer.status, answer.headers).end(answer.body))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterAll(() => server.close())

  it.each([
    ['a server of another page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }, 'is not a coffer node'],
    ['a proxy without its node', { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>' }, '(HTTP 502)'],
    ['a redirect', { status: 301, headers: { location: 'https://elsewhere.example/' }, body: '' }, 'to https://elsewhere.example/'],
    ['a server of the same API', { status: 404, headers: {}, body: '{}' }, '(HTTP 404)'],
    ['a truncated response', { status: 200, headers: { 'coffer-door': 'control' }, body: '{"running":' }, 'not JSON'],
  ])('distinguishes from a node: %s', async (_, given, message) => {
    answer = given
    const { port } = server.address() as AddressInfo
    const { code, err } = await run(`nodes add nas http://127.0.0.1:${port} --key-stdin`)
    expect([code, err]).toEqual([message === 'not JSON' ? 1 : 7, expect.stringContaining(message) as string])
  })
})

it('completes the names of nodes, and nothing of a remote node', async () => {
  await add()
  expect((await run('__complete node --')).out).toBe('nas\n')
  await run('nodes use nas')
  expect((await run('__complete user --')).out).toBe('')
})
