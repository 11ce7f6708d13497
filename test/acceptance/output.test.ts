/** Tests of the output of commands: on terminals, into pipes, as JSON, on narrow terminals and on closed streams. */
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { afterTheFile, coffer, folder, json, shell, start } from './support/coffer.js'
import { onTerminal } from './support/terminal.js'

const password = 'correct horse battery'

/** Home with two accounts and without a running node. */
let home: string
const later = afterTheFile()
beforeAll(async () => {
  home = join(folder(later), 'höme 家')
  const account = ['--user', 'ana-lovelace', '--email', 'a-rather-long-address@ana.example.org', '--password-stdin']
  expect((await coffer(['init', '--home', home, ...account], { stdin: password })).code).toBe(0)
  const second = ['users', 'create', 'ben-franklin', '--email', 'ben@example.org', '--password-stdin', '--home', home]
  expect((await coffer(second, { stdin: password })).code).toBe(0)
})
const run = (line: string, env = {}): ReturnType<typeof coffer> => coffer(line, { env: { COFFER_HOME: home, ...env } })

describe('a list', () => {
  it('is printed as tab-separated lines into a pipe, without header or truncation', async () => {
    const { out, err } = await run('users list')
    const rows = out.trimEnd().split('\n').map((line) => line.split('\t'))
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ['ana-lovelace', 'a-rather-long-address@ana.example.org'],
      ['ben-franklin', 'ben@example.org'],
    ])
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([7]))
    expect(err).toMatch(/\n2 accounts\n$/)
  })

  it('is printed as ids with -q, for the next command', async () => {
    expect(await run('users list -q')).toEqual({ code: 0, out: 'ana-lovelace\nben-franklin\n', err: '' })
    const piped = await shell('coffer users list -q | while read -r u; do coffer users show "$u" -q; done', {
      env: { COFFER_HOME: home },
    })
    expect(piped).toMatchObject({ code: 0, out: 'ana-lovelace\nben-franklin\n' })
  })

  it('is printed as one line of JSON into a pipe with --json, and nothing on stderr', async () => {
    const outcome = await run('users list --json')
    expect([outcome.code, outcome.err, outcome.out.split('\n').length]).toEqual([0, '', 2])
    expect(json(outcome)).toMatchObject({ users: [{ username: 'ana-lovelace' }, { username: 'ben-franklin' }] })
  })

  it('has a header on a terminal, and truncated cells on a narrow one', async () => {
    const wide = await onTerminal('users list', { env: { COFFER_HOME: home }, columns: 120 }).ended
    expect(wide.code).toBe(0)
    expect(wide.screen).toMatch(/^USERNAME +EMAIL +STREAMS +SIZE +FILES +MFA +LAST SEEN$/m)
    expect(wide.screen).toMatch(/^ana-lovelace {2}a-rather-long-address@ana\.example\.org /m)
    const narrow = await onTerminal('users list', { env: { COFFER_HOME: home }, columns: 40 }).ended
    expect(narrow.screen).toMatch(/^USERNAME +EMAIL +LAST SEEN$/m)
    expect(narrow.screen).toMatch(/^ana-lovelace {2}a-rather\S*… +—$/m)
    for (const line of narrow.screen.split('\n').filter((each) => /^(USER|ana|ben)/.test(each))) {
      expect([...line].length).toBeLessThanOrEqual(40)
    }
  })
})

describe('colour', () => {
  const coloured = /\u001b\[\d+m/
  it.each([
    ['a pipe', 'users show nobody-here', {}, false],
    ['FORCE_COLOR in a pipe', 'users show nobody-here', { FORCE_COLOR: '1' }, true],
    ['NO_COLOR with FORCE_COLOR', 'users show nobody-here', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ['--no-color with FORCE_COLOR', 'users show nobody-here --no-color', { FORCE_COLOR: '1' }, false],
  ])('is printed or omitted for %s', async (_, line, env, expected) => {
    const { out, err } = await run(line, env)
    expect(coloured.test(out + err)).toBe(expected)
    expect(err).toContain('✖')
  })
})

describe('a closed stdout', () => {
  it.each(['config list', 'help settings', 'users list', 'completion bash', 'config list --json'])(
    'ends coffer %s without an error',
    async (line) => {
      const { out, err, code } = await shell(`coffer ${line} | true; echo "$\{PIPESTATUS[0]}"`, { env: { COFFER_HOME: home } })
      expect([code, out]).toEqual([0, '0\n'])
      expect(err).not.toMatch(/EPIPE|Error|at /)
    },
  )

  it('ends the command after the first line was read', async () => {
    const { out } = await shell('coffer config list | head -1; echo "${PIPESTATUS[0]}"', { env: { COFFER_HOME: home } })
    expect(out).toMatch(/^auth\.adminAccessKey\t•••\n0\n$/)
  })

  it('that is full causes exit code 75', async () => {
    if (!existsSync('/dev/full')) return
    const { out, err } = await shell('coffer config list > /dev/full; echo $?', { env: { COFFER_HOME: home } })
    expect([out, err]).toEqual(['75\n', expect.stringContaining('cannot write to stdout')])
  })

  it('of a starting node does not end it', async () => {
    const newHome = join(folder(), 'home')
    onTestFinished(async () => void (await coffer(`stop --home ${newHome}`)))
    const piped = shell(`{ coffer start --port 0 --home ${newHome}; echo $? >&2; } | true`)
    let status = await coffer(`status --home ${newHome}`)
    while (status.code === 7) status = await coffer(`status --home ${newHome}`)
    expect((await coffer(`stop --home ${newHome}`)).code).toBe(0)
    expect((await piped).err).toBe('0\n')
  })

  it('of a running node does not end it', async () => {
    const newHome = join(folder(), 'home')
    const node = await start(newHome)
    node.child.stdout.destroy()
    node.child.stderr.destroy()
    expect((await coffer(`users list --home ${newHome}`)).code).toBe(0)
    expect(await node.stop()).toMatchObject({ code: 0 })
  })
})

describe('the home', () => {
  it.each([
    ['--home', ['--home', './a b'], {}, 'a b'],
    ['COFFER_HOME', [], { COFFER_HOME: 'c' }, 'c'],
    ['XDG_DATA_HOME', [], (base: string) => ({ XDG_DATA_HOME: base }), 'coffer'],
    ['HOME', [], (base: string) => ({ HOME: base }), '.local/share/coffer'],
    ['--home over COFFER_HOME', ['--home', 'd'], { COFFER_HOME: 'c' }, 'd'],
  ] as Array<[string, string[], object | ((base: string) => object), string]>)('is taken from %s', async (_, flags, env, place) => {
    const cwd = folder()
    const given = typeof env === 'function' ? env(cwd) : env
    const created = await coffer(['init', ...flags, '--json'], { cwd, env: { ...given } })
    expect(json(created)['home']).toBe(join(cwd, place))
    expect(statSync(join(cwd, place)).mode & 0o777).toBe(0o700)
  })

  it('has a default without HOME', async () => {
    const where = await coffer('config path --json', { env: { HOME: undefined } })
    expect(where.code).toBe(0)
    expect(json(where)['home']).toMatch(/\.local\/share\/coffer$/)
  })

  it('can have a name in any script, which hints quote', async () => {
    const listed = await run('users list')
    expect(listed.err).toContain(`opening the store ${join(home, 'store')}`)
    const stopped = await coffer(['stop', '--home', home])
    expect(stopped.err).toContain(`coffer start --home '${home}'`)
    const copy = join(folder(), 'copy')
    cpSync(home, copy, { recursive: true })
    const node = await start(copy)
    expect((await coffer(['users', 'list', '-q', '--home', copy])).out).toBe('ana-lovelace\nben-franklin\n')
    await node.stop()
  })

  it('can have a path too long for a socket', async () => {
    const newHome = join(folder(), 'x'.repeat(100), 'home')
    const node = await start(newHome)
    expect((await coffer(`status --home ${newHome}`)).code).toBe(0)
    expect((await coffer(`stop --home ${newHome}`)).code).toBe(0)
    expect(await node.ended).toMatchObject({ code: 0 })
  })
})

describe('settings', () => {
  it('are taken from flags, then variables, then the file, then the default', async () => {
    const newHome = folder()
    writeFileSync(join(newHome, 'config.toml'), '[http]\nport = 1001\n\n[logs]\nlevel = "warn"\n')
    const port = async (env = {}): Promise<string> => (await coffer(`config get http.port --home ${newHome}`, { env })).out
    expect([await port(), await port({ COFFER_SET_HTTP_PORT: '1002' })]).toEqual(['1001\n', '1002\n'])
    const listed = await coffer(`config list --origin --home ${newHome}`, { env: { COFFER_SET_SERVICE_NAME: 'ana’s' } })
    expect(listed.out).toContain(`http.port\t1001\t${newHome}/config.toml:2\n`)
    expect(listed.out).toContain('service.name\tana’s\tCOFFER_SET_SERVICE_NAME\n')
    expect(listed.out).toContain('http.ip\t127.0.0.1\tdefault\n')
    // The helper start passes --port 0, which overrides both.
    const node = await start(join(newHome, 'node'), {
      env: { COFFER_SET_HTTP_PORT: '1002', COFFER_SET_SERVICE_NAME: 'variable' },
      options: '--set service.serial=flag',
    })
    expect(node.url).not.toMatch(/:1002\//)
    const info = (await (await fetch(`${node.url}service/info`)).json()) as Record<string, unknown>
    expect([info['name'], info['serial']]).toEqual(['variable', 'flag'])
    await node.stop()
  })

  it('are changed in the file, and apply at the next start', async () => {
    const newHome = join(folder(), 'home')
    mkdirSync(newHome)
    const file = join(newHome, 'config.toml')
    writeFileSync(file, '# mine\n[service]\nname = "one" # here\n')
    expect((await coffer(`config set service.name two --home ${newHome}`)).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('# mine\n[service]\nname = "two" # here\n')
    const node = await start(newHome)
    const info = (await (await fetch(`${node.url}service/info`)).json()) as Record<string, unknown>
    expect(info['name']).toBe('two')
    await node.stop()
  })
})
