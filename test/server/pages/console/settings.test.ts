/** Settings of the console, in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const PASSWORD = 'correct horse'
const NEW = 'battery staple'
const clock = fakeClock()
let node: TestNode
let people = 0
beforeAll(async () => {
  node = await startTestNode({ 'auth.usernameChangeLimit': 1, 'account.maxEmails': 3 }, { clock })
})
afterAll(() => node.stop())

interface Person {
  username: string
  token: string
  browser: Visitor
}

async function signIn(username: string, password = PASSWORD): Promise<Visitor> {
  const browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: username, password })
  return browser
}

async function person(): Promise<Person> {
  people += 1
  const username = `settler-${people}`
  const token = await registerUser(node, username)
  return { username, token, browser: await signIn(username) }
}

const status = async ({ username }: Person, token: string): Promise<number> => (await request(`${node.url}${username}/access-info`, { token })).status

describe('the settings', () => {
  it.each([
    ['en', 'Change the password that you sign in with.', 'This node has no backup folder'],
    ['fr', 'Changer le mot de passe de connexion.', 'Ce nœud n’a pas de dossier de sauvegarde'],
    ['de', 'Das Passwort ändern, mit dem Sie sich anmelden.', 'Dieser Knoten hat keinen Backup-Ordner'],
  ])('show the state of the account in %s', async (language, password, backup) => {
    const { username, browser } = await person()
    await browser.open(`/web/settings?lang=${language}`)
    expect(browser.page.status).toBe(200)
    for (const text of [password, backup, username, `${username}@example.org`]) expect(browser.page.text).toContain(text)
    for (const path of ['password', 'name', 'emails', 'language', 'sessions', 'export', 'delete']) {
      expect(browser.page.html).toContain(`href="/web/settings/${path}?lang=${language}"`)
      await browser.open(`/web/settings/${path}?lang=${language}`)
      expect({ path, status: browser.page.status }).toEqual({ path, status: 200 })
      await browser.open(`/web/settings?lang=${language}`)
    }
  })
})

describe('the password', () => {
  it('is changed with the current one, and ends other sessions', async () => {
    const one = await person()
    const { browser, username, token } = one
    await browser.open('/web/settings/password')
    await browser.submit({ old: PASSWORD, password: NEW, again: NEW })
    expect(browser.page.text).toContain('The password was changed.')
    expect(await status(one, token)).toBe(403)
    expect((await signIn(username, NEW)).page.path).toBe('/web/overview')
    expect((await signIn(username)).page.text).toContain('is wrong')
  })

  it.each([
    ['a wrong current one', { old: 'wrong', password: NEW, again: NEW }, 'The current password is wrong.', 'old'],
    ['different new ones', { old: PASSWORD, password: NEW, again: 'battery stable' }, 'The two passwords differ.', 'again'],
    ['a short new one', { old: PASSWORD, password: 'ab', again: 'ab' }, 'does not meet the rules', 'password'],
    ['a new one that is too long', { old: PASSWORD, password: 'x'.repeat(101), again: 'x'.repeat(101) }, 'more than 100 characters', 'password'],
  ])('is refused for %s, at its field', async (_, fields, text, field) => {
    const { browser, username } = await person()
    await browser.open('/web/settings/password')
    await browser.submit(fields)
    expect(browser.page.status).toBe(400)
    expect(browser.page.text).toContain(text)
    expect(browser.page.html).toMatch(new RegExp(`<input id="${field}"[^>]*aria-invalid="true"`))
    expect(browser.page.html).not.toContain(NEW)
    expect((await signIn(username)).page.path).toBe('/web/overview')
  })
})

describe('the user name', () => {
  it('is changed as often as the node allows, and the former one stays valid', async () => {
    const { browser, username } = await person()
    await browser.open('/web/settings/name')
    await browser.submit({ name: `${username}-new` })
    expect(browser.page.text).toContain(`Your user name: ${username}-new`)
    expect(browser.page.text).toContain('none is left')
    expect((await signIn(username)).page.path).toBe('/web/overview')
  })

  it.each([
    ['a taken one', 'taken-name', 'already taken'],
    ['an invalid one', 'a b', '5 to 60 lower case letters'],
    ['its own', '', '5 to 60 lower case letters'],
  ])('is refused for %s', async (_, name, text) => {
    if (name === 'taken-name') await registerUser(node, name)
    const { browser } = await person()
    await browser.open('/web/settings/name')
    await browser.submit({ name })
    expect(browser.page.status).toBe(400)
    expect(browser.page.text).toContain(text)
  })
})

describe('e-mail addresses', () => {
  it('are added up to the maximum, and removed after a confirmation', async () => {
    const { browser, username } = await person()
    await browser.open('/web/settings/emails')
    await browser.submit({ do: 'add', email: `two-${username}@example.org` })
    expect(browser.page.text).toContain('The address was added.')
    await browser.submit({ do: 'add', email: `three-${username}@example.org` })
    expect(browser.page.text).toContain('maximum number of addresses')
    await browser.open(`/web/settings/emails?remove=${encodeURIComponent(`two-${username}@example.org`)}`)
    expect(browser.page.text).toContain('You can no longer sign in with this address')
    await browser.submit()
    expect(browser.page.text).toContain('The address was removed.')
    expect(browser.page.text).not.toContain(`two-${username}@example.org`)
  })

  it('are refused when they are invalid or of another account', async () => {
    const other = await person()
    const { browser } = await person()
    await browser.open('/web/settings/emails')
    await browser.submit({ do: 'add', email: 'nonsense' })
    expect(browser.page.text).toContain('This is not an e-mail address.')
    await browser.submit({ do: 'add', email: `${other.username}@example.org` })
    expect(browser.page.text).toContain('Another account uses this address.')
    await browser.submit({ do: 'primary', email: 'unknown@example.org' })
    expect(browser.page.status).toBe(400)
    await browser.submit({ do: 'drop-everything', email: 'x@example.org' })
    expect(browser.page.path).toBe('/web/settings/emails')
  })
})

describe('the language', () => {
  it('is changed for pages without a language in the address', async () => {
    const { browser } = await person()
    await browser.open('/web/settings/language?lang=fr')
    await browser.submit({ language: 'de' })
    expect(browser.page.path).toBe('/web/settings/language?done=changed')
    expect(browser.page.text).toContain('Die Sprache wurde gespeichert.')
  })

  it('is refused when it is none', async () => {
    const { browser } = await person()
    await browser.open('/web/settings/language')
    await browser.submit({ language: '<b>nothing</b>' })
    expect(browser.page.status).toBe(400)
  })
})

describe('sessions', () => {
  it('are listed with the own one first, and others end alone or together', async () => {
    const one = await person()
    const { browser, username, token } = one
    const login = (appId: string) => request(`${node.url}${username}/auth/login`, { body: { username, password: PASSWORD, appId }, headers: { origin: node.url.slice(0, -1) } })
    const second = String((await login('second-app')).body['token'])
    const third = String((await login('third-app')).body['token'])
    await browser.open('/web/settings/sessions')
    for (const text of ['These web pages You are here', 'test-app', 'second-app', 'third-app']) expect(browser.page.text).toContain(text)
    const at = [...browser.page.html.matchAll(/<strong class="name" dir="auto">([^<]*)</g)].map(([, name]) => name).indexOf('second-app')
    await browser.submit({}, at)
    expect(browser.page.text).toContain('The session has ended.')
    expect(browser.page.text).not.toContain('second-app')
    expect([await status(one, second), await status(one, third), await status(one, token)]).toEqual([403, 200, 200])
    await browser.submit({ do: 'others', id: null }, 0)
    expect(browser.page.text).toContain('All other sessions have ended.')
    expect([await status(one, third), await status(one, token)]).toEqual([403, 403])
    await browser.submit()
    expect(browser.page.path).toBe('/web/sign-in')
  })

  it('of another account cannot be ended', async () => {
    const victim = await person()
    const list = await request(`${node.url}${victim.username}/auth/sessions`, { token: victim.token })
    const [{ id } = { id: '' }] = list.body['sessions'] as { id: string }[]
    const { browser } = await person()
    await browser.open('/web/settings/sessions')
    await browser.submit({ id })
    expect(await status(victim, victim.token)).toBe(200)
  })

  it('are listed and ended by the API for the owner only', async () => {
    const one = await person()
    const url = `${node.url}${one.username}/auth/`
    const { body: created } = await request(`${node.url}${one.username}/accesses`, {
      token: one.token,
      body: { type: 'app', name: 'reader', permissions: [{ streamId: '*', level: 'read' }] },
    })
    const app = String((created['access'] as { token: string }).token)
    expect((await request(`${url}sessions`, { token: app })).status).toBe(403)
    expect((await request(`${url}end-sessions`, { token: app, body: {} })).status).toBe(403)
    const { body } = await request(`${url}sessions`, { token: one.token })
    const sessions = body['sessions'] as { id: string; app: string; current: boolean }[]
    expect(sessions.map(({ app, current }) => [app, current])).toEqual(expect.arrayContaining([['test-app', true], ['coffer-web', false]]))
    const ended = await request(`${url}end-sessions`, { token: one.token, body: { ids: ['unknown', ...sessions.map(({ id }) => id)] } })
    expect(ended.body['ended']).toEqual(sessions.map(({ id }) => id))
    expect(await status(one, one.token)).toBe(403)
  })
})

describe('the deletion of the account', () => {
  it('needs the user name and the password, says what ends, and signs out to a plain page', async () => {
    const one = await person()
    const { browser, username, token } = one
    await request(`${node.url}${username}/streams`, { token, body: { id: 'diary', name: 'Diary' } })
    await request(`${node.url}${username}/events`, { token, body: { streamIds: ['diary'], type: 'note/txt', content: 'hello' } })
    await request(`${node.url}${username}/accesses`, { token, body: { type: 'shared', name: '<Doctor>', permissions: [{ streamId: 'diary', level: 'read' }] } })
    await browser.open('/web/settings/delete')
    for (const text of ['1 stream with 1 entry', '1 link and 0 apps stop working', '<Doctor>', 'signed out here and in 1 other app']) expect(browser.page.text).toContain(text)
    await browser.submit({ username: 'someone-else', password: PASSWORD })
    expect(browser.page.text).toContain('This is not your user name.')
    await browser.submit({ username, password: 'wrong' })
    expect(browser.page.text).toContain('The password is wrong.')
    expect(await status(one, token)).toBe(200)
    await browser.submit({ username, password: PASSWORD })
    expect(browser.page.path).toBe('/web/account-deleted')
    expect(browser.page.text).toContain('The account was deleted')
    expect([...browser.cookies.keys()].filter((name) => name.endsWith('_session'))).toEqual([])
    expect(await status(one, token)).toBe(404)
    await browser.open('/web/settings')
    expect(browser.page.path).toContain('/web/sign-in')
  })

  it('is not possible when only the operator deletes accounts', async () => {
    const own = await startTestNode({ 'user-account.delete': ['adminToken'] })
    try {
      await registerUser(own, 'alice')
      const browser = visitor(own)
      await browser.open('/web/sign-in')
      await browser.submit({ name: 'alice', password: PASSWORD })
      await browser.open('/web/settings/delete')
      expect(browser.page.text).toContain('only the operator deletes accounts')
      await browser.submit({ username: 'alice', password: PASSWORD })
      expect((await own.node.accounts.find('alice'))?.user.username).toBe('alice')
    } finally {
      await own.stop()
    }
  })
})
