/** Write methods of the operator over HTTP: docs/interface/system.md#accounts. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Mail, Mailer } from '../../../../src/server/mail/mailer.js'
import { badEmails, badLanguages } from '../../../support/http/badValues.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { KEY, operator, resultOf, withNode } from './support.js'

const mails: Mail[] = []
let isMailOn = true
let isMailBroken = false
const mail: Mailer = {
  isOn: () => isMailOn,
  send(one) {
    if (isMailBroken) return Promise.reject(new Error('no mail today'))
    if (isMailOn) mails.push(one)
    return Promise.resolve()
  },
}
const node = withNode({ 'auth.passwordComplexityMinLength': 8 }, { mail })

const login = (username: string, password: string, at = node()): Promise<Answer> =>
  request(`${at.url}${username}/auth/login`, { body: { username, password, appId: 'test-app' }, headers: { origin: 'http://localhost' } })
const send = (method: string, path: string, body?: unknown, at = node()): Promise<Answer> =>
  operator(at, path, { method, ...(body === undefined ? {} : { body }) })

describe('create-user', () => {
  const create = (more: object = {}): Promise<Answer> =>
    send('POST', 'system/create-user', {
      username: 'created',
      password: 'very secret words',
      email: 'created@example.org',
      appId: 'operator-app',
      ...more,
    })

  it('creates an account that can log in, sends the welcome mail, and does not log the password', async () => {
    mails.length = 0
    const { status, body } = await create({ language: 'fr' })
    expect([status, Object.keys(body)]).toEqual([201, ['id', 'meta']])
    expect(body['id']).toBe((await node().node.accounts.find('created'))?.user.id)
    expect(await login('created', 'very secret words')).toMatchObject({ status: 200, body: { preferredLanguage: 'fr' } })
    const substitutions = { USERNAME: 'created', EMAIL: 'created@example.org' }
    expect(mails).toEqual([{ kind: 'welcome', to: 'created@example.org', language: 'fr', substitutions }])
    expect(node().logged.join()).not.toContain('very secret words')
  })

  it.each([
    ['a missing password', { password: undefined }, 'password-required'],
    ['a short password', { password: 'x' }, 'password-invalid'],
    ['a missing email', { email: undefined }, 'email-required'],
    ['a malformed username', { username: 'A' }, 'username-invalid'],
    ['an empty language', { language: '' }, 'language-invalid'],
    ['a long language', { language: 'french' }, 'language-invalid'],
    ['an unknown field', { colour: 'red' }, 'OBJECT_ADDITIONAL_PROPERTIES'],
    ['a password hash', { passwordHash: 'x' }, 'OBJECT_ADDITIONAL_PROPERTIES'],
  ])('refuses %s', async (_, more, code) => {
    const answer = await create({ username: 'another', email: 'another@example.org', ...more })
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format', data: [{ code }] } } })
  })

  it('refuses values in use, a weak password, and bodies that are not JSON', async () => {
    expect(await create()).toMatchObject({
      status: 409,
      body: { error: { id: 'item-already-exists', data: { username: 'created', email: 'created@example.org' } } },
    })
    expect((await create({ username: 'another', password: 'short 7' })).status).toBe(400)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await request(`${node().url}system/create-user`, { token: KEY, body: 'username=another', headers: { 'content-type': type } })
      expect(answer).toMatchObject({ status: 415, body: { error: { id: 'unsupported-content-type' } } })
      const unknown = await request(`${node().url}system/create-user`, { body: 'username=another', headers: { 'content-type': type } })
      expect(unknown.status).toBe(404)
    }
    expect(await node().node.accounts.find('another')).toBeUndefined()
  })

  it('sends no mail when mail is disabled, and succeeds when mail fails', async () => {
    mails.length = 0
    isMailOn = false
    expect((await create({ username: 'silent', email: 's@example.org' })).status).toBe(201)
    isMailBroken = true
    expect((await create({ username: 'broken', email: 'b@example.org' })).status).toBe(201)
    isMailOn = true
    isMailBroken = false
    expect(mails).toEqual([])
  })

  it('requires no invitation', async () => {
    const closed = await startTestNode({ 'auth.adminAccessKey': KEY, invitationTokens: [] })
    const body = { username: 'invited', password: 'correct horse', email: 'i@example.org', appId: 'operator-app' }
    expect((await send('POST', 'system/create-user', body, closed)).status).toBe(201)
    expect((await request(`${closed.url}users`, { body: { ...body, username: 'uninvited', email: 'u@example.org' } })).status).toBe(400)
    await closed.stop()
  })
})

describe('PUT /system/users', () => {
  it.each([...badEmails.map((email) => ({ email })), ...badLanguages.map((language) => ({ language }))])('refuses %j', async (user) => {
    expect(await put({ username: 'setter', user })).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  const put = (body: unknown): Promise<Answer> => send('PUT', 'system/users', body)
  const userFields = async (username: string): Promise<Record<string, unknown>> => resultOf(await send('GET', `reg/admin/users/${username}`))[1]
  const emailEvent = async (username: string, token: string): Promise<unknown> => {
    const { body } = await request(`${node().url}${username}/events?streams=[":system:email"]`, { token })
    return (body['events'] as { content: unknown }[])[0]?.content
  }
  let owner: string
  beforeAll(async () => {
    owner = await registerUser(node(), 'setter')
    await registerUser(node(), 'other')
  })

  it('sets fields with their claims and events, and keeps the username', async () => {
    const user = { username: 'renamed', email: 'NEW@example.org', language: 'de', referer: 'friend' }
    expect(resultOf(await put({ username: 'Setter', user }))).toEqual([200, { user: true }])
    expect(await userFields('setter')).toEqual({ username: 'setter', language: 'de', appId: 'test-app', referer: 'friend', email: 'NEW@example.org' })
    expect(await emailEvent('setter', owner)).toBe('NEW@example.org')
    expect(resultOf(await request(`${node().url}reg/new@example.org/username`))).toEqual([200, { username: 'setter' }])
    expect((await request(`${node().url}reg/setter@example.org/username`)).status).toBe(404)
    const { user: stored } = (await node().node.accounts.find('setter')) ?? {}
    expect(stored?.emails).toMatchObject([{ value: 'NEW@example.org', primary: true, status: 'verified', verificationMethod: 'operator' }])
    // The same address in another case does not conflict with itself.
    expect(resultOf(await put({ username: 'setter', user: { email: 'new@example.org' } }))).toEqual([200, { user: true }])
  })

  it('is recorded in the audit of the account', async () => {
    const { body } = await request(`${node().url}setter/events?streams=[":_audit:access-admin"]`, { token: owner })
    expect(body['events']).toMatchObject([{ content: { action: 'system.updateUser' } }, { content: { action: 'system.updateUser' } }])
  })

  it('refuses values of other accounts without any change', async () => {
    const before = await userFields('setter')
    const answer = await put({ username: 'setter', user: { email: 'Other@example.org', language: 'it' } })
    expect(answer).toMatchObject({ status: 409, body: { error: { id: 'item-already-exists', data: { email: 'Other@example.org' } } } })
    expect(await userFields('setter')).toEqual(before)
  })

  it('frees a value only if the account owns it', async () => {
    expect(resultOf(await put({ username: 'setter', fieldsToDelete: { username: 'setter', email: 'other@example.org' } }))).toEqual([200, { user: true }])
    expect((await request(`${node().url}reg/other@example.org/username`)).status).toBe(200)
    expect((await request(`${node().url}reg/new@example.org/username`)).status).toBe(200)
    expect(resultOf(await put({ username: 'setter', user: {}, fieldsToDelete: { email: 'new@example.org', referer: 'friend' } }))).toEqual([200, { user: true }])
    expect((await request(`${node().url}reg/new@example.org/username`)).status).toBe(404)
    expect(await userFields('setter')).not.toHaveProperty('referer')
    expect((await login('setter', 'correct horse')).status).toBe(200)
    expect(resultOf(await put({ username: 'other', user: { email: 'new@example.org' } }))[0]).toBe(200)
  })

  it.each<[string, Record<string, unknown>]>([
    ['no user name', { user: { language: 'fr' } }],
    ['an unknown field', { username: 'setter', user: { password: 'x' } }],
    ['a field that is not stored on the platform', { username: 'setter', user: { dbDocuments: 5 } }],
    ['an empty value', { username: 'setter', user: { email: '' } }],
    ['a value of another type', { username: 'setter', user: { email: { $ne: 1 } } }],
    ['a number as an e-mail address', { username: 'setter', user: { email: 5 } }],
    ['an unknown field to delete', { username: 'setter', fieldsToDelete: { colour: 'red' } }],
  ])('refuses %s', async (_, body) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('refuses to delete the language, and unknown users', async () => {
    expect(await put({ username: 'setter', fieldsToDelete: { language: 'de' } })).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    expect(await put({ username: 'nobody', user: {} })).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })

  it('sets a unique value for one account in concurrent calls', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `racer-${n}`)
    for (const name of names) await registerUser(node(), name)
    const answers = await Promise.all(names.map((username) => put({ username, user: { email: 'prize@example.org' } })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })
})

describe('DELETE /system/users', () => {
  const { home } = homes()
  const freeUsername = (at: TestNode, name: string, query: string): Promise<Answer> => send('DELETE', `system/users/${name}${query}`, undefined, at)

  it('frees the username, keeps the data of the account, and leaves a consistent store', async () => {
    const directories = await home()
    const own = await startTestNode({ 'auth.adminAccessKey': KEY }, { home: directories.home })
    const token = await registerUser(own, 'leaver')
    await request(`${own.url}leaver/streams`, { token, body: { id: 'diary', name: 'Diary' } })
    const id = (await own.node.accounts.find('leaver'))?.user.id ?? ''

    for (const query of ['', '?onlyReg=false', '?dryRun=true', '?onlyReg=1']) {
      expect(await freeUsername(own, 'leaver', query)).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    }
    expect(await freeUsername(own, 'nobody', '?onlyReg=true')).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    expect(resultOf(await freeUsername(own, 'leaver', '?onlyReg=true&dryRun=true'))).toEqual([200, { result: { dryRun: true, deleted: false } }])
    expect((await request(`${own.url}leaver/streams`, { token })).status).toBe(200)

    expect(resultOf(await freeUsername(own, 'Leaver', '?onlyReg=true'))).toEqual([200, { result: { dryRun: false, deleted: true } }])
    expect((await request(`${own.url}leaver/streams`, { token })).status).toBe(404)
    expect((await request(`${own.url}${id}/streams?id=diary`, { token })).body['streams']).toMatchObject([{ id: 'diary' }])
    expect((await login(id, 'correct horse', own)).status).toBe(200)
    expect(resultOf(await freeUsername(own, id, '?onlyReg=true'))).toEqual([200, { result: { dryRun: false, deleted: true } }])

    const newOwner = await registerUser(own, 'leaver')
    expect((await request(`${own.url}leaver/streams?id=diary`, { token: newOwner })).status).not.toBe(200)
    const { body } = await send('GET', 'system/check-platform-integrity', undefined, own)
    expect((body['checks'] as { errors: unknown[] }[]).map(({ errors }) => errors)).toEqual([[], []])
    expect((await send('DELETE', `users/${id}`, undefined, own)).status).toBe(200)
    await own.stop()
    await expectSound(directories)
  })
})
