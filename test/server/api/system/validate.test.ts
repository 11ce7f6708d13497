/** Reservations of usernames and unique values: docs/interface/system.md#accounts. */
import { describe, expect, it } from 'vitest'
import { badEmails } from '../../../support/http/badValues.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { KEY, operator, resultOf, withNode } from './support.js'

const clock = fakeClock()
const node = withNode({}, { clock })
const validate = (body: unknown, at: TestNode = node()): Promise<Answer> =>
  operator(at, 'system/users/validate', { method: 'POST', body })
const register = (username: string, email: string): Promise<Answer> =>
  request(`${node().url}users`, { body: { username, password: 'correct horse', email, appId: 'test-app' } })

const conflict = (data: object): object => ({
  status: 400,
  body: { reservation: false, error: { id: 'item-already-exists', message: expect.any(String) as string, data }, meta: {} },
})

describe('POST /system/users/validate', () => {
  it('reserves free values for one username', async () => {
    const input = { username: 'first', invitationToken: 'any', uniqueFields: { username: 'first', email: 'First@example.org' }, core: 'single' }
    expect(resultOf(await validate(input))).toEqual([200, { reservation: true }])
    expect(await validate({ username: 'second', uniqueFields: { email: 'first@example.org' } })).toMatchObject(conflict({ email: 'first@example.org' }))
    expect(await validate({ username: 'first' })).toMatchObject(conflict({ username: 'first' }))
    expect(await register('second', 'first@example.org')).toMatchObject({ status: 409, body: { error: { data: { email: 'first@example.org' } } } })
    expect((await register('first', 'first@example.org')).status).toBe(200)
    // The reservation is consumed: its values are free after the deletion of the account.
    expect((await operator(node(), 'users/first', { method: 'DELETE' })).status).toBe(200)
    expect((await register('second', 'first@example.org')).status).toBe(200)
  })

  it('is visible in the look-ups before registration', async () => {
    const lookUp = async (path: string): Promise<object> => (await request(`${node().url}reg/${path}`)).body
    expect((await validate({ username: 'wanted', uniqueFields: { email: 'wanted@example.org' } })).status).toBe(200)
    expect(await lookUp('wanted/check_username')).toMatchObject({ reserved: true })
    expect(await lookUp('Wanted@example.org/check_email')).toMatchObject({ reserved: true, exists: false })
    clock.pass(601)
    expect(await lookUp('wanted/check_username')).toMatchObject({ reserved: false })
    expect(await lookUp('wanted@example.org/check_email')).toMatchObject({ reserved: false, exists: false })
  })

  it('refuses values in use', async () => {
    await registerUser(node(), 'known')
    expect(await validate({ username: 'known', uniqueFields: { email: 'Known@example.org' } })).toMatchObject(
      conflict({ username: 'known', email: 'Known@example.org' }),
    )
    expect(await validate({ username: 'coffer-shop' })).toMatchObject(conflict({ username: 'coffer-shop' }))
    // A refused call reserves nothing.
    expect(await validate({ username: 'halfway', uniqueFields: { email: 'known@example.org' } })).toMatchObject(conflict({ email: 'known@example.org' }))
    expect(resultOf(await validate({ username: 'halfway' }))).toEqual([200, { reservation: true }])
  })

  it.each(badEmails)('refuses the e-mail address %j', async (email) => {
    const answer = await validate({ username: 'odd-address', uniqueFields: { email } })
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format', data: [{ code: 'email-invalid' }] } } })
  })

  it('expires after ten minutes', async () => {
    expect((await validate({ username: 'slow-one', uniqueFields: { email: 'slow@example.org' } })).status).toBe(200)
    clock.pass(599)
    expect((await register('quick-one', 'slow@example.org')).status).toBe(409)
    clock.pass(2)
    expect((await register('quick-one', 'slow@example.org')).status).toBe(200)
  })

  it('succeeds once in concurrent calls', async () => {
    const one = Array.from({ length: 50 }, (_, n) => validate({ username: `racer-${n}`, uniqueFields: { email: 'race@example.org' } }))
    const answers = await Promise.all(one)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const same = await Promise.all(Array.from({ length: 50 }, () => validate({ username: 'same-name' })))
    expect(same.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('never reserves a value of a concurrent registration', async () => {
    for (let n = 0; n < 10; n++) {
      const email = `contested-${n}@example.org`
      const [registered, reserved] = await Promise.all([register(`maker-${n}`, email), validate({ username: `asker-${n}`, uniqueFields: { email } })])
      expect([registered.status, reserved.status]).not.toEqual([200, 200])
    }
  })

  it('requires an invitation when invitations are configured', async () => {
    const closed = await startTestNode({ 'auth.adminAccessKey': KEY, invitationTokens: ['welcome-in'] })
    for (const more of [{}, { invitationToken: 'other' }, { invitationToken: null }]) {
      expect(await validate({ username: 'newcomer', ...more }, closed)).toMatchObject({
        status: 400,
        body: { reservation: false, error: { id: 'invitationToken-invalid' } },
      })
    }
    expect((await validate({ username: 'newcomer', invitationToken: 'welcome-in' }, closed)).status).toBe(200)
    await closed.stop()
  })

  it.each<[string, unknown]>([
    ['no user name', {}],
    ['a malformed user name', { username: 'A B' }],
    ['a field that is not unique', { username: 'newcomer', uniqueFields: { language: 'fr' } }],
    ['another user name among the fields', { username: 'newcomer', uniqueFields: { username: 'other' } }],
    ['a list of fields', { username: 'newcomer', uniqueFields: [1] }],
  ])('refuses %s', async (_, body) => {
    expect(await validate(body)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })
})
