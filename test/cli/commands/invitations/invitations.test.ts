import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHome, type TestHome } from '../../support/closedHome.js'

let home: TestHome
beforeAll(async () => {
  home = await testHome()
})
afterAll(() => home.remove())

interface Invitation {
  token: string
  id: string
}
const create = async (...words: string[]): Promise<Invitation[]> =>
  (await home.json(['invitations', 'create', ...words]))['invitations'] as Invitation[]

const person = (name: string, ...more: string[]): string[] =>
  ['users', 'create', name, '--email', `${name}@example.org`, '--password-stdin', ...more]
const given = { stdin: 'correct horse' }

describe('invitations', () => {
  it('are created with tokens that are shown only once', async () => {
    const { code, out, err } = await home.run(['invitations', 'create', '--count', '3', '-m', 'for the lab'])
    expect([code, err]).toEqual([0, expect.stringContaining('3 invitations created, shown only once') as string])
    const tokens = out.trim().split('\n')
    expect(tokens).toHaveLength(3)
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/)
    const listed = await home.run('invitations list')
    expect(listed.out).toContain('for the lab')
    for (const token of tokens) expect(listed.out + listed.err).not.toContain(token)
  })

  it('are printed as tokens only with -q', async () => {
    const { out, err } = await home.run('invitations create --count 2 -q')
    expect(out).toMatch(/^([0-9a-f]{32}\n){2}$/)
    expect(err).not.toContain('created')
  })

  it('are listed with the setting that makes them mandatory, until it is set', async () => {
    expect((await home.run('invitations list')).err).toContain("config set invitationTokens '[]'")
    await home.run(['config', 'set', 'invitationTokens', '[]'])
    expect((await home.run('invitations list')).err).not.toContain('config set')
  })

  it('are consumed by users create only with --invitation', async () => {
    const [one] = await create()
    expect((await home.run(person('uninvited'), given)).code).toBe(0)
    expect((await home.run(person('invited', '--invitation', one?.token ?? ''), given)).code).toBe(0)
    const again = await home.run(person('another', '--invitation', one?.token ?? ''), given)
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('invitation token is invalid') as string])
    const { invitations } = await home.json('invitations list')
    expect((invitations as Record<string, unknown>[]).find(({ id }) => id === one?.id)).toMatchObject({ consumedBy: 'invited' })
  })

  it('are revoked by a prefix of their id, unless used', async () => {
    const [one] = await create('-m', 'mistake')
    const { id = '', token = '' } = one ?? {}
    const { code, err } = await home.run(['invitations', 'revoke', id.slice(0, 10)])
    expect([code, err]).toEqual([0, expect.stringContaining(`Invitation ${id.slice(0, 12)} revoked`) as string])
    expect((await home.run(person('latecomer', '--invitation', token), given)).code).toBe(1)
    expect((await home.run('invitations list -q')).out).not.toContain(id)
    expect((await home.run(['invitations', 'revoke', id])).code).toBe(5)
    expect((await home.run(['invitations', 'revoke', ''])).code).toBe(5)
    const used = ((await home.json('invitations list'))['invitations'] as (Invitation & { consumedAt?: number })[]).find(({ consumedAt }) => consumedAt)
    expect((await home.run(['invitations', 'revoke', used?.id ?? 'none'])).err).toContain('has already been used')
  })

  it('of the setting stay revoked', async () => {
    await home.run(['config', 'set', 'invitationTokens', '["listed"]'])
    const { invitations } = await home.json('invitations list')
    const listed = (invitations as (Invitation & { createdBy: string })[]).find(({ createdBy }) => createdBy === 'settings')
    expect((await home.run(['invitations', 'revoke', listed?.id ?? ''])).code).toBe(0)
    expect((await home.run(person('listed-one', '--invitation', 'listed'), given)).code).toBe(1)
    expect((await home.run('invitations list -q')).out).not.toContain(listed?.id)
  })

  it.each(['0', '1001', '-1', 'x'])('refuse a count of %s', async (count) => {
    expect((await home.run(['invitations', 'create', '--count', count])).code).toBe(2)
  })
})

describe('apps', () => {
  it('are added, changed and removed', async () => {
    const added = await home.json(['apps', 'add', 'heart-watch', '--name', 'Heart Watch', '--url', 'https://heart.example/', '--category', 'health', '--support', 'a@b', '--active', 'yes'])
    expect(added).toEqual({
      app: { id: 'heart-watch', displayName: 'Heart Watch', appURL: 'https://heart.example/', category: 'health', support: ['a@b'], active: true },
    })
    const { app } = await home.json(['apps', 'update', 'heart-watch', '--active', 'no', '--category', ''])
    expect(app).toEqual({ id: 'heart-watch', displayName: 'Heart Watch', appURL: 'https://heart.example/', support: ['a@b'], active: false })
    expect((await home.run('apps list')).out).toContain('heart-watch\tHeart Watch\t—\tno\thttps://heart.example/')
    expect((await home.run('apps list -q')).out).toBe('heart-watch\n')
    expect(await home.json('apps remove heart-watch')).toEqual({ appDeletion: { id: 'heart-watch' } })
    expect(await home.json('apps list')).toEqual({ apps: [] })
  })

  it('of the setting are overridden by a stored entry', async () => {
    await home.run(['config', 'set', 'appList', '{"listed":{"displayName":"Listed","onboarding":true}}'])
    expect(await home.json('apps list')).toEqual({ apps: [{ id: 'listed', displayName: 'Listed', onboarding: true }] })
    expect((await home.run('apps remove listed')).err).toContain('setting appList')
    const { app } = await home.json('apps update listed --onboarding no')
    expect(app).toEqual({ id: 'listed', displayName: 'Listed', onboarding: false })
    expect((await home.run('apps remove listed')).code).toBe(0)
    expect(await home.json('apps list')).toEqual({ apps: [{ id: 'listed', displayName: 'Listed', onboarding: true }] })
  })

  it.each([
    [['add', 'listed'], 6, 'already'],
    [['add', 'a/b'], 1, 'letters, digits'],
    [['add', 'x', '--url', 'heart.example'], 2, 'http'],
    [['add', 'x', '--active', 'maybe'], 2, 'one of yes, no'],
    [['update', 'nobody', '--name', 'X'], 5, 'nobody'],
    [['update', 'listed'], 2, 'Nothing to change'],
    [['remove', 'nobody'], 5, 'nobody'],
    [['remove', '__proto__'], 5, '__proto__'],
  ])('refuse %j', async (words, exit, says) => {
    const { code, out, err } = await home.run(['apps', ...words])
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(says)
  })
})
