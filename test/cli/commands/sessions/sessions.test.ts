/** Tests of `coffer sessions` and `coffer users set-password`, with and without a running node. */
import { afterEach, describe, expect, it } from 'vitest'
import { recordsOf } from '../../../support/people/audit.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const open = { 'auth.trustedApps': '*@*' }
let home: TestHome | undefined
let node: TestNode | undefined
afterEach(async () => {
  await node?.stop()
  await home?.remove()
  node = undefined
})

const logIn = (at: TestNode, user: string, password: string, appId: string): Promise<Answer> =>
  request(`${at.url}${user}/auth/login`, { body: { username: user, password, appId } })
const status = async (at: TestNode, user: string, token: unknown): Promise<number> =>
  (await request(`${at.url}${user}/access-info`, { token: String(token) })).status

/** Starts a node with two accounts: three sessions of ana, two of them of apps, and one of bob. */
async function startWithSessions(): Promise<{ home: TestHome; at: TestNode; tokens: unknown[] }> {
  home = await testHome('ana-lovelace', 'bob-franklin')
  node = await startTestNode(open, { home: home.home })
  const tokens = []
  for (const app of ['diary-app', 'heart-app']) {
    tokens.push((await logIn(node, 'ana-lovelace', 'correct horse', app)).body['token'])
  }
  return { home, at: node, tokens }
}

type Json = Record<string, unknown>
const sessions = async (closed: TestHome, line = 'sessions list'): Promise<Json[]> => (await closed.json(line))['sessions'] as Json[]
const apps = (list: Json[]): unknown[] => list.map(({ username, app }) => `${String(username)} ${String(app)}`).sort()
const ALL_SESSIONS = ['ana-lovelace coffer-cli', 'ana-lovelace diary-app', 'ana-lovelace heart-app', 'bob-franklin coffer-cli']

/** Stops the node, so that commands open the store themselves. */
async function stopNode(): Promise<void> {
  await node?.stop()
  node = undefined
}

describe('sessions list', () => {
  it('lists sessions with and without a running node', async () => {
    const { home, at, tokens } = await startWithSessions()
    await status(at, 'ana-lovelace', tokens[0])
    const running = await sessions(home)
    expect(apps(running)).toEqual(ALL_SESSIONS)
    const diary = running.find(({ app }) => app === 'diary-app') ?? {}
    expect(Object.keys(diary)).toEqual(['id', 'username', 'app', 'since', 'lastUsed', 'expires'])
    expect(Number(diary['expires']) - Number(diary['since'])).toBeCloseTo(14 * 86_400, -2)
    expect(diary['lastUsed']).toBeGreaterThanOrEqual(Number(diary['since']) - 1)
    await stopNode()
    expect(apps(await sessions(home))).toEqual(ALL_SESSIONS)
    expect(apps(await sessions(home, 'sessions list --user bob-franklin'))).toEqual(['bob-franklin coffer-cli'])
  })

  it('prints a table, or only ids with -q', async () => {
    const closed = await testHome('ana-lovelace')
    home = closed
    const { out, err } = await closed.run('sessions list')
    expect(out).toContain('coffer-cli')
    expect(err).toContain('1 session')
    const [only] = await sessions(closed)
    expect((await closed.run('sessions list -q')).out).toBe(`${String(only?.['id'])}\n`)
    expect((await closed.run('sessions list --user nobody')).code).toBe(5)
  })
})

describe('sessions end', () => {
  it('ends the session of one app, by its name or id', async () => {
    const { home, at, tokens } = await startWithSessions()
    const { err } = await home.run('sessions end diary-app')
    expect(err).toContain('1 session of ana-lovelace ended')
    expect(await status(at, 'ana-lovelace', tokens[0])).toBe(403)
    expect(await status(at, 'ana-lovelace', tokens[1])).toBe(200)
    const heart = (await sessions(home)).find(({ app }) => app === 'heart-app')
    await stopNode()
    expect((await home.json(`sessions end ${String(heart?.['id'])}`))['sessions']).toMatchObject([{ app: 'heart-app' }])
    expect(apps(await sessions(home))).toEqual(['ana-lovelace coffer-cli', 'bob-franklin coffer-cli'])
  })

  it('ends all sessions of one account with --all, and records it in its audit log', async () => {
    const { home, at, tokens } = await startWithSessions()
    expect((await home.run('sessions end --all')).code).toBe(2)
    expect((await home.json('sessions end --all --user ana-lovelace'))['sessions']).toHaveLength(3)
    for (const token of tokens) expect(await status(at, 'ana-lovelace', token)).toBe(403)
    expect(apps(await sessions(home))).toEqual(['bob-franklin coffer-cli'])
    const owner = String((await logIn(at, 'ana-lovelace', 'correct horse', 'diary-app')).body['token'])
    const records = await recordsOf({ node: at, username: 'ana-lovelace', owner }, [':_audit:action-auth.logout'])
    expect(records).toMatchObject([{ content: { source: { name: 'control' } } }])
  })

  it('requires an unambiguous session', async () => {
    const { home } = await startWithSessions()
    expect(await home.run('sessions end')).toMatchObject({ code: 2 })
    expect(await home.run('sessions end diary-app --all')).toMatchObject({ code: 2 })
    const unknown = await home.run('sessions end nothing')
    expect(unknown.code).toBe(5)
    expect(unknown.err).toContain('coffer sessions list')
    const several = await home.run('sessions end coffer-cli')
    expect(several.code).toBe(2)
    expect(several.err).toContain('ana-lovelace, bob-franklin')
    expect((await home.run('sessions end coffer-cli --user bob-franklin')).code).toBe(0)
  })
})

describe('users set-password', () => {
  const set = 'users set-password ana-lovelace --password-stdin'

  it('sets the password and ends the sessions on a running node', async () => {
    const { home, at, tokens } = await startWithSessions()
    for (let n = 0; n < 6; n++) await logIn(at, 'ana-lovelace', 'wrong', 'diary-app')
    const { code, out, err } = await home.run(set, { stdin: 'battery staple\n' })
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).toContain('Password of ana-lovelace set; 3 sessions ended')
    expect(err).not.toContain('battery')
    for (const token of tokens) expect(await status(at, 'ana-lovelace', token)).toBe(403)
    expect((await logIn(at, 'ana-lovelace', 'battery staple', 'diary-app')).status).toBe(200)
    expect((await logIn(at, 'ana-lovelace', 'correct horse', 'diary-app')).status).toBe(401)
    expect(at.logged.join()).not.toContain('battery')
    const owner = String((await logIn(at, 'ana-lovelace', 'battery staple', 'diary-app')).body['token'])
    const stage = { node: at, username: 'ana-lovelace', owner }
    expect(await recordsOf(stage, [':_audit:action-account.changePassword'])).toHaveLength(1)
  })

  it('sets the password on a closed store, and keeps the sessions with --keep-sessions', async () => {
    const { home, tokens } = await startWithSessions()
    await stopNode()
    expect(await home.json(`${set} --keep-sessions`, { stdin: 'battery staple' })).toEqual({
      user: { username: 'ana-lovelace' },
      sessionsEnded: 0,
    })
    node = await startTestNode(open, { home: home.home })
    expect(await status(node, 'ana-lovelace', tokens[0])).toBe(200)
    expect((await logIn(node, 'ana-lovelace', 'battery staple', 'diary-app')).status).toBe(200)
  })

  it('applies the password rules of the node, except the minimum age', async () => {
    const closed = await testHome('ana-lovelace')
    home = closed
    const env = {
      COFFER_SET_AUTH_PASSWORD_COMPLEXITY_MIN_LENGTH: '8',
      COFFER_SET_AUTH_PASSWORD_PREVENT_REUSE_HISTORY_LENGTH: '2',
      COFFER_SET_AUTH_PASSWORD_AGE_MIN_DAYS: '5',
    }
    expect(await closed.run(set, { stdin: '12345', env })).toMatchObject({ code: 1 })
    expect((await closed.run(set, { stdin: '1234567', env })).err).toContain('at least 8')
    expect((await closed.run(set, { stdin: 'correct horse', env })).err).toContain('reuse rules')
    expect(await closed.run(set, { stdin: 'battery staple', env })).toMatchObject({ code: 0 })
  })

  it('refuses an unknown account, and requires a password', async () => {
    const closed = await testHome('ana-lovelace')
    home = closed
    expect((await closed.run('users set-password nobody --password-stdin', { stdin: 'x' })).code).toBe(5)
    expect(await closed.run('users set-password ana-lovelace')).toMatchObject({ code: 2 })
  })
})
