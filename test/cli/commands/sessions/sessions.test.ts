/** Who is logged in, and passwords set by the operator: with a node that runs, and without. */
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

/** Two accounts whose node runs: ana's command line session and two of apps, bob's command line session. */
async function deps(): Promise<{ home: TestHome; at: TestNode; tokens: unknown[] }> {
  home = await testHome('ana-lovelace', 'bob-franklin')
  node = await startTestNode(open, { home: home.home })
  const tokens = []
  for (const app of ['diary-app', 'heart-app']) {
    tokens.push((await logIn(node, 'ana-lovelace', 'correct horse', app)).body['token'])
  }
  return { home, at: node, tokens }
}

type Json = Record<string, unknown>
const sessions = async (made: TestHome, line = 'sessions list'): Promise<Json[]> => (await made.json(line))['sessions'] as Json[]
const apps = (list: Json[]): unknown[] => list.map(({ username, app }) => `${String(username)} ${String(app)}`).sort()
const WHOLE = ['ana-lovelace coffer-cli', 'ana-lovelace diary-app', 'ana-lovelace heart-app', 'bob-franklin coffer-cli']

/** Stops the node, so that commands open the store themselves. */
async function stopped(): Promise<void> {
  await node?.stop()
  node = undefined
}

describe('sessions list', () => {
  it('tells who is logged in, with the node running or not', async () => {
    const { home, at, tokens } = await deps()
    await status(at, 'ana-lovelace', tokens[0])
    const running = await sessions(home)
    expect(apps(running)).toEqual(WHOLE)
    const diary = running.find(({ app }) => app === 'diary-app') ?? {}
    expect(Object.keys(diary)).toEqual(['id', 'username', 'app', 'since', 'lastUsed', 'expires'])
    expect(Number(diary['expires']) - Number(diary['since'])).toBeCloseTo(14 * 86_400, -2)
    expect(diary['lastUsed']).toBeGreaterThanOrEqual(Number(diary['since']) - 1)
    await stopped()
    expect(apps(await sessions(home))).toEqual(WHOLE)
    expect(apps(await sessions(home, 'sessions list --user bob-franklin'))).toEqual(['bob-franklin coffer-cli'])
  })

  it('shows a table, or the ids alone', async () => {
    const made = await testHome('ana-lovelace')
    home = made
    const { out, err } = await made.run('sessions list')
    expect(out).toContain('coffer-cli')
    expect(err).toContain('1 session')
    const [only] = await sessions(made)
    expect((await made.run('sessions list -q')).out).toBe(`${String(only?.['id'])}\n`)
    expect((await made.run('sessions list --user nobody')).code).toBe(5)
  })
})

describe('sessions end', () => {
  it('logs one app out, by its name or id', async () => {
    const { home, at, tokens } = await deps()
    const { err } = await home.run('sessions end diary-app')
    expect(err).toContain('1 session of ana-lovelace ended')
    expect(await status(at, 'ana-lovelace', tokens[0])).toBe(403)
    expect(await status(at, 'ana-lovelace', tokens[1])).toBe(200)
    const heart = (await sessions(home)).find(({ app }) => app === 'heart-app')
    await stopped()
    expect((await home.json(`sessions end ${String(heart?.['id'])}`))['sessions']).toMatchObject([{ app: 'heart-app' }])
    expect(apps(await sessions(home))).toEqual(['ana-lovelace coffer-cli', 'bob-franklin coffer-cli'])
  })

  it('logs an account out wholly, and no other; its owner can read that', async () => {
    const { home, at, tokens } = await deps()
    expect((await home.run('sessions end --all')).code).toBe(2)
    expect((await home.json('sessions end --all --user ana-lovelace'))['sessions']).toHaveLength(3)
    for (const token of tokens) expect(await status(at, 'ana-lovelace', token)).toBe(403)
    expect(apps(await sessions(home))).toEqual(['bob-franklin coffer-cli'])
    const owner = String((await logIn(at, 'ana-lovelace', 'correct horse', 'diary-app')).body['token'])
    const records = await recordsOf({ node: at, username: 'ana-lovelace', owner }, [':_audit:action-auth.logout'])
    expect(records).toMatchObject([{ content: { source: { name: 'control' } } }])
  })

  it('asks for what it cannot know', async () => {
    const { home } = await deps()
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

  it('sets it and ends the sessions, with the node running', async () => {
    const { home, at, tokens } = await deps()
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

  it('sets it with the node stopped, and keeps the sessions when asked', async () => {
    const { home, tokens } = await deps()
    await stopped()
    expect(await home.json(`${set} --keep-sessions`, { stdin: 'battery staple' })).toEqual({
      user: { username: 'ana-lovelace' },
      sessionsEnded: 0,
    })
    node = await startTestNode(open, { home: home.home })
    expect(await status(node, 'ana-lovelace', tokens[0])).toBe(200)
    expect((await logIn(node, 'ana-lovelace', 'battery staple', 'diary-app')).status).toBe(200)
  })

  it('follows the rules of the node, other than the least age', async () => {
    const made = await testHome('ana-lovelace')
    home = made
    const env = {
      COFFER_SET_AUTH_PASSWORD_COMPLEXITY_MIN_LENGTH: '8',
      COFFER_SET_AUTH_PASSWORD_PREVENT_REUSE_HISTORY_LENGTH: '2',
      COFFER_SET_AUTH_PASSWORD_AGE_MIN_DAYS: '5',
    }
    expect(await made.run(set, { stdin: '12345', env })).toMatchObject({ code: 1 })
    expect((await made.run(set, { stdin: '1234567', env })).err).toContain('at least 8')
    expect((await made.run(set, { stdin: 'correct horse', env })).err).toContain('reuse rules')
    expect(await made.run(set, { stdin: 'battery staple', env })).toMatchObject({ code: 0 })
  })

  it('tells of an unknown account before it asks', async () => {
    const made = await testHome('ana-lovelace')
    home = made
    expect((await made.run('users set-password nobody --password-stdin', { stdin: 'x' })).code).toBe(5)
    expect(await made.run('users set-password ana-lovelace')).toMatchObject({ code: 2 })
  })
})
