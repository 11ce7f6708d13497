import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { settingKeys } from '../../../../src/server/config/settings/settings.js'
import { coffer } from '../../support/testTerminal.js'

let home: string
let file: string
let env: Record<string, string>

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coffer-home-'))
  file = join(home, 'config.toml')
  env = { COFFER_HOME: home }
  writeFileSync(file, '# mine\n[http]\nport = 1 # one\n\n[auth]\nadminAccessKey = "hush-hush"\n')
})
afterEach(() => rmSync(home, { recursive: true }))

describe('coffer config list', () => {
  it('prints every setting tab-separated, with secrets masked', async () => {
    const { code, out, err } = await coffer('config list', { env })
    expect(code).toBe(0)
    expect(out.trimEnd().split('\n').map((line) => line.split('\t')[0])).toEqual(settingKeys)
    expect(out).toContain('http.port\t1\n')
    expect(out).toContain('auth.adminAccessKey\t•••\n')
    expect(out).not.toContain('hush')
    expect(err).toBe(`${settingKeys.length} settings\n`)
  })

  it('shows the origin of each value with --origin', async () => {
    const { out } = await coffer('config list --origin', { env: { ...env, COFFER_SET_LOGS_LEVEL: 'warn' } })
    expect(out).toContain(`http.port\t1\t${file}:3\n`)
    expect(out).toContain('logs.level\twarn\tCOFFER_SET_LOGS_LEVEL\n')
    expect(out).toContain('http.ip\t127.0.0.1\tdefault\n')
  })

  it('prints one document with --json', async () => {
    const { out, err } = await coffer('--json config list', { env })
    const { settings } = JSON.parse(out)
    expect(settings).toContainEqual({ key: 'http.port', value: 1, origin: 'file', place: `${file}:3` })
    expect(settings).toContainEqual({ key: 'dns.domain', value: null, origin: 'default' })
    expect(out).not.toContain('hush')
    expect(err).toBe('')
  })

  it('prints a header on a terminal', async () => {
    const { out } = await coffer('config list --origin --no-color', { env, tty: true })
    expect(out).toMatch(/^SETTING +VALUE +ORIGIN\n/)
  })

  it('reports every error of the file', async () => {
    writeFileSync(file, 'http.prot = 1\nlogs.level = "loud"\n')
    const { code, out, err } = await coffer('config list', { env })
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`${file}:1: http.prot is not a setting; did you mean http.port?`)
    expect(err).toContain(`${file}:2: logs.level must be one of`)
  })

  it('exits 2 for an invalid variable', async () => {
    expect((await coffer('config list', { env: { ...env, COFFER_SET_HTTP_PORT: 'x' } })).code).toBe(2)
  })
})

describe('coffer config get', () => {
  it.each([
    ['http.port', '1\n', ''],
    ['http.trustedProxies', '["loopback"]\n', ''],
    ['service.name', 'coffer\n', ''],
    ['dns.domain', '', 'dns.domain is not set\n'],
    ['auth.adminAccessKey', '•••\n', 'The value is a secret; use --reveal to show it.\n'],
    ['auth.adminAccessKey --reveal', 'hush-hush\n', ''],
    ['auth.filesReadTokenSecret', '', 'auth.filesReadTokenSecret is not set\n'],
  ])('prints the value of %s', async (words, out, err) => {
    expect(await coffer(`config get ${words}`, { env })).toEqual({ code: 0, out, err })
  })

  it('accepts --json and --quiet', async () => {
    expect((await coffer('config get http.port --json', { env })).out).toBe(
      `{"key":"http.port","value":1,"origin":"file","place":"${file}:3"}\n`,
    )
    expect((await coffer('config get http.port -q', { env })).out).toBe('1\n')
  })

  it('reads another file with --config', async () => {
    writeFileSync(join(home, 'other.toml'), 'http.port = 2')
    expect((await coffer(`config get http.port --config ${home}/other.toml`, { env })).out).toBe('2\n')
  })

  it.each([
    ['config get http.prt', '✖ http.prt is not a setting\n  → Did you mean http.port?\n'],
    ['config get zzzzzzzz', '✖ zzzzzzzz is not a setting\n  → List them: coffer help settings\n'],
    ['config get', '✖ <key> is missing\n  → For example: coffer config get http.port\n  → See: coffer config get --help\n'],
  ])('%s exits 2', async (line, err) => expect(await coffer(line, { env })).toEqual({ code: 2, out: '', err }))
})

describe('coffer config set', () => {
  it('warns about other settings that a node needs, until they are set', async () => {
    const set = async (line: string): Promise<string> => (await coffer(`config set ${line}`, { env })).err
    expect(await set('dns.active true')).toMatch(/! A node cannot start with these settings yet: .*needs dns\.domain/)
    expect(await set('dns.domain example.org')).toMatch(/needs dnsLess\.isActive = false/)
    expect(await set('dnsLess.isActive false')).toMatch(/needs dns\.publicIp/)
    expect(await set('dns.publicIp 192.0.2.1')).not.toContain('cannot start')
    expect((await coffer('config unset dns.domain', { env })).err).toContain('cannot start with these settings yet')
    for (const key of ['dns.active', 'dnsLess.isActive', 'dns.publicIp']) await coffer(`config unset ${key}`, { env })
  })

  it('changes one line', async () => {
    const { code, out, err } = await coffer('config set http.port 8080', { env })
    expect([code, out, err]).toEqual([0, '', `✔ http.port = 8080   in ${file}\n`])
    const rest = '\n[auth]\nadminAccessKey = "hush-hush"\n'
    expect(readFileSync(file, 'utf8')).toBe(`# mine\n[http]\nport = 8080 # one\n${rest}`)
  })

  it('reports in JSON whether the setting changed', async () => {
    const base = { key: 'http.port', value: 8080, file }
    for (const changed of [true, false]) {
      const { out } = await coffer('config set http.port 8080 --json', { env })
      expect(JSON.parse(out)).toEqual({ ...base, changed })
    }
  })

  it('warns when a variable overrides the file', async () => {
    const { err } = await coffer('config set http.port 2', { env: { ...env, COFFER_SET_HTTP_PORT: '3' } })
    expect(err).toContain('! The variable COFFER_SET_HTTP_PORT overrides the file here.')
  })

  it.each([
    ['--stdin', 'new-secret\n'],
    ['--from', undefined],
  ])('reads a secret with %s and does not print it', async (option, stdin) => {
    writeFileSync(join(home, 'key'), 'new-secret\n')
    const line = `config set auth.adminAccessKey ${option}${stdin === undefined ? ` ${home}/key` : ''}`
    const { code, out, err } = await coffer(line, { env, ...(stdin === undefined ? {} : { stdin }) })
    expect(code).toBe(0)
    expect(out + err).not.toContain('new-secret')
    expect(readFileSync(file, 'utf8')).toContain('adminAccessKey = "new-secret"')
  })

  it('unsets a setting by the value null', async () => {
    await coffer(['config', 'set', 'invitationTokens', '[]'], { env })
    expect(readFileSync(file, 'utf8')).toContain('invitationTokens = []')
    await coffer('config set invitationTokens null', { env })
    expect(readFileSync(file, 'utf8')).not.toContain('invitationTokens')
  })

  it('changes a file that has other errors', async () => {
    writeFileSync(file, '[http]\nport = "x"\nprot = 1\n')
    expect((await coffer('config set http.port 2', { env })).code).toBe(0)
    expect((await coffer('config unset http.prot', { env })).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('[http]\nport = 2\n')
  })

  it.each([
    ['config set http.port 99999', 'http.port must be a whole number from 0 to 65535, not "99999"'],
    ['config set http.port', '[value] is required'],
    ['config set http.prt 1', 'Did you mean http.port?'],
    ['config set auth.adminAccessKey visible', 'is not accepted on the command line'],
    ['config set auth.adminAccessKey', '--stdin or --from <file> is missing'],
    ['config set http.port 1 --stdin', 'The value is given twice'],
  ])('%s exits 2 and changes nothing', async (line, message) => {
    const before = readFileSync(file, 'utf8')
    const { code, out, err } = await coffer(line, { env })
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).not.toContain('visible')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('exits 10 without a store, and creates no folder', async () => {
    const none = join(home, 'none')
    expect((await coffer(`config set http.port 1 --home ${none}`, { env })).code).toBe(10)
    expect(existsSync(none)).toBe(false)
  })

  it('reports a file that is not TOML', async () => {
    writeFileSync(file, 'a = \n')
    const { code, err } = await coffer('config set http.port 1', { env })
    expect(code).toBe(1)
    expect(err).toContain(file)
  })
})

describe('coffer config unset', () => {
  it('removes the line, and reports when there was none', async () => {
    expect((await coffer('config unset http.port', { env })).err).toBe(`✔ http.port is no longer in ${file}\n`)
    expect(readFileSync(file, 'utf8')).toBe('# mine\n[http]\n\n[auth]\nadminAccessKey = "hush-hush"\n')
    const again = await coffer('config unset http.port', { env })
    expect(again).toEqual({ code: 0, out: '', err: `✔ http.port is not in ${file}\n` })
  })

  it('exits 2 for a key that is neither a setting nor in the file', async () => {
    expect((await coffer('config unset http.prt', { env })).code).toBe(2)
  })
})

describe('coffer config path', () => {
  it('prints all paths', async () => {
    const { out } = await coffer('config path', { env })
    expect(out.split('\n').slice(0, 3)).toEqual([`home\t${home}`, `config\t${file}`, `store\t${home}/store`])
    const { socket } = JSON.parse((await coffer('config path --json', { env })).out)
    expect(socket).toBe(join(home, 'node.sock'))
  })
})

describe('coffer config check', () => {
  it('reports the errors that a start would report', async () => {
    const { code, out } = await coffer('config check --json', { env })
    expect([code, JSON.parse(out)]).toEqual([0, { ok: true, file, settings: 2 }])
    writeFileSync(file, 'http.prot = 1\n')
    const wrong = await coffer('config check', { env })
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining(`${file}:1: http.prot is not a setting`)])
  })
})

describe('coffer config edit', () => {
  const edit = (editor: string | undefined): ReturnType<typeof coffer> => coffer('config edit --json', { env: { ...env, ...(editor === undefined ? {} : { EDITOR: editor }) } })

  it('applies the edited file once it is valid', async () => {
    const before = readFileSync(file, 'utf8')
    expect((await edit('true')).out).toBe(`${JSON.stringify({ file, changed: false })}\n`)
    expect((await edit('sed -i s/port/prot/')).code).toBe(1)
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(statSync(`${file}.edit`).mode & 0o777).toBe(0o600)
    // The next edit continues with the rejected text.
    expect((await edit('sed -i s/prot.*/port=2/')).out).toBe(`${JSON.stringify({ file, changed: true })}\n`)
    expect(readFileSync(file, 'utf8')).toBe(before.replace('port = 1 # one', 'port=2'))
    expect([existsSync(`${file}.edit`), statSync(file).mode & 0o777]).toEqual([false, 0o600])
  })

  it('changes nothing when the editor fails or none is configured', async () => {
    expect(await edit('false')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('The editor exited with 1') as string })
    expect(await edit(undefined)).toMatchObject({ code: 2, err: expect.stringContaining('EDITOR=nano') as string })
  })
})
