import { spawnSync } from 'node:child_process'
import { writeFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { allCommands } from '../../../src/cli/commands.js'
import { completionScript } from '../../../src/cli/help/completion/completion.js'
import { makeAccount, request } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'
import { coffer } from '../support/testTerminal.js'

const all = await allCommands()
const hasBash = spawnSync('bash', ['-c', 'type complete compgen']).status === 0

/** Returns the completions of bash for the last of the words. */
function completions(...words: string[]): string[] {
  const ask = 'COMP_WORDS=(coffer "$@"); COMP_CWORD=$#; _coffer; printf "%s\\n" "${COMPREPLY[@]}"'
  const script = `${completionScript('bash', all)}\n${ask}`
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

if (hasBash) describe('bash completion', () => {
  it('offers all commands that are not hidden', () => {
    expect(completions('')).toEqual([...new Set(all.filter((each) => each.hidden !== true).map((each) => each.path[0]))])
  })

  it.each([
    [['config', ''], ['list', 'get', 'set', 'unset', 'edit', 'check', 'path']],
    [['config', 'un'], ['unset']],
    [['config', 'list', '--o'], ['--origin']],
    [['--home', 'config', 'comp'], ['completion']],
    [['config', '--json', 'g'], ['get']],
    [['config', 'get', 'http.p'], ['http.port']],
    [['config', 'get', '--verb'], ['--verbose']],
    [['completion', ''], ['bash', 'zsh', 'fish']],
    [['help', 'exit'], ['exit-codes']],
    [['--timeout', ''], []],
    [['service', 'install', '--user', '--pr'], ['--print']],
    [['--user', 'service', 'users', 'l'], ['list']],
    [['nothing', '--vers'], ['--version']],
    [['api', 'events.getO'], ['events.getOne']],
    [['api', 'users.hold'], ['users.holding']],
    [['api', 'events.get', ''], []],
    [['help', 'exit-c'], ['exit-codes']],
    [['help', 'stre'], ['streams']],
    [['help', 'streams', 'tr'], ['tree', 'trash']],
    [['help', 'oauth', 'cli'], ['clients']],
    [['config', 'set', 'http.port', ''], []],
    [['accesses', 'show', ''], []],
    [['streams', 'create', ''], []],
    [['users', 'show', '/et'], []],
  ])('completes %j', (words, expected) => expect(completions(...words)).toEqual(expected))
})

if (hasBash) describe('bash offers paths', () => {
  const within = mkdtempSync(join(tmpdir(), 'coffer-paths-'))
  afterAll(() => rmSync(within, { recursive: true, force: true }))
  mkdirSync(join(within, 'a folder'))
  writeFileSync(join(within, 'a file'), '')

  it.each([
    [['events', 'import'], ['a file', 'a folder']],
    [['backup', 'show'], ['a folder']],
    [['series', 'import', 'ckq2v8x0a0000abcd1234efgh'], ['a file', 'a folder']],
    [['mail', 'set', 'welcome-email'], ['a file', 'a folder']],
    [['users', 'create', '--password-file'], ['a file', 'a folder']],
    [['users', 'export', '--to'], ['a folder']],
    [['series', 'import'], []],
    [['mail', 'set'], []],
    [['users', 'show'], []],
    [['apps', 'remove'], []],
    [['api', 'events.get'], []],
  ])('only where they are expected: coffer %j', (words, expected) => {
    expect(completions(...words, join(within, 'a')).sort()).toEqual(expected.map((name) => join(within, name)))
  })
})

it.each([
  ['bash', /^complete -F _coffer coffer$/m],
  ['fish', /^complete -c coffer -f$/m],
] as const)('the script for %s offers no file names by default', (shell, line) => expect(completionScript(shell, all)).toMatch(line))

it.each(['bash', 'zsh', 'fish'])('the script for %s contains every command', async (shell) => {
  const { code, out } = await coffer(`completion ${shell}`)
  expect(code).toBe(0)
  for (const each of all.filter((one) => one.hidden !== true)) expect(out).toContain(each.path.join(' '))
})

it('coffer completion refuses another shell', async () => {
  const { code, err } = await coffer('completion csh')
  expect(code).toBe(2)
  expect(err).toContain('one of bash, zsh, fish')
})

describe('completion of the data of a running node', () => {
  const node = withNode({ 'http.port': 0 })
  const complete = async (...words: string[]): Promise<string[]> => {
    const { code, out, err } = await coffer(['__complete', ...words], { env: { COFFER_HOME: node().places.home } })
    expect([code, err]).toEqual([0, ''])
    return out.split('\n').filter((word) => word !== '')
  }
  let shared = ''

  beforeAll(async () => {
    const token = await makeAccount(node(), 'ana-lovelace')
    await makeAccount(node(), 'ben-hopper')
    const url = `${node().url}ana-lovelace/`
    await request(`${url}streams`, { token, body: { id: 'diary', name: 'Diary' } })
    await request(`${url}streams`, { token, body: { id: 'sleep', name: 'Sleep', parentId: 'diary' } })
    for (const name of ['lab', '$(touch /tmp/x)']) {
      const { body } = await request(`${url}accesses`, { token, body: { name, permissions: [{ streamId: 'diary', level: 'read' }] } })
      shared = String((body['access'] as { id: string }).id)
    }
  })

  it.each<[string[], string[]]>([
    [['user'], ['ana-lovelace', 'ben-hopper']],
    [['stream', '--', '--user', 'ana-lovelace', '--stream'], ['diary', 'sleep']],
    [['stream', '--', '--user=ana-lovelace', 'streams', 'move'], ['diary', 'sleep']],
    // Two accounts and no --user.
    [['stream'], []],
    [['client'], []],
    [['peer'], []],
    [['backup', '--', '--to', '/nowhere'], []],
    [['user', '--', '--home', '/nowhere'], []],
  ])('is returned by coffer __complete %j', async (words, expected) => {
    // Retries, because a busy machine may exceed the time limit.
    await vi.waitFor(async () => expect((await complete(...words)).sort()).toEqual(expected), { timeout: 20_000 })
  })

  it('returns events, series, webhooks and accounts of delegations', async () => {
    const env = { COFFER_HOME: node().places.home }
    const create = async (line: string): Promise<string> => {
      const { code, out, err } = await coffer(`${line} --user ana-lovelace -q`, { env })
      expect([line, code, err]).toEqual([line, 0, ''])
      return out.trim()
    }
    const note = await create('events create --stream diary --type note/txt --content first')
    const series = await create('events create --stream diary --type series:mass/kg')
    const webhook = await create('webhooks create https://hook.example.org/x --access lab')
    await create('delegations invite ben-hopper')
    const words: [string[], string[]][] = [
      [['event', '--', '--user', 'ana-lovelace', 'events', 'show'], [series, note].sort()],
      [['series', '--', '--user', 'ana-lovelace'], [series]],
      [['webhook', '--', '--user', 'ana-lovelace'], [webhook]],
      [['delegate', '--', '--user', 'ana-lovelace'], ['ben-hopper']],
      [['managed', '--', '--user', 'ben-hopper'], ['ana-lovelace']],
      [['webhook', '--', '--user', 'ben-hopper'], []],
    ]
    for (const [given, expected] of words) {
      await vi.waitFor(async () => expect([given, (await complete(...given)).sort()]).toEqual([given, expected]), { timeout: 20_000 })
    }
  })

  it('returns no text that a shell would expand', async () => {
    const offered = await vi.waitFor(async () => {
      const words = await complete('access', '--', '--user', 'ana-lovelace')
      expect(words).toContain('lab')
      return words
    }, { timeout: 20_000 })
    expect(offered).toContain(shared.split(':')[0])
    expect(offered.join(' ')).not.toContain('$')
  })

  const folder = mkdtempSync(join(tmpdir(), 'coffer-completion-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // A stub of coffer that accepts only the expected calls, without starting Node.js.
  function stubEnv(): Record<string, string | undefined> {
    const file = join(folder, 'coffer')
    writeFileSync(file, '#!/bin/sh\n[ "$*" = "__complete user -- --home /h users show" ] || [ "$*" = "__complete user -- events list --user" ] || exit 1\necho ana-lovelace\necho ben-hopper\n')
    chmodSync(file, 0o755)
    return { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` }
  }

  it.each([
    [['--home', '/h', 'users', 'show', 'be'], ['ben-hopper']],
    [['events', 'list', '--user', ''], ['ana-lovelace', 'ben-hopper']],
  ])('is requested by bash for %j', (words, expected) => {
    if (!hasBash) return
    const script = `${completionScript('bash', all)}\nCOMP_WORDS=(coffer "$@"); COMP_CWORD=$#; _coffer; printf "%s\\n" "\${COMPREPLY[@]}"`
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8', env: stubEnv() })
    expect(stdout.trim().split('\n')).toEqual(expected)
  })

  it.skipIf(spawnSync('fish', ['--version']).error !== undefined)('is requested by fish', () => {
    const script = `${completionScript('fish', all)}\ncomplete -C 'coffer --home /h users show be'\ncomplete -C 'coffer events list --user '`
    // A file, because the script exceeds the maximum length of an argument.
    writeFileSync(join(folder, 'ask.fish'), script)
    const { stdout } = spawnSync('fish', ['-N', join(folder, 'ask.fish')], { encoding: 'utf8', env: stubEnv() })
    expect(stdout.trim().split('\n').map((line) => line.split('\t')[0])).toEqual(['ben-hopper', 'ana-lovelace', 'ben-hopper'])
  })

  it.skipIf(spawnSync('zsh', ['--version']).error !== undefined)('has a script that zsh parses', () => {
    const { status, stderr } = spawnSync('zsh', ['-f', '-n', '-c', completionScript('zsh', all)], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
