/** Registrations on a platform of several cores: where accounts go, and what clients are answered. */
import { afterEach, describe, expect, it } from 'vitest'
import { ADMIN_KEY, withCores } from '../../../support/nodes/memoryPlatform.js'
import { request, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { testMailer } from '../../../support/services/mail.js'

const mails = testMailer()
const hostings = { regions: { eu: { name: 'Europe', zones: { west: { name: 'West', hostings: { one: { name: 'One' }, two: { name: 'Two' }, none: { name: 'None' } } } } } } }
const cores = withCores({ 'core-a': { 'core.hosting': 'one' }, 'core-b': { 'core.hosting': 'two' } }, { shared: { hostings }, options: { mail: mails } })
const node = (id: string): TestNode => cores().node(id)

const usernames = (function* () {
  for (let n = 1; ; n++) yield `user-${n}`
})()
const fresh = (): string => String(usernames.next().value)

const body = (username: string, more: object = {}): Record<string, unknown> => ({ username, password: 'correct horse', email: `${username}@example.org`, appId: 'test-app', ...more })
const register = (at: string, username: string, more: object = {}, path = 'users'): Promise<Answer> => request(`${node(at).url}${path}`, { body: body(username, more) })

/** Id of the core that has an account. */
const homeOf = (username: string): string | undefined => cores().platform.holderOf({ field: 'username', value: username })?.core

afterEach(() => {
  const { platform } = cores()
  platform.stopAnswering(false)
  for (const id of ['core-a', 'core-b']) {
    platform.setLive(id, true)
    platform.setCore(id, { available: true, state: 'active' })
  }
})

describe('a registration', () => {
  it.each(['users', 'reg/users', 'reg/user'])('is forwarded to the core of the hosting, and its answer returned: POST /%s', async (path) => {
    const username = fresh()
    const { status, body } = await register('core-a', username, { hosting: 'two', ...(path === 'reg/user' ? { appId: undefined, appid: 'test-app' } : {}) }, path)
    expect({ status, username: body['username'], home: homeOf(username) }).toEqual({ status: 200, username, home: 'core-b' })
    const endpoint = new URL(String(body['apiEndpoint']))
    expect(endpoint.port).toBe(String(node('core-b').port))
    expect(endpoint.username).toBe(body['token'])
    expect(await request(`${node('core-b').url}${username}/events`, { token: String(body['token']) })).toMatchObject({ status: 200 })
    expect(body['meta']).toMatchObject({ apiVersion: expect.any(String) })
    expect(await node('core-a').node.accounts.find(username)).toBeUndefined()
  })

  it('is known at once to the core that was called, even if it just said that the name was free', async () => {
    const username = fresh()
    expect((await request(`${node('core-a').url}reg/${username}/check_username`)).body).toMatchObject({ reserved: false })
    await register('core-a', username, { hosting: 'two' })
    expect((await request(`${node('core-a').url}reg/cores?username=${username}`)).body).toMatchObject({ core: { url: node('core-b').url } })
    expect((await request(`${node('core-a').url}${username}/events`)).status).toBe(421)
  })

  it('sends its mail from the core of the account alone', async () => {
    const username = fresh()
    await register('core-a', username, { hosting: 'two' })
    expect(mails.sent.filter(({ to }) => to === `${username}@example.org`)).toHaveLength(1)
  })

  it('stays here when the hosting is that of this core', async () => {
    const username = fresh()
    expect(await register('core-a', username, { hosting: 'one' })).toMatchObject({ status: 200 })
    expect(homeOf(username)).toBe('core-a')
  })

  it('stays here when no core can take it', async () => {
    const [unknown, unavailable] = [fresh(), fresh()]
    await register('core-a', unknown, { hosting: 'none' })
    cores().platform.setCore('core-b', { available: false })
    await register('core-a', unavailable, { hosting: 'two' })
    expect([unknown, unavailable].map(homeOf)).toEqual(['core-a', 'core-a'])
  })

  it('goes to the core with the fewest accounts', async () => {
    const { platform } = cores()
    while (platform.accountsOf('core-a').length <= platform.accountsOf('core-b').length) await register('core-a', fresh(), { hosting: 'one' })
    const username = fresh()
    await register('core-a', username)
    expect(homeOf(username)).toBe('core-b')
  })

  it.each<[why: string, exclude: () => void]>([
    ['unavailable', () => cores().platform.setCore('core-b', { available: false })],
    ['draining', () => cores().platform.setCore('core-b', { state: 'draining' })],
    ['not live', () => cores().platform.setLive('core-b', false)],
  ])('leaves out a core that is %s', async (_, exclude) => {
    const { platform } = cores()
    while (platform.accountsOf('core-a').length <= platform.accountsOf('core-b').length) await register('core-a', fresh(), { hosting: 'one' })
    exclude()
    const username = fresh()
    await register('core-a', username)
    expect(homeOf(username)).toBe('core-a')
  })

  it('passes on the failure of the other core with id, message, data and status', async () => {
    const username = fresh()
    await register('core-b', username, { hosting: 'two' })
    const { status, body } = await register('core-a', username, { hosting: 'two', email: 'other@example.org' })
    expect({ status, error: body['error'] }).toEqual({
      status: 409,
      error: { id: 'item-already-exists', message: 'Already in use: username.', data: { username } },
    })
    expect(cores().platform.holderOf({ field: 'email', value: 'other@example.org' })).toBeUndefined()
  })

  it('leaves nothing behind when the other core does not answer', async () => {
    const { platform } = cores()
    platform.setCore('core-b', { url: 'http://127.0.0.1:1/' })
    const username = fresh()
    const { status, body } = await register('core-a', username, { hosting: 'two' })
    platform.setCore('core-b', { url: node('core-b').url })
    expect({ status, error: body['error'] }).toMatchObject({ status: 502, error: { id: 'cross-core-registration-failed' } })
    expect(homeOf(username)).toBeUndefined()
    expect(await register('core-a', username, { hosting: 'one' })).toMatchObject({ status: 200 })
  })

  it('is checked before it is forwarded', async () => {
    const { status, body } = await register('core-a', fresh(), { hosting: 'two', password: 'no' })
    expect({ status, error: body['error'] }).toMatchObject({ status: 400, error: { id: 'invalid-parameters-format' } })
  })

  it('fails while the registry does not answer', async () => {
    cores().platform.stopAnswering()
    const answer = await register('core-a', fresh())
    expect(answer).toMatchObject({ status: 503, body: { error: { id: 'platform-unavailable' } } })
    expect(answer.headers.get('retry-after')).toBe('5')
  })

  it('of a name at two cores at once succeeds once', async () => {
    const username = fresh()
    const answers = await Promise.all([register('core-a', username, { hosting: 'one' }), register('core-b', username, { hosting: 'two', email: 'b@example.org' })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('of a user name that is the id of a core is refused only where it would be a host name', async () => {
    expect(await register('core-a', 'core-b', { hosting: 'one' })).toMatchObject({ status: 200 })
  })
})

describe('the operator', () => {
  const asOperator = (path: string, body: object): Promise<Answer> => request(`${node('core-a').url}${path}`, { token: ADMIN_KEY, body })

  it('creates accounts on other cores', async () => {
    const username = fresh()
    const { status, body: answer } = await asOperator('system/create-user', body(username, { hosting: 'two' }))
    expect({ status, id: answer['id'] }).toEqual({ status: 201, id: cores().platform.holderOf({ field: 'username', value: username })?.account })
    expect(homeOf(username)).toBe('core-b')
  })

  it.each(['core-b', 'its URL'])('fixes the core of a reserved name: %s', async (named) => {
    const username = fresh()
    const core = named === 'its URL' ? node('core-b').url : named
    expect(await asOperator('system/users/validate', { username, core })).toMatchObject({ status: 200, body: { reservation: true } })
    await register('core-a', username, { hosting: 'one' })
    expect(homeOf(username)).toBe('core-b')
  })

  it('gets an error for a core that does not exist', async () => {
    const { status, body: answer } = await asOperator('system/users/validate', { username: fresh(), core: 'core-z' })
    expect({ status, answer }).toMatchObject({ status: 400, answer: { reservation: false, error: { id: 'INVALID_DATA' } } })
  })
})

describe('the hostings', () => {
  const available = async (): Promise<unknown> => {
    const { body } = await request(`${node('core-a').url}reg/hostings`)
    const { regions } = body as unknown as { regions: { eu: { zones: { west: { hostings: unknown } } } } }
    return regions.eu.zones.west.hostings
  }

  it('name their core with the fewest accounts, wherever they are asked for', async () => {
    expect(await available()).toEqual({
      one: { name: 'One', available: true, availableCore: node('core-a').url },
      two: { name: 'Two', available: true, availableCore: node('core-b').url },
      none: { name: 'None', available: false, availableCore: '' },
    })
  })

  it('are not available while no core accepts accounts', async () => {
    cores().platform.setLive('core-b', false)
    expect(await available()).toMatchObject({ one: { available: true }, two: { name: 'Two', available: false, availableCore: '' } })
  })
})
