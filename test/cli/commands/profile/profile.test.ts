import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestNode } from '../../../support/nodes/node.js'
import { grantAccess } from '../../../support/people/access.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace', 'bob-builder')
  const node = await startTestNode({}, { home: home.home })
  await grantAccess(node, 'ana-lovelace', [], { name: 'heart watch/2' })
  await grantAccess(node, 'ana-lovelace', [], { name: 'reader', type: 'shared' })
  await grantAccess(node, 'ana-lovelace', [], { name: 'public' })
  await node.stop()
})
afterAll(() => home.remove())

const ana = ['--user', 'ana-lovelace']
const run = (...words: string[]): ReturnType<TestHome['run']> => home.run(['profile', ...words, ...ana])
const json = (...words: string[]): Promise<Record<string, unknown>> => home.json(['profile', ...words, ...ana])
const app = ['--app', 'heart watch/2']

describe('profile set', () => {
  it('sets keys, removes those set to null, and keeps the others', async () => {
    await json('set', '--set', 'private', '{"a":1,"b":{"c":[null]}}')
    const { code, out, err } = await run('set', '--set', 'private', '{"a":null,"d":"é"}')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('✔ The private profile set updated; it has 2 keys')
    expect(await json('show', '--set', 'private')).toEqual({ profile: { b: { c: [null] }, d: 'é' } })
    const other = await home.json('profile show --set private --user bob-builder')
    expect(other).toEqual({ profile: {} })
  })

  it('reads the object from stdin, and returns the whole set', async () => {
    await json('set', '--set', 'public', '{"kept":true}')
    const words = ['profile', 'set', '--set', 'public', '-', ...ana]
    expect(await home.json(words, { stdin: '{"name":"Ana"}\n' })).toEqual({ profile: { kept: true, name: 'Ana' } })
  })

  it('changes the set of an app, selected by the name of its accesses', async () => {
    const answer = await json('set', ...app, '{"theme":"dark"}')
    expect(answer).toEqual({ profile: { theme: 'dark' } })
    expect((await run('set', '--set', 'app', ...app, '{"size":2}')).err).toContain('set of heart watch/2 updated; it has 2 keys')
    expect(await json('show', ...app)).toEqual({ profile: { theme: 'dark', size: 2 } })
  })

  it.each([
    [['{"a":1}'], 2, '--set or --app is required'],
    [['--set', 'public', '[1]'], 2, '<keys> takes a JSON object'],
    [['--set', 'public', '{'], 2, '<keys> takes a JSON object'],
    [['--set', 'public'], 2, '<keys> is missing'],
    [['--set', 'other', '{}'], 2, 'one of public, private, app'],
    [['--set', 'app', '{}'], 2, '--app <name> is missing'],
    [['--set', 'public', '--app', 'x', '{}'], 2, '--app cannot be combined with --set public'],
    [['--set', 'private', '{"mfa":1}'], 1, 'cannot be set here'],
    [['--app', 'nobody', '{}'], 5, 'No app "nobody"'],
    [['--app', 'reader', '{}'], 5, 'No app "reader"'],
    [['--app', 'public', '{}'], 1, 'has no profile set'],
    [['--app', '', '{}'], 5, 'No app ""'],
  ])('refuses %j', async (words, exit, says) => {
    const { code, out, err } = await run('set', ...words)
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(says)
  })
})

describe('profile show', () => {
  beforeEach(() => json('set', '--set', 'public', '{"name":"Ana\\tL","tags":["x"],"kept":null}'))

  it('shows the public set by default', async () => {
    expect(await json('show')).toEqual({ profile: { name: 'Ana\tL', tags: ['x'] } })
    expect(await json('show')).toEqual(await json('show', '--set', 'public'))
  })

  it('prints a table on a terminal, tab-separated lines into a pipe, and keys with -q', async () => {
    const drawn = await home.run(['profile', 'show', ...ana], { tty: true })
    expect(drawn.out.split('\n').slice(0, 3).map((line) => line.trimEnd())).toEqual(['KEY   VALUE', 'name  Ana L', 'tags  ["x"]'])
    expect(drawn.err).toContain('2 keys')
    expect((await run('show')).out.split('\n')[1]).toBe('tags\t["x"]')
    expect((await run('show', '-q')).out).toBe('name\ntags\n')
  })

  it('exits 5 for an unknown app or account, and 2 without its name', async () => {
    expect((await run('show', '--app', 'nobody')).code).toBe(5)
    expect((await run('show', '--set', 'app')).code).toBe(2)
    expect((await home.run(['profile', 'show'])).err).toContain('--user <username> is missing')
    expect((await home.run(['profile', 'show', '--user', 'nobody'])).code).toBe(5)
  })
})
