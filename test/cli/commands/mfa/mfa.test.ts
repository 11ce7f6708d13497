/** Tests of `coffer mfa`: on a closed store, with a running node, and interactively. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../src/cli/program.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { codeAt, trusting } from '../../../support/people/totp.js'
import { testHome, type TestHome } from '../../support/closedHome.js'
import { screen, type Screen } from '../../support/testTerminal.js'

const now = (): number => Date.now() / 1000
const UUID = /^[0-9a-f-]{36}$/

/** Runs a command interactively; `shows` waits for a text on stderr. */
function typing(home: TestHome, line: string): { shown: Screen; ended: Promise<number>; shows(text: string): Promise<string> } {
  const shown = screen({ stdin: true, stdout: true, stderr: true })
  const env = { COFFER_HOME: home.home, NO_COLOR: '1' }
  const ended = runCommandLine(line.split(' '), { env, terminal: (choices) => shown.terminal({ ...choices, env }) })
  const shows = async (text: string): Promise<string> => {
    await expect.poll(() => shown.err(), { timeout: 10_000 }).toContain(text)
    return shown.err()
  }
  return { shown, ended, shows }
}

const secretIn = (text: string): string => /^ {2}([A-Z2-7]{32})$/m.exec(text)?.[1] ?? ''

describe('coffer mfa without a running node', () => {
  let home: TestHome
  beforeAll(async () => {
    home = await testHome('ana-lovelace', 'ben-lovelace')
  })
  afterAll(() => home.remove())
  const factor = async (user: string): Promise<unknown> => (await home.json(`mfa status --user ${user}`))['mfa']

  it('reports no second factor, and suggests mfa enable', async () => {
    const { code, out, err } = await home.run('mfa status --user ana-lovelace', { tty: true })
    expect([code, out]).toEqual([0, 'Second factor  —\n'])
    expect(err).toContain('mfa enable')
    expect(await home.json('mfa status --user ana-lovelace')).toEqual({ username: 'ana-lovelace', mfa: null, methods: ['totp'] })
  })

  it('sets up a second factor interactively', async () => {
    const { shown, ended, shows } = typing(home, 'mfa enable --user ana-lovelace')
    const text = await shows('Code: ')
    expect(text).toMatch(/[▄▀█]{10}/)
    const secret = secretIn(text)
    shown.streams.stdin.write('12\n')
    await shows('4 to 10 digits')
    shown.streams.stdin.write(`${codeAt(secret, now())}\n`)
    expect(await ended).toBe(0)
    const codes = shown.out().trim().split('\n')
    expect(codes).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(UUID)
    expect(shown.out()).not.toContain(secret)
    expect(await factor('ana-lovelace')).toMatchObject({ method: 'totp', content: {} })
  })

  it('lists the second factor as app', async () => {
    const { out } = await home.run('users list', { tty: true })
    expect(out).toMatch(/^ana-lovelace .* app /m)
    expect(out).toMatch(/^ben-lovelace .* — /m)
    expect((await home.run('users show ana-lovelace')).out).toContain('MFA        app')
    const { users } = await home.json('users list')
    expect(users).toMatchObject([{ mfa: 'totp' }, { mfa: null }])
  })

  it('requires a running node when not interactive', async () => {
    for (const line of ['mfa enable --user ben-lovelace', 'mfa enable --user ben-lovelace --json']) {
      const { code, err } = await home.run(line)
      expect(code).toBe(7)
      expect(err).toContain('coffer start')
    }
    expect((await home.run('mfa confirm 123456 --user ben-lovelace --token-stdin', { stdin: 'x' })).code).toBe(7)
  })

  it('disables the second factor after a confirmation', async () => {
    const asked = await home.run('mfa disable --user ana-lovelace')
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')])
    expect(await factor('ana-lovelace')).not.toBeNull()
    expect((await home.run('mfa disable --user ana-lovelace --yes')).code).toBe(0)
    expect(await factor('ana-lovelace')).toBeNull()
    const again = await home.run('mfa disable --user ana-lovelace', { tty: true })
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('has no second factor')])
  })

  it('refuses an unknown account', async () => {
    for (const verb of ['status', 'enable --no-input', 'disable --yes', 'reset --yes']) {
      const { code } = await home.run(`mfa ${verb} --user nobody-here`)
      expect({ verb, code }).toEqual({ verb, code: verb.startsWith('enable') ? 7 : 5 })
    }
  })
})

describe('coffer mfa with a running node', () => {
  let home: TestHome
  let node: TestNode
  beforeAll(async () => {
    home = await testHome('ana-lovelace')
    node = await startTestNode(trusting, { home: home.home })
  })
  afterAll(async () => {
    await node.stop()
    await home.remove()
  })
  const login = (): Promise<{ status: number; body: Record<string, unknown> }> =>
    request(`${node.url}ana-lovelace/auth/login`, { body: { username: 'ana-lovelace', password: 'correct horse', appId: 'x-app' } })

  it('sets up a second factor in two steps, and writes the codes to a private file', async () => {
    const opened = await home.json('mfa enable')
    expect(Object.keys(opened).sort()).toEqual(['method', 'mfaToken', 'otpauthUri', 'secret'])
    const token = { stdin: `${String(opened['mfaToken'])}\n` }
    const code = codeAt(String(opened['secret']), now() - 30)
    const wrong = await home.run('mfa confirm 000000 --token-stdin --json', token)
    expect([wrong.code, JSON.parse(wrong.err)]).toMatchObject([1, { error: { id: 'invalid-parameters-format', data: { id: 'invalid-mfa-code' } } }])
    const file = join(home.home, 'recovery.txt')
    const { code: exit, out } = await home.run(['mfa', 'confirm', code, '--token-stdin', '--secret-to', file], token)
    expect([exit, out]).toEqual([0, ''])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const codes = (await readFile(file, 'utf8')).trim().split('\n')
    expect(codes).toHaveLength(10)
    const again = await home.run(['mfa', 'confirm', code, '--token-stdin'], token)
    expect(again.code).toBe(4)
    const { status, body } = await login()
    expect(status).toBe(302)
    const verified = await request(`${node.url}ana-lovelace/mfa/verify`, { token: String(body['mfaToken']), body: { code: codeAt(String(opened['secret']), now()) } })
    expect(verified.status).toBe(200)
  })

  it('does not confirm when the codes cannot be written', async () => {
    const opened = await home.json('mfa enable')
    const code = codeAt(String(opened['secret']), now())
    const { code: exit } = await home.run(['mfa', 'confirm', code, '--token-stdin', '--secret-to', join(home.home, 'no', 'where')], { stdin: String(opened['mfaToken']) })
    expect(exit).toBe(1)
    const { code: fine, out } = await home.run(['mfa', 'confirm', code, '--token-stdin', '--json'], { stdin: String(opened['mfaToken']) })
    expect(fine).toBe(0)
    expect((JSON.parse(out) as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10)
  })

  it('resets the second factor for the operator, which the audit log records', async () => {
    expect((await home.run('mfa reset --yes -q')).out).toBe('ana-lovelace\n')
    expect((await login()).status).toBe(200)
    const { out } = await home.run('audit list --json')
    expect(out).toContain('mfa.deactivate')
    expect(out).toContain('mfa.confirm')
  })

  it('prints names and values into a pipe', async () => {
    const { code, out } = await home.run('mfa enable')
    expect(code).toBe(0)
    expect(out).toMatch(/^mfaToken=[0-9a-f-]{36}\nmethod=totp\notpauthUri=otpauth:.*\nsecret=[A-Z2-7]{32}\n$/)
  })
})
