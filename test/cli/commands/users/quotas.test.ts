/** `coffer users usage`, `set-quota` and `relocate`, in a closed store. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLimit } from '../../../../src/cli/terminal/input/size.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let node: TestHome
beforeAll(async () => {
  node = await testHome('ana-lovelace', 'ben-turing')
  await node.json('streams create Diary --id diary --user ana-lovelace')
})
afterAll(() => node.remove())

const usage = async (): Promise<Record<string, unknown>> => (await node.json('users usage ana-lovelace'))['usage'] as Record<string, unknown>

describe('sizes', () => {
  it.each([
    ['500MB', 500_000_000],
    ['1.5 gb', 1_500_000_000],
    ['2000', 2000],
    ['10b', 10],
    ['0', 0],
    ['none', null],
    ['default', 'default'],
  ])('are read: %s', (word, expected) => expect(readLimit(word)).toBe(expected))

  it.each(['', 'MB', '5XB', '-1', '1e3', '999999999TB', '5 M B'])('are refused: %j', (word) => {
    expect(() => readLimit(word)).toThrow('a size such as 500MB')
  })
})

describe('users usage', () => {
  it('tells sizes, limits and calls', async () => {
    expect(await usage()).toMatchObject({
      username: 'ana-lovelace',
      storageUsed: { dbDocuments: expect.any(Number) as number, attachedFiles: 0 },
      limits: { dbDocuments: null, attachedFiles: null },
      ownLimits: {},
      callsTotal: 0,
    })
    const { code, out } = await node.run('users usage ana-lovelace')
    expect(code).toBe(0)
    expect(out).toContain('Records')
    expect(out).toContain('Files      0 B, no limit\n')
  })

  it('prints a number with --quiet', async () => {
    expect((await node.run('users usage ana-lovelace -q')).out).toMatch(/^\d+\n$/)
  })

  it('is that of an account', async () => {
    expect((await node.run('users usage nobody-here')).code).toBe(5)
  })
})

describe('users set-quota', () => {
  it('sets limits one by one, which hold at once', async () => {
    await node.json('users set-quota ana-lovelace --records 0 --files 2GB')
    expect(await usage()).toMatchObject({ limits: { dbDocuments: 0, attachedFiles: 2e9 }, ownLimits: { dbDocuments: 0, attachedFiles: 2e9 } })
    const refused = await node.run(['api', 'events.create', '{"streamIds":["diary"],"type":"note/txt","content":"x"}', '--user', 'ana-lovelace'])
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('over its limit of 0 bytes of records')
    const { err, out } = await node.run('users set-quota ana-lovelace --records none')
    expect(err).toContain('Limits of ana-lovelace set')
    expect(out).toContain(', no limit (set for this account)')
    expect(out).toContain('of 2.0 GB (set for this account)')
    await node.json('users set-quota ana-lovelace --records default --files default')
    expect(await usage()).toMatchObject({ limits: { dbDocuments: null, attachedFiles: null }, ownLimits: {} })
  })

  it.each([[''], ['--records 5XB'], ['--files']])('refuses %j', async (options) => {
    expect((await node.run(`users set-quota ana-lovelace ${options}`)).code).toBe(2)
  })
})

describe('users relocate', () => {
  it('is told, listed, and taken back', async () => {
    const url = 'https://new.example.org/ana-lovelace/'
    const answer = await node.json(`users relocate ana-lovelace --to ${url} --for 90d`)
    const { relocated } = answer['user'] as { relocated: { url: string; until: number } }
    expect(relocated).toEqual({ url, until: expect.any(Number) as number })
    const listed = await node.run('users list', { tty: true })
    expect(listed.out).toContain('MOVED TO')
    const { users } = (await node.json('users list')) as { users: Record<string, unknown>[] }
    expect(users.map(({ relocated: to }) => to)).toEqual([relocated, null])
    expect((await node.run('users show ana-lovelace')).out).toContain(`Moved to   ${url}`)
    const told = await node.run(`users relocate ana-lovelace --to ${url}`)
    expect(told.err).toContain('users relocate ana-lovelace --cancel')
    await node.json('users relocate ana-lovelace --cancel')
    expect((await node.run('users list', { tty: true })).out).not.toContain('MOVED TO')
  })

  it.each([
    ['', 2],
    ['--to https://a.example/ --cancel', 2],
    ['--cancel --for 5d', 2],
    ['--to mover', 1],
    ['--to https://token@a.example/', 1],
  ])('refuses %j', async (options, code) => {
    const { code: own, err } = await node.run(`users relocate ben-turing ${options}`)
    expect(own).toBe(code)
    expect(err).not.toBe('')
  })
})
