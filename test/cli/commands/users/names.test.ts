/** Tests of `coffer users rename` and `set-email`, with and without a running node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectSound } from '../../../support/store/check.js'
import { placesOf, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'
import { coffer } from '../../support/testTerminal.js'

interface UserInfo {
  username: string
  formerUsernames: string[]
  email: string
  emails: Record<string, unknown>[]
}

describe.each(['without a node', 'with a running node'])('coffer users, %s', (where) => {
  let home: TestHome
  let node: TestNode | undefined
  beforeAll(async () => {
    home = await testHome('ana-lovelace', 'bob-builder')
    if (where !== 'without a node') node = await startTestNode({}, { home: home.home })
  })
  afterAll(async () => {
    await node?.stop()
    await expectSound(placesOf(home.home))
    await home.remove()
  })
  const run = (line: string): ReturnType<TestHome['run']> => home.run(line)
  const json = (line: string): Promise<Record<string, unknown>> => home.json(line)
  const userInfo = async (username: string): Promise<UserInfo> => (await json(`users show ${username}`))['user'] as UserInfo

  it('suggests commands for the same node', async () => {
    const { code, err } = await coffer(['users', 'show', 'nobody-here', '--home', home.home], { env: { NO_COLOR: '1' } })
    expect([code, err]).toEqual([5, expect.stringContaining(`→ List the accounts: coffer users list --home ${home.home}\n`) as string])
  })

  describe('users rename', () => {
    it('sets a new name, and keeps the old one as an unlisted alias', async () => {
      const { code, out, err } = await run('users rename ana-lovelace Ana-Byron')
      expect([code, out]).toEqual([0, ''])
      expect(err).toContain('✔ Account ana-lovelace renamed to ana-byron; the old name keeps working')
      for (const name of ['ana-byron', 'ana-lovelace']) {
        expect(await userInfo(name)).toMatchObject({ username: 'ana-byron', formerUsernames: ['ana-lovelace'] })
      }
      expect((await run('users list -q')).out.split('\n').sort()).toEqual(['', 'ana-byron', 'bob-builder'])
      expect((await run('users show ana-byron')).out).toContain('Formerly   ana-lovelace')
      expect((await run('streams tree --user ana-lovelace')).code).toBe(0)
    })

    it('can be repeated, without using up the changes of the owner', async () => {
      const { account } = await json('users rename ana-lovelace ana-three')
      expect(account).toMatchObject({ username: 'ana-three' })
      await json('users rename ana-byron ana-four')
      expect(await json('api account.usernameChanges --user ana-lovelace')).toMatchObject({
        usernameChangesUsed: 0,
        usernameChangesRemaining: 2,
      })
      expect((await userInfo('ana-four')).formerUsernames).toEqual(['ana-lovelace', 'ana-byron', 'ana-three'])
    })

    it.each([
      ['users rename nobody-here good-name', 5, 'Unknown user "nobody-here"'],
      ['users rename bob-builder ana-four', 6, 'Already in use: username'],
      ['users rename bob-builder ana-byron', 6, 'Already in use: username'],
      ['users rename ana-four ana-byron', 6, 'Already in use: username'],
      ['users rename bob-builder bob-builder', 1, 'already bob-builder'],
      ['users rename bob-builder administrator', 1, 'is reserved'],
      ['users rename bob-builder bob', 1, 'lowercase letters'],
      ['users rename bob-builder', 2, '<name> is missing'],
    ])('refuses %s', async (line, exit, says) => {
      const { code, out, err } = await run(line)
      expect([code, out]).toEqual([exit, ''])
      expect(err).toContain(says)
      expect((await userInfo('bob-builder')).formerUsernames).toEqual([])
    })
  })

  describe('users set-email', () => {
    it('sets the primary address, and keeps the old one', async () => {
      const { code, out, err } = await run('users set-email bob-builder bob@new.example')
      expect([code, out]).toEqual([0, ''])
      expect(err).toContain('bob@new.example, primary, verified by the operator')
      const { email, emails } = await userInfo('bob-builder')
      expect(email).toBe('bob@new.example')
      expect(emails).toMatchObject([
        { value: 'bob@new.example', primary: true, status: 'verified', verificationMethod: 'operator' },
        { value: 'bob-builder@example.org', primary: false, verificationMethod: 'registration' },
      ])
      expect(emails[0]?.['verifiedAt']).toBeGreaterThan(1e9)
      expect(await json('events show :system:email --user bob-builder')).toMatchObject({ event: { content: 'bob@new.example' } })
      expect((await run('users list')).out).toContain('bob@new.example')
      const shownText = (await run('users show bob-builder')).out
      expect(shownText).toContain('Email      bob@new.example, primary, verified by the operator')
      expect(shownText).toContain('bob-builder@example.org, from registration')
    })

    it('adds, changes the primary and removes addresses in one call', async () => {
      const line = 'users set-email bob-builder bob@third.example --add bob@work.example --remove bob@new.example --remove bob-builder@example.org'
      const { account } = await json(line)
      const { emails } = account as UserInfo
      expect(emails.map(({ value, primary }) => [value, primary])).toEqual([
        ['bob@third.example', true],
        ['bob@work.example', false],
      ])
    })

    it('verifies a pending address', async () => {
      await home.json(['api', 'account.update', '{"update":{"emails":{"add":["bob@late.example"]}}}', '--user', 'bob-builder'])
      expect((await run('users show bob-builder')).out).toContain('bob@late.example, not verified yet')
      await json('users set-email bob-builder --add bob@late.example')
      expect((await userInfo('bob-builder')).emails.at(-1)).toMatchObject({
        value: 'bob@late.example',
        status: 'verified',
        verificationMethod: 'operator',
      })
    })

    it.each([
      ['users set-email bob-builder', 2, 'give an address'],
      ['users set-email nobody-here a@b.example', 5, 'Unknown user'],
      ['users set-email bob-builder no-address', 1, 'Expected an e-mail address'],
      ['users set-email bob-builder --add ana@', 1, 'Expected an e-mail address'],
      ['users set-email ana-four bob@work.example', 6, 'Already in use: email'],
      ['users set-email ana-four good@a.example --add bob@late.example', 6, 'Already in use: email'],
      ['users set-email ana-four --remove ana-lovelace@example.org', 1, 'primary address'],
      ['users set-email ana-four --remove who@a.example', 1, 'not an address of this account'],
      ['users set-email ana-four --add a@a --add b@a --add c@a --add d@a --add e@a', 1, 'at most 5'],
    ])('refuses %s', async (line, exit, says) => {
      const { code, out, err } = await run(line)
      expect([code, out]).toEqual([exit, ''])
      expect(err).toContain(says)
      expect((await userInfo('ana-four')).emails).toHaveLength(1)
    })
  })

  it.each([
    ['--email notanemail', '"notanemail" is not an e-mail address'],
    ['--email c@c.example --language 5', 'Language'],
    ['--email c@c.example --language xxxx', 'Language'],
  ])('users create refuses %s', async (options, says) => {
    const { code, out, err } = await home.run(`users create carla-three ${options} --password-stdin`, { stdin: 'correct horse' })
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(says)
  })

  it('changes the addresses that the API looks up', async () => {
    if (node === undefined) return
    expect((await request(`${node.url}reg/bob@work.example/username`)).body).toMatchObject({ username: 'bob-builder' })
    expect((await request(`${node.url}reg/bob@new.example/username`)).status).toBe(404)
  })
})
