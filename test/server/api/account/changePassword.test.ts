/**
 * account.changePassword and the password rules: docs/interface/account.md#password-rules,
 * docs/interface/account.md#change-of-password.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loginAnswer } from '../../../../src/server/api/auth/answer.js'
import { readPasswordReset } from '../../../../src/store/accounts/credentials.js'
import { readUser, type User } from '../../../../src/store/accounts/users.js'
import { recordsOf } from '../../../support/people/audit.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, type Stage } from '../../../support/http/methodTable.js'

const open = { 'auth.trustedApps': '*@*' }
const OLD = 'correct horse'
const NEW = 'battery staple'

const logIn = (node: TestNode, user: string, password: string, appId = 'test-app'): Promise<Answer> =>
  request(`${node.url}${user}/auth/login`, { body: { username: user, password, appId } })
const change = (node: TestNode, user: string, token: string, oldPassword: string, newPassword: string): Promise<Answer> =>
  request(`${node.url}${user}/account/change-password`, { token, body: { oldPassword, newPassword } })
const info = async (node: TestNode, user: string, token: string): Promise<number> =>
  (await request(`${node.url}${user}/access-info`, { token })).status

async function userOf(node: TestNode, username: string): Promise<User> {
  const loaded = await node.node.accounts.find(username)
  const user = loaded === undefined ? undefined : readUser(node.node.store.db, loaded.account.prefix)
  if (user === undefined) throw new Error('no user')
  return user
}

const ofLength = (length: number): string => 'x'.repeat(length)

describeMethod(
  'account.changePassword',
  [
    {
      it: 'changes the password',
      send: { oldPassword: OLD, newPassword: NEW },
      gives: 200,
      async then(result, { node, username }: Stage) {
        expect(Object.keys(result).filter((key) => key !== 'meta')).toEqual([])
        expect((await logIn(node, username, OLD)).status).toBe(401)
        expect((await logIn(node, username, NEW)).status).toBe(200)
      },
    },
    {
      it: 'refuses a wrong old password, and changes nothing',
      send: { oldPassword: 'wrong', newPassword: NEW },
      gives: [400, 'invalid-operation'],
      async then(_, { node, username }) {
        expect((await logIn(node, username, OLD)).status).toBe(200)
      },
    },
    { it: 'refuses apps', as: [{ streamId: '*', level: 'manage' }], send: { oldPassword: OLD, newPassword: NEW }, gives: [403, 'forbidden'] },
    { it: 'accepts 6 characters', send: { oldPassword: OLD, newPassword: ofLength(6) }, gives: 200 },
    { it: 'accepts 100 characters', send: { oldPassword: OLD, newPassword: ofLength(100) }, gives: 200 },
    { it: 'refuses 5 characters', send: { oldPassword: OLD, newPassword: ofLength(5) }, gives: [400, 'invalid-parameters-format'] },
    { it: 'refuses 101 characters', send: { oldPassword: OLD, newPassword: ofLength(101) }, gives: [400, 'invalid-parameters-format'] },
    { it: 'refuses a new password that is no string', send: { oldPassword: OLD, newPassword: 1234567 }, gives: [400, 'invalid-parameters-format'] },
    { it: 'refuses an old password that is no string', send: { oldPassword: 5, newPassword: NEW }, gives: [400, 'invalid-parameters-format'] },
    { it: 'requires the old password', send: { newPassword: NEW }, gives: [400, 'invalid-parameters-format'] },
    { it: 'refuses unknown fields', send: { oldPassword: OLD, newPassword: NEW, x: 1 }, gives: [400, 'invalid-parameters-format'] },
    { it: 'accepts the same password if no rule forbids it', send: { oldPassword: OLD, newPassword: OLD }, gives: 200 },
  ],
  open,
)

const complexity = (detail: string): object => ({
  status: 400,
  body: { error: { id: 'invalid-parameters-format', message: expect.stringContaining('complexity rules') as string, data: [detail] } },
})
const operation = (text: string): object => ({
  status: 400,
  body: { error: { id: 'invalid-operation', message: expect.stringContaining(text) as string } },
})

describe('the password rules', () => {
  const clock = fakeClock()
  const DAY = 86_400
  async function start(settings: Record<string, unknown>): Promise<{ node: TestNode; token: string }> {
    const node = await startTestNode({ ...open, ...settings }, { clock })
    return { node, token: await registerUser(node, 'alice') }
  }

  it('require a minimum length', async () => {
    const { node, token } = await start({ 'auth.passwordComplexityMinLength': 12 })
    expect(await change(node, 'alice', token, OLD, '12345678901')).toMatchObject(
      complexity('it has 11 characters, at least 12 are required'),
    )
    expect((await change(node, 'alice', token, OLD, '123456789012')).status).toBe(200)
    await node.stop()
  })

  it.each([
    [2, 'lowercase', 1],
    [3, 'lower-case', 2],
    [4, 'Lower-Case', 3],
  ])('require %i categories of characters, which %s lacks', async (kinds, password, found) => {
    const { node, token } = await start({})
    await node.stop()
    const other = await startTestNode({ ...open, 'auth.passwordComplexityMinCharCategories': kinds }, { clock })
    const body = { username: 'bobby', password: 'Sound-Password-1', email: 'b@example.org', appId: 'test-app' }
    const bob = String((await request(`${other.url}users`, { body })).body['token'])
    expect(token).not.toBe(bob)
    expect(await change(other, 'bobby', bob, 'Sound-Password-1', password)).toMatchObject(
      complexity(`it has ${found} character categories, at least ${kinds} are required`),
    )
    expect((await change(other, 'bobby', bob, 'Sound-Password-1', 'Sound-Password-2')).status).toBe(200)
    await other.stop()
  })

  it('refuse recent passwords, including that of the registration', async () => {
    const { node, token } = await start({ 'auth.passwordPreventReuseHistoryLength': 3 })
    expect(await change(node, 'alice', token, OLD, OLD)).toMatchObject(operation('reuse rules: it must differ from the last 3'))
    const passwords = [OLD, 'password-1', 'password-2', 'password-3']
    for (let n = 1; n < passwords.length; n++) {
      expect((await change(node, 'alice', token, String(passwords[n - 1]), String(passwords[n]))).status).toBe(200)
    }
    for (const used of passwords.slice(1)) {
      expect(await change(node, 'alice', token, 'password-3', used)).toMatchObject(operation('reuse rules'))
    }
    expect((await change(node, 'alice', token, 'password-3', OLD)).status).toBe(200)
    await node.stop()
  })

  it('can refer to former passwords, which are stored latest first', async () => {
    const { node, token } = await start({})
    const first = await userOf(node, 'alice')
    clock.pass(5)
    await change(node, 'alice', token, OLD, NEW)
    const second = await userOf(node, 'alice')
    expect(second.formerPasswords).toEqual([{ hash: first.passwordHash, changed: first.passwordChanged }])
    expect(second.passwordChanged).toBe(first.passwordChanged + 5)
    await change(node, 'alice', token, NEW, 'third one')
    const third = await userOf(node, 'alice')
    expect(third.formerPasswords?.map(({ hash }) => hash)).toEqual([second.passwordHash, first.passwordHash])
    await node.stop()
  })

  it('require a minimum age of the password', async () => {
    const { node, token } = await start({ 'auth.passwordAgeMinDays': 2 })
    expect(await change(node, 'alice', token, OLD, NEW)).toMatchObject(operation('age rules: it can be changed 2 days'))
    clock.pass(2 * DAY - 1)
    expect((await change(node, 'alice', token, OLD, NEW)).status).toBe(400)
    clock.pass(1)
    expect((await change(node, 'alice', token, OLD, NEW)).status).toBe(200)
    await node.stop()
  })

  it('are checked in order, after the old password', async () => {
    const rules = {
      'auth.passwordAgeMinDays': 1,
      'auth.passwordPreventReuseHistoryLength': 1,
      'auth.passwordComplexityMinLength': 8,
    }
    const { node, token } = await start(rules)
    expect(await change(node, 'alice', token, 'wrong', 'short1')).toMatchObject(operation('old password'))
    expect(await change(node, 'alice', token, OLD, 'short1')).toMatchObject(operation('age rules'))
    clock.pass(DAY)
    expect(await change(node, 'alice', token, OLD, 'short1')).toMatchObject({ body: { error: { id: 'invalid-parameters-format' } } })
    expect(await change(node, 'alice', token, OLD, OLD)).toMatchObject(operation('reuse rules'))
    await node.stop()
  })

  it('return the times of expiry and of the next possible change, at login and in access-info', async () => {
    const { node } = await start({ 'auth.passwordAgeMinDays': 2, 'auth.passwordAgeMaxDays': 10 })
    const since = clock.now()
    clock.pass(9 * DAY)
    const { body } = await logIn(node, 'alice', OLD)
    const times = { passwordExpires: since + 10 * DAY, passwordCanBeChanged: since + 2 * DAY }
    expect(body).toMatchObject(times)
    expect((await request(`${node.url}alice/access-info`, { token: String(body['token']) })).body).toMatchObject(times)
    await node.stop()
  })

  it('refuse an expired password at login, and mention that only if it is correct', async () => {
    const { node, token } = await start({ 'auth.passwordAgeMaxDays': 10 })
    const expiredTime = clock.now() + 10 * DAY
    clock.pass(10 * DAY - 1)
    expect((await logIn(node, 'alice', OLD)).status).toBe(200)
    clock.pass(1)
    const { status, body } = await logIn(node, 'alice', OLD, 'new-app')
    expect({ status, error: body['error'] }).toEqual({
      status: 401,
      error: {
        id: 'invalid-credentials',
        message: `Password expired since ${new Date(expiredTime * 1000).toISOString()}.`,
        data: { expiredTime },
      },
    })
    const wrong = await logIn(node, 'alice', 'wrong')
    expect(wrong.body['error']).toEqual({ id: 'invalid-credentials', message: 'The given username/password pair is invalid.' })
    // Existing sessions remain valid, and can change the password.
    expect((await change(node, 'alice', token, OLD, NEW)).status).toBe(200)
    expect((await logIn(node, 'alice', NEW, 'new-app')).status).toBe(200)
    await node.stop()
  })
})

describe('a change of the password', () => {
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode(open, { clock })
  })
  afterAll(() => node.stop())

  it('ends all other sessions and the pending reset, but not the caller and apps', async () => {
    const token = await registerUser(node, 'alice')
    const others = []
    for (const app of ['app-one', 'app-two']) others.push(String((await logIn(node, 'alice', OLD, app)).body['token']))
    const created = await request(`${node.url}alice/accesses`, { token, body: { type: 'app', name: 'x', permissions: [] } })
    const app = String((created.body['access'] as { token: string }).token)
    await request(`${node.url}alice/account/request-password-reset`, { body: { appId: 'test-app' } })
    const loaded = await node.node.accounts.find('alice')
    const prefix = loaded?.account.prefix ?? ''
    expect(readPasswordReset(node.node.store.db, prefix).token).toBeDefined()
    expect((await change(node, 'alice', token, OLD, NEW)).status).toBe(200)
    expect(await info(node, 'alice', token)).toBe(200)
    expect(await info(node, 'alice', app)).toBe(200)
    for (const other of others) expect(await info(node, 'alice', other)).toBe(403)
    expect(readPasswordReset(node.node.store.db, prefix).token).toBeUndefined()
  })

  it('succeeds exactly once under concurrent calls', async () => {
    const token = await registerUser(node, 'bobby')
    const passwords = Array.from({ length: 20 }, (_, n) => `password-${n}`)
    const answers = await Promise.all(passwords.map((password) => change(node, 'bobby', token, OLD, password)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    clock.pass(1000)
    expect((await logIn(node, 'bobby', winner)).status).toBe(200)
  })

  it('ends the sessions of concurrent logins with the former password', async () => {
    for (let round = 0; round < 4; round++) {
      const user = `race-${round}`
      const token = await registerUser(node, user)
      const logins = Array.from({ length: 12 }, (_, n) => logIn(node, user, OLD, `app-${n}-of-race`))
      const [changed, ...answers] = await Promise.all([change(node, user, token, OLD, NEW), ...logins])
      expect(changed.status).toBe(200)
      for (const { status, body } of answers) {
        if (status === 200) expect(await info(node, user, String(body['token']))).toBe(403)
        else expect(status).toBe(401)
      }
    }
  })

  it('refuses a session for a password checked before it', async () => {
    const token = await registerUser(node, 'ellen')
    const loaded = await node.node.accounts.find('ellen')
    if (loaded === undefined) throw new Error('no account')
    const checked = loaded.user
    expect((await change(node, 'ellen', token, OLD, NEW)).status).toBe(200)
    await expect(loginAnswer(node.node, loaded.account, checked, 'late-app')).rejects.toMatchObject({ id: 'invalid-credentials' })
    expect(await loginAnswer(node.node, loaded.account, loaded.user, 'late-app')).toMatchObject({ preferredLanguage: 'en' })
  })

  it('counts wrong old passwords together with failed logins', async () => {
    const token = await registerUser(node, 'carol')
    for (let n = 0; n < 3; n++) expect((await logIn(node, 'carol', 'wrong')).status).toBe(401)
    for (let n = 0; n < 3; n++) expect((await change(node, 'carol', token, 'wrong', NEW)).status).toBe(400)
    expect((await change(node, 'carol', token, OLD, NEW)).status).toBe(429)
    expect((await logIn(node, 'carol', OLD)).status).toBe(429)
    clock.pass(2)
    expect((await change(node, 'carol', token, OLD, NEW)).status).toBe(200)
  })

  it('is audited without the passwords', async () => {
    const token = await registerUser(node, 'daisy')
    await change(node, 'daisy', token, OLD, 'a secret of mine')
    await change(node, 'daisy', token, 'another secret', NEW)
    const stage = { node, username: 'daisy', owner: token }
    const records = await recordsOf(stage, [':_audit:action-account.changePassword'])
    expect(records.map(({ type }) => type)).toEqual(['log/user-api', 'log/user-api-error'])
    expect(JSON.stringify(records) + node.logged.join('')).not.toMatch(/secret of mine|another secret/)
  })
})
