import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace', 'ben-babbage')
})
afterAll(() => home.remove())

const ana = '--user ana-lovelace'
const ben = '--user ben-babbage'
const cutOff = '--accept-risk=cut-off-delegate'
const listed = async (user: string): Promise<{ delegates: Json[]; controlled: Json[] }> =>
  (await home.json(`delegations list ${user}`)) as { delegates: Json[]; controlled: Json[] }

describe('an invitation', () => {
  beforeEach(() => home.json(`delegations invite ben-babbage ${ana}`))

  it('is created, is listed for both accounts, and prints how to accept it', async () => {
    await home.run(`delegations cancel ben-babbage ${ana}`)
    const { code, out, err } = await home.run(`delegations invite ben-babbage ${ana}`)
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('ben-babbage is invited to act for ana-lovelace, until')
    expect(err).toMatch(/coffer delegations accept ana-lovelace --user ben-babbage/)
    expect((await listed(ana)).delegates).toMatchObject([{ delegate: { username: 'ben-babbage' }, status: 'invite' }])
    expect((await listed(ben)).controlled).toMatchObject([{ controlled: { username: 'ana-lovelace' }, status: 'invite' }])
    expect((await home.run(`delegations list ${ana}`)).out).toMatch(/^ben-babbage\tdelegate\tinvited\t\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d\t—\t\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/m)
    expect((await home.run(`delegations list ${ben} -q`)).out).toBe('ana-lovelace\n')
    const again = await home.run(`delegations invite ben-babbage ${ana}`)
    expect(again.code).toBe(6)
    await home.json(`delegations cancel ben-babbage ${ana}`)
  })

  it.each([
    ['cancel', 'ben-babbage', ana],
    ['refuse', 'ana-lovelace', ben],
  ])('is removed by %s', async (verb, other, user) => {
    expect((await home.run(`delegations ${verb} ${other} ${user}`)).code).toBe(0)
    expect(await listed(ana)).toEqual({ delegates: [], controlled: [] })
    expect(await listed(ben)).toEqual({ delegates: [], controlled: [] })
    expect((await home.run(`delegations ${verb} ${other} ${user}`)).code).toBe(5)
  })

  it('is accepted, gives a token that only stdout shows, and is detached after a confirmation', async () => {
    const accepted = await home.run(`delegations accept ana-lovelace ${ben}`)
    expect(accepted.code).toBe(0)
    expect(accepted.err).toContain('coffer delegations token ana-lovelace --user ben-babbage')
    const { code, out, err } = await home.run(`delegations token ana-lovelace ${ben}`)
    expect(code).toBe(0)
    const token = /^http:\/\/([^@\s]+)@127\.0\.0\.1:\d+\/ana-lovelace\/\n$/.exec(out)?.[1] ?? 'none'
    expect(err).not.toContain(token)
    expect((await home.run(`delegations token ana-lovelace ${ben} -q`)).out).toBe(`${token}\n`)
    expect(await home.json(`delegations token ana-lovelace ${ben}`)).toMatchObject({ token })
    expect(JSON.stringify(await listed(ana)) + JSON.stringify(await listed(ben))).not.toContain(token)

    // An active delegation can be neither cancelled nor dismissed.
    expect((await home.run(`delegations cancel ben-babbage ${ana}`)).code).toBe(6)
    expect((await home.run(`delegations dismiss ana-lovelace ${ben}`)).code).toBe(6)

    const unconfirmed = await home.run(`delegations detach ben-babbage ${ana}`)
    expect([unconfirmed.code, unconfirmed.err]).toEqual([2, expect.stringContaining(cutOff)])
    const other = await home.run(`delegations detach ben-babbage ${ana}`, { tty: true, stdin: 'ana-lovelace\n' })
    expect([other.code, (await listed(ana)).delegates]).toEqual([130, [expect.objectContaining({ status: 'active' })]])
    const typed = await home.run(`delegations detach ben-babbage ${ana}`, { tty: true, stdin: 'ben-babbage\n' })
    expect([typed.code, typed.err]).toEqual([0, expect.stringContaining('ben-babbage no longer acts for ana-lovelace')])
    expect(await listed(ben)).toEqual({ delegates: [], controlled: [] })
    expect((await home.run(`delegations token ana-lovelace ${ben}`)).code).toBe(5)
  })
})

describe('detach', () => {
  it('fails without a change for a --keep that is no consent given by the delegate', async () => {
    await home.json(`delegations invite ben-babbage ${ana}`)
    await home.json(`delegations accept ana-lovelace ${ben}`)
    await home.json(`accesses create --name own --permission *:read ${ana}`)
    const own = await home.run(`delegations detach ben-babbage ${ana} --keep own ${cutOff}`)
    expect(own.code).not.toBe(0)
    expect(own.err).toContain('accessId')
    const unknown = await home.run(`delegations detach ben-babbage ${ana} --keep nothing-like-it ${cutOff}`)
    expect([unknown.code, unknown.err]).toEqual([5, expect.stringContaining('There is no access "nothing-like-it"')])
    expect((await listed(ana)).delegates).toMatchObject([{ status: 'active' }])
    expect(await home.json(`delegations detach ben-babbage ${ana} ${cutOff}`)).toEqual({})
    const again = await home.run(`delegations detach ben-babbage ${ana} ${cutOff}`)
    expect([again.code, again.err]).toEqual([5, expect.stringContaining('coffer delegations list')])
  })
})

describe('create-account', () => {
  it('creates an account with its creator as delegate, with or without a password from stdin', async () => {
    const { code, err } = await home.run(`delegations create-account carla-lovelace ${ana}`)
    expect([code, err]).toEqual([0, expect.stringContaining('ana-lovelace acts for it')])
    expect((await listed(ana)).controlled).toMatchObject([{ controlled: { username: 'carla-lovelace' }, status: 'active' }])
    expect((await home.run(`delegations token carla-lovelace ${ana}`)).out).toContain('/carla-lovelace/')
    const second = `delegations create-account dora-lovelace ${ana} --email dora@example.org --language fr --password-stdin`
    expect(await home.json(second, { stdin: 'her own horse' })).toMatchObject({ delegation: { status: 'active' } })
    const { users } = (await home.json('users list')) as { users: Json[] }
    expect(users.map(({ username }) => username)).toEqual(expect.arrayContaining(['carla-lovelace', 'dora-lovelace']))
  })

  it.each([
    ['ben-babbage', 6],
    ['ana-lovelace', 1],
    ['no', 1],
  ])('does not create %s', async (name, exit) => {
    expect((await home.run(`delegations create-account ${name} ${ana}`)).code).toBe(exit)
  })
})

describe('every subcommand', () => {
  it.each(['accept', 'refuse', 'cancel', 'token', 'detach', 'dismiss'])('%s exits 5 for an account without a delegation', async (verb) => {
    expect((await home.run(`delegations ${verb} nobody-here ${ben}`)).code).toBe(5)
    expect((await home.run(`delegations ${verb} ${ben}`)).code).toBe(2)
  })

  it('invite exits 5 for an unknown account', async () => {
    expect((await home.run(`delegations invite nobody-here ${ben}`)).code).toBe(5)
  })
})
