/** The account of commands without --user: COFFER_USER, `coffer users use`, the only account, and the account that has an id. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

describe.each(['without a node', 'with a running node'])('several accounts, %s', (where) => {
  let home: TestHome
  let node: TestNode | undefined
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    home = await testHome('ana-lovelace', 'ben-turing')
    if (where !== 'without a node') node = await startTestNode({}, { home: home.home })
    for (const user of ['ana-lovelace', 'ben-turing']) {
      await home.json(['streams', 'create', `Notes of ${user}`, '--id', 'notes', '--user', user])
      const { event } = await home.json(['events', 'create', '--stream', 'notes', '--type', 'note/txt', '--content', user, '--user', user])
      ids[user] = (event as { id: string }).id
    }
    await home.json(['accesses', 'create', '--name', 'Doctor', '--permission', 'notes:read', '--user', 'ben-turing'])
    for (const user of ['ana-lovelace', 'ben-turing']) await home.json(['accesses', 'create', '--name', 'Both', '--permission', 'notes:read', '--user', user])
  })
  afterAll(async () => {
    await node?.stop()
    await home.remove()
  })
  afterEach(() => home.run('users use --clear'))

  const contents = async (line: string, env = {}): Promise<unknown> => {
    const { events } = await home.json(line, { env })
    return (events as { content: unknown }[]).map(({ content }) => content)
  }
  const file = (): string => join(home.home, 'default-account')

  it('need --user without a default', async () => {
    const { code, err } = await home.run('events list')
    expect([code, err]).toEqual([2, expect.stringContaining('Choose one: ana-lovelace, ben-turing') as string])
    expect(err).toContain('coffer users use <username>')
  })

  it.each([
    ['events list', {}, ['ben-turing']],
    ['events list', { COFFER_USER: 'ana-lovelace' }, ['ana-lovelace']],
    ['events list', { COFFER_USER: '' }, ['ben-turing']],
    ['events list --user ana-lovelace', {}, ['ana-lovelace']],
    ['events list --user ben-turing', { COFFER_USER: 'ana-lovelace' }, ['ben-turing']],
  ])('with the default ben-turing: %s %j', async (line, env, expected) => {
    expect(await home.json('users use ben-turing')).toEqual({ default: 'ben-turing' })
    expect(await contents(line, env)).toEqual(expected)
  })

  it.each([
    ['events list', {}, 'As ben-turing (default account)\n'],
    ['users show', { COFFER_USER: 'ana-lovelace' }, 'As ana-lovelace (COFFER_USER)\n'],
    ['events list --user ana-lovelace', {}, undefined],
    ['events list -q', {}, undefined],
  ])('%s %j notes the account on stderr: %s', async (line, env, note) => {
    await home.run('users use ben-turing')
    const { err } = await home.run(line, { env })
    if (note === undefined) expect(err).not.toContain('As ')
    else expect(err).toContain(note)
  })

  it.each(['users show', 'users usage', 'users set-quota --records none', 'users set-email ben@second.example', 'api streams.get', 'accesses list', 'mfa status'])(
    'coffer %s uses the default',
    async (line) => {
      expect((await home.run(line)).code).toBe(2)
      await home.run('users use ben-turing')
      expect((await home.run(line)).code).toBe(0)
    },
  )

  it('is marked in the list of accounts', async () => {
    expect(await home.json('users list')).toMatchObject({ default: null })
    await home.run('users use ben-turing')
    expect(await home.json('users list')).toMatchObject({ default: 'ben-turing' })
    const { out } = await home.run('users list', { tty: true })
    expect(out).toMatch(/USERNAME +DEFAULT /)
    expect(out).toMatch(/\nben-turing +yes /)
    expect(out).toMatch(/\nana-lovelace +— /)
    expect((await home.run('users list', { env: { COFFER_USER: 'ana-lovelace' } })).err).toContain('COFFER_USER selects ana-lovelace')
  })

  it.each([
    ['users use', 2, '<username> or --clear is required'],
    ['users use ben-turing --clear', 2, 'cannot be combined'],
    ['users use nobody-here', 5, 'There is no account "nobody-here"'],
  ])('coffer %s exits %i', async (line, exit, message) => {
    const { code, out, err } = await home.run(line)
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(message)
  })

  it.each([
    ['events list', 'The default account carla-three no longer exists.', 'coffer users use'],
    ['users show', 'The default account carla-three no longer exists.', 'coffer users use'],
  ])('that no longer exists ends coffer %s with 5', async (line, message, next) => {
    writeFileSync(file(), '{"username":"carla-three","id":"c1"}')
    const { code, err } = await home.run(line)
    expect(code).toBe(5)
    expect(err).toContain(message)
    expect(err).toContain(next)
  })

  it('that cannot be read is reported', async () => {
    writeFileSync(file(), '{"user')
    const { code, err } = await home.run('events list')
    expect([code, err]).toEqual([1, expect.stringContaining('default-account cannot be read') as string])
  })

  it('names an unknown account in COFFER_USER', async () => {
    const { code, err } = await home.run('events list', { env: { COFFER_USER: 'nobody-here' } })
    expect([code, err]).toEqual([5, expect.stringContaining('COFFER_USER is "nobody-here"') as string])
  })

  describe('a command about an id', () => {
    it.each([
      ['events show', 'ana-lovelace'],
      ['events show', 'ben-turing'],
      ['events history', 'ben-turing'],
    ])('%s finds the account of an event: %s', async (line, user) => {
      const { code, out, err } = await home.run(`${line} ${ids[user]}`)
      expect(code).toBe(0)
      expect(out).toContain(user)
      expect(err).toContain(`As ${user}, the account with this event`)
    })

    it('finds it elsewhere than in the default account, but not than in COFFER_USER', async () => {
      await home.run('users use ana-lovelace')
      const line = `events show ${ids['ben-turing']}`
      expect((await home.run(line)).code).toBe(0)
      expect((await home.run(line, { env: { COFFER_USER: 'ana-lovelace' } })).code).toBe(5)
    })

    it('prefers the default account where several have the item', async () => {
      await home.run('users use ben-turing')
      const { code, err } = await home.run('accesses show Both')
      expect([code, err]).toEqual([0, expect.stringContaining('As ben-turing (default account)') as string])
    })

    it.each([
      ['accesses show Doctor', 0, 'As ben-turing, the account with this access'],
      ['accesses show Both', 2, 'Choose one: ana-lovelace, ben-turing'],
      ['accesses show Nothing', 5, 'No account of this node has the access "Nothing"'],
      ['events show no-such-event', 5, 'coffer events list --user'],
      ['events trash no-such-event', 5, 'No account of this node has the event'],
      ['webhooks show no-such-webhook', 5, 'No account of this node has the webhook'],
      ['webhooks show https://lab.example.org/', 5, 'No account of this node has the webhook'],
      ['consents show no-such-consent', 5, 'No account of this node has the consent'],
      ['events show :_system:language', 2, 'there is more than one account'],
    ])('%s exits %i', async (line, exit, message) => {
      const { code, err } = await home.run(line)
      expect([code, err]).toEqual([exit, expect.stringContaining(message) as string])
    })
  })

  it('is shown in the status', async () => {
    if (node === undefined) return
    await home.run('users use ben-turing')
    expect((await home.run('status')).out).toContain('Accounts  2; commands use ben-turing (default account)')
    expect(await home.json('status')).toMatchObject({ defaultAccount: 'ben-turing' })
    writeFileSync(file(), '{"username":"carla-three","id":"c1"}')
    expect((await home.run('status')).out).toContain('! The default account carla-three no longer exists.')
    await home.run('users use --clear')
    expect(await home.json('status')).toMatchObject({ defaultAccount: null })
  })

  it('is followed when it is renamed, and removed when it is deleted', async () => {
    await home.json('users use ben-turing')
    await home.run('users rename ben-turing ben-second')
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ username: 'ben-second' })
    expect(await home.json('users show')).toMatchObject({ user: { username: 'ben-second' } })
    const { err } = await home.run('users delete ben-second --accept-risk=lose-data')
    expect(err).toContain('It was the default account')
    expect(await contents('events list')).toEqual(['ana-lovelace'])
  })
})
