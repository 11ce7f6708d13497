/** Tests of `--jq`, `--template` and `--fields`. */
import { describe, expect, it } from 'vitest'
import type { GlobalFlags } from '../../../src/cli/command.js'
import { CommandError } from '../../../src/cli/framework/exit.js'
import type { ResultKind } from '../../../src/cli/terminal/output/filters/outputFilter.js'
import { selectedFilter } from '../../../src/cli/terminal/output/filters/selectFilter.js'
import { outputTo } from '../../../src/cli/terminal/output/out.js'
import { when } from '../../../src/cli/terminal/output/format.js'
import { isoTime } from '../../../src/cli/terminal/output/timestamps.js'
import { coffer, screen } from '../support/testTerminal.js'

const about = { path: ['users', 'list'], json: '{"users":[{"username","email",…}]}' }
const flags: GlobalFlags = { json: false, quiet: false, verbose: false, color: false, input: false }
const users = { users: [{ username: 'ana', email: 'a@example.org', time: 1000, tags: ['x', 'y'] }, { username: 'ben', email: null, time: 2000 }], total: 2 }

/** Prints a document through a filter; returns what is printed, and the failure. */
async function printed(given: Partial<GlobalFlags>, document: unknown = users, kind: ResultKind = 'list', isTerminal = false): Promise<{ out: string; err: string; failure?: string }> {
  const filter = await selectedFilter(about, { ...flags, ...given })
  const shown = screen({ stdout: isTerminal })
  const out = outputTo(shown.terminal({ color: false }), { json: false, quiet: false, filter })
  const print = kind === 'list' ? out.list(document, { columns: [], rows: [], id: () => '' }) : kind === 'line' ? out.item(document) : out.result(document, { print: () => undefined })
  const failure = await print.then(() => undefined, (error: unknown) => error)
  if (failure !== undefined && !(failure instanceof CommandError)) throw failure
  if (failure !== undefined) expect(failure.exit).toBe(2)
  return { out: shown.out(), err: shown.err(), ...(failure === undefined ? {} : { failure: failure.message }) }
}

const refusal = async (given: Partial<GlobalFlags>, of: Parameters<typeof selectedFilter>[0] = about): Promise<string> => {
  const failure: unknown = await selectedFilter(of, { ...flags, ...given }).catch((error: unknown) => error)
  if (!(failure instanceof CommandError)) throw new Error('is not refused')
  expect(failure.exit).toBe(2)
  return failure.message
}

describe('--jq', () => {
  it.each([
    ['.users[].username', 'ana\nben\n'],
    ['.users[0]', '{"username":"ana","email":"a@example.org","time":1000,"tags":["x","y"]}\n'],
    ['.users[] | select(.email == null) | .username', 'ben\n'],
    ['.total, null, "", "a\\nb"', '2\nnull\n\na\nb\n'],
    ['empty', ''],
    ['-.total', '-2\n'],
  ])('prints strings as they are, and other values as JSON: %s', async (jq, out) => {
    expect(await printed({ jq })).toEqual({ out, err: '' })
  })

  it('filters each line of several', async () => {
    expect((await printed({ jq: 'select(.event == "done").n' }, { event: 'done', n: 7 }, 'line')).out).toBe('7\n')
    expect((await printed({ jq: 'select(.event == "done").n' }, { event: 'progress' }, 'line')).out).toBe('')
  })

  it('filters many lines at once, and goes on after one on which it fails', async () => {
    const filter = await selectedFilter(about, { ...flags, jq: '.n + 1' })
    const shown = screen()
    const out = outputTo(shown.terminal(), { json: false, quiet: false, filter })
    await out.items(['{"n":1}', '{"n":2}'])
    await expect(out.items(['{"n":"x"}', '{"n":3}', '{"n":"y"}'])).rejects.toThrow(/^--jq failed on the result: string \("x"\) and number \(1\) cannot be added$/)
    expect(shown.out()).toBe('2\n3\n4\n')
  })

  it('keeps strings from controlling a terminal, not from a pipe', async () => {
    const document = { name: 'a\u001b[2Jb' }
    expect((await printed({ jq: '.name' }, document, 'result', true)).out).toBe('a [2Jb\n')
    expect((await printed({ jq: '.name' }, document, 'result')).out).toBe('a\u001b[2Jb\n')
    expect((await printed({ jq: '.' }, document, 'result')).out).toBe('{"name":"a\\u001b[2Jb"}\n')
  })

  it('prints what precedes an error of the expression, and debug messages on stderr', async () => {
    const { out, failure } = await printed({ jq: '.total, .total.x' })
    expect(out).toBe('2\n')
    expect(failure).toBe('--jq failed on the result: Cannot index number with string ("x")')
    expect(await printed({ jq: '.total | debug' })).toEqual({ out: '2\n', err: '["DEBUG:",2]\n' })
  })

  it.each([
    ['.users[', '--jq: syntax error, unexpected end of file, at column 7\n    .users[\n          ^'],
    ['nope(1)', '--jq: nope/1 is not defined, at column 1\n    nope(1)\n    ^^^^'],
    ['.a |\n$x', '--jq: $x is not defined, at line 2, column 1\n    $x\n    ^^'],
    ['', '--jq: Top-level program not given (try ".")'],
    ['-h', '--jq: h/0 is not defined, at column 2\n    -h\n     ^'],
  ])('refuses %j, with the position', async (jq, message) => expect(await refusal({ jq })).toBe(message))
})

describe('--template', () => {
  it.each([
    ['{{total}}', '2\n'],
    ['{{#each users}}{{username}}\\t{{email}}\\n{{/each}}', 'ana\ta@example.org\nben\t\n'],
    ['{{#each users}}[{{pad username 5}}|{{padLeft time 6}}|{{pad username 2}}]{{/each}}', '[ana  |  1000|a…][ben  |  2000|b…]\n'],
    ['{{json users.[0].tags}} {{join users.[0].tags "+"}}', '["x","y"] x+y\n'],
    ['{{time users.[0].time}} {{ago users.[0].time}}', `${isoTime(1000)} ${when(1000).slice(0, 10)}\n`],
    ['<{{users.[0].email}}> {{constructor}} {{users.[0].__proto__}}', '<a@example.org>  \n'],
    ['{{#if missing}}x{{/if}}', ''],
  ])('formats a document: %s', async (template, out) => expect(await printed({ template })).toEqual({ out, err: '' }))

  it('keeps texts from controlling a terminal', async () => {
    expect((await printed({ template: '{{name}}' }, { name: '\u001b[2J' }, 'result', true)).out).toBe(' [2J\n')
    expect((await printed({ template: '{{time t}}' }, { t: 1000 }, 'result', true)).out).toBe(`${when(1000)}\n`)
  })

  it.each([
    ['{{#each users}}x', '--template: unexpected end, at line 1\n{{#each users}}x\n----------------^'],
    ['{{foo', '--template: syntax error, at line 1\n{{foo\n--^'],
    ['a\n{{nope total}}', '--template: there is no helper nope; there are ago, time, pad, padLeft, json, join, at line 2, column 1'],
    ['{{#each users}}{{/if}}', "--template: each doesn't match if, at line 1, column 4"],
  ])('refuses %j, with the position', async (template, message) => expect(await refusal({ template })).toBe(message))

  it('reports a helper with wrong values', async () => {
    expect((await printed({ template: '{{pad total}}' })).failure).toBe('--template failed on the result: {{pad}} takes a value and a number of columns')
  })
})

describe('--fields', () => {
  const fields = (...names: string[]): Partial<GlobalFlags> => ({ fields: names })

  it('keeps members of the items of a list', async () => {
    expect((await printed(fields('email', 'username'))).out).toBe('{"users":[{"email":"a@example.org","username":"ana"},{"email":null,"username":"ben"}]}\n')
    expect((await printed(fields('tags'))).out).toBe('{"users":[{"tags":["x","y"]},{}]}\n')
  })

  it('keeps members of an object, and of lines', async () => {
    expect((await printed(fields('username'), { user: users.users[0] }, 'result')).out).toBe('{"user":{"username":"ana"}}\n')
    expect((await printed(fields('total'), users, 'result')).out).toBe('{"total":2}\n')
    expect((await printed(fields('username'), users.users[0], 'line')).out).toBe('{"username":"ana"}\n')
    expect((await printed(fields('username'), { event: 'progress' }, 'line')).out).toBe('')
  })

  it('names the known members for an unknown one, the nearest first', async () => {
    expect((await printed(fields('usernam'))).failure).toMatch(/^--fields: there is no "usernam"; there are username, /)
    expect((await printed(fields('mail'), { users: [] })).failure).toMatch(/^--fields: there is no "mail"; there are email, /)
    expect((await printed(fields('email'), { users: [] })).out).toBe('{"users":[]}\n')
  })

  it('accepts optional members that the API describes', async () => {
    const events = { path: ['events', 'list'], json: '{"events":[…]}, the result of events.get' }
    const filter = await selectedFilter(events, { ...flags, fields: ['id', 'trashed'] })
    expect((await filter?.apply('{"events":[{"id":"x","type":"y"}]}', 'list', false))?.text).toBe('{"events":[{"id":"x"}]}\n')
    expect(await refusal(fields('trashd'), events)).toMatch(/^--fields: there is no "trashd"; there are trashed, /)
    expect(await refusal(fields('nope'), { path: ['events', 'create'], json: '{"event":{…}}' })).toMatch(/^--fields: there is no "nope"/)
  })

  it('refuses unknown members before the command runs if help lists all', async () => {
    expect(await refusal(fields('nam'), { path: ['x'], json: '{"name","id"}' })).toBe('--fields: there is no "nam"; there are name, id')
    expect(await refusal(fields())).toBe('--fields takes names, comma-separated')
  })
})

describe('filters', () => {
  it.each([
    [{ jq: '.', template: 'x' }, '--jq cannot be combined with --template'],
    [{ jq: '.', fields: ['a'] }, '--jq cannot be combined with --fields'],
    [{ template: 'x', fields: ['a'] }, '--template cannot be combined with --fields'],
    [{ fields: ['a'], quiet: true }, '--fields cannot be combined with --quiet'],
  ])('exclude each other and --quiet: %j', async (given, message) => expect(await refusal(given)).toBe(message))

  it('need a command that prints JSON', async () => {
    expect(await refusal({ jq: '.' }, { path: ['completion'] })).toBe('coffer completion prints no JSON, which --jq needs')
  })

  const env = { COFFER_HOME: '/nowhere' }
  it('imply --json on the command line, and leave failures to people', async () => {
    expect(await coffer(['config', 'path', '--jq', '.home'], { env })).toEqual({ code: 0, out: '/nowhere\n', err: '' })
    expect((await coffer(['config', 'path', '--fields', 'home, log'], { env })).out).toMatch(/^\{"home":"\/nowhere","log":"[^"]+"\}\n$/)
    expect((await coffer(['config', 'path', '--template', '{{home}}'], { env, tty: true })).out).toBe('/nowhere\n')
    const wrong = await coffer(['config', 'path', '--jq', '.['], { env })
    expect([wrong.code, wrong.out]).toEqual([2, ''])
    expect(wrong.err).toMatch(/^✖ --jq: syntax error.* at column 2\n/)
    expect(JSON.parse((await coffer(['config', 'path', '--json', '--jq', '.['], { env })).err)).toMatchObject({ error: { id: 'wrong-usage' } })
  })
})
