/** Tests of `coffer users usage`, `set-quota` and `relocate`, on a closed store. */
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
  ])('are parsed: %s', (word, expected) => expect(readLimit(word)).toBe(expected))

  it.each(['', 'MB', '5XB', '-1', '1e3', '999999999TB', '5 M B'])('reject %j', (word) => {
    expect(() => readLimit(word)).toThrow('a size such as 500MB')
  })
})

describe('users usage', () => {
  it('prints sizes, limits and calls', async () => {
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

  it('exits 5 for an unknown account', async () => {
    expect((await node.run('users usage nobody-here')).code).toBe(5)
  })
})

describe('users set-quota', () => {
  it('sets single limits, which apply immediately', async () => {
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
  it('sets a new address, which lists show, and removes it with --cancel', async () => {
    const url = 'https://new.example.org/ana-lovelace/'
    const answer = await node.json(`users relocate ana-lovelace --to ${url} --for 90d`)
    const { relocated } = answer['user'] as { relocated: { url: string; until: number } }
    expect(relocated).toEqual({ url, until: expect.any(Number) as number })
    const listed = await node.run('users list', { tty: true })
    expect(listed.out).toContain('MOVED TO')
    const { users } = (await node.json('users list')) as { users: Record<string, unknown>[] }
    expect(users.map(({ relocated: to }) => to)).toEqual([relocated, null])
    expect((await node.run('users show ana-lovelace')).out).toContain(`Moved to   ${url}`)
    const result = await node.run(`users relocate ana-lovelace --to ${url}`)
    expect(result.err).toContain('users relocate ana-lovelace --cancel')
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
