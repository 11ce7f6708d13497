import fc from 'fast-check'
import pc from 'picocolors'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { allCommands } from '../../../src/cli/commands.js'
import { CommandError } from '../../../src/cli/framework/exit.js'
import { failureText, describedFailure } from '../../../src/cli/terminal/output/failure.js'
import { outputTo } from '../../../src/cli/terminal/output/out.js'
import { progressText, startJsonProgress, startProgress } from '../../../src/cli/terminal/output/progress.js'
import { alignedTable, tabbedTable } from '../../../src/cli/terminal/output/table.js'
import type { Column } from '../../../src/cli/terminal/output/table.js'
import { columnsOf, cut, oneLine, wrap } from '../../../src/cli/terminal/output/text.js'
import { ConfigError } from '../../../src/server/config/problem.js'
import { Failure, invalidFormat } from '../../../src/store/model/failure.js'
import { screen } from '../support/testTerminal.js'

interface User {
  name: string
  items: number
  note: string
}
const columns: Array<Column<User>> = [
  { title: 'USERNAME', cell: (user) => user.name },
  { title: 'ITEMS', cell: (user) => String(user.items), align: 'right' },
  { title: 'NOTE', cell: (user) => user.note, shrinks: true },
]
const users: User[] = [
  { name: 'ana', items: 41209, note: 'a note that is rather long' },
  { name: '安娜', items: 3, note: '' },
]

describe('tables', () => {
  it('are aligned on a terminal', () => {
    expect(alignedTable(columns, users, 80)).toEqual([
      'USERNAME  ITEMS  NOTE',
      'ana       41209  a note that is rather long',
      '安娜          3',
    ])
  })

  it('truncate only shrinkable columns, to at least eight characters', () => {
    expect(alignedTable(columns, users, 30)[1]).toBe('ana       41209  a note that …')
    expect(alignedTable(columns, users, 5)[1]).toBe('ana       41209  a note …')
  })

  it('are tab-separated in a pipe, without header or truncation', () => {
    expect(tabbedTable(columns, users)).toEqual(['ana\t41209\ta note that is rather long', '安娜\t3\t'])
  })

  it('drop optional columns when space is missing, last first', () => {
    const wide: Array<Column<User>> = [
      { title: 'USERNAME', cell: (user) => user.name },
      { title: 'ITEMS', cell: (user) => String(user.items), align: 'right', drops: true },
      { title: 'NOTE', cell: (user) => user.note, shrinks: true },
      { title: 'MFA', cell: () => '—', drops: true },
    ]
    const header = (width: number): string => alignedTable(wide, users, width)[0] ?? ''
    expect(header(50)).toBe('USERNAME  ITEMS  NOTE                        MFA')
    expect(header(29)).toBe('USERNAME  ITEMS  NOTE')
    expect(header(28)).toBe('USERNAME  NOTE')
    expect(alignedTable(wide, users, 24)[1]).toBe('ana       a note that i…')
    expect(tabbedTable(wide, users)[0]).toBe('ana\t41209\ta note that is rather long\t—')
  })

  it('drop late columns after others, and only before less than twelve characters of a text are left', () => {
    const wide: Array<Column<User>> = [
      { title: 'NAME', cell: (user) => user.name },
      { title: 'FIRST', cell: () => 'x', drops: true },
      { title: 'LAST', cell: () => 'x', drops: 'late' },
      { title: 'NOTE', cell: (user) => user.note, shrinks: true },
    ]
    const header = (width: number): string => alignedTable(wide, users, width)[0] ?? ''
    expect(header(31)).toBe('NAME  FIRST  LAST  NOTE')
    expect(header(30)).toBe('NAME  LAST  NOTE')
    expect(header(23)).toBe('NAME  NOTE')
  })

  it('continue texts that wrap on lines below, with long words broken', () => {
    const wraps: Array<Column<User>> = [columns[1] as Column<User>, { title: 'NOTE', cell: (user) => user.note, wraps: true }]
    const rows = [{ name: '', items: 7, note: 'one two https://example.org/a/b three' }]
    expect(alignedTable(wraps, rows, 19)).toEqual(['ITEMS  NOTE', '    7  one two', '       https://exam', '       ple.org/a/b', '       three'])
    expect(tabbedTable(wraps, rows)).toEqual(['7\tone two https://example.org/a/b three'])
  })

  it('remove control characters of values', () => {
    const row = [{ name: 'a\tb\nc\u001b[31m', items: 1, note: '\u009b2J' }]
    expect(tabbedTable(columns, row)).toEqual(['a b c [31m\t1\t 2J'])
    expect(alignedTable(columns, row, 80)[1]).toBe('a b c [31m      1   2J')
  })

  it('remove format characters of values', () => {
    const row = [{ name: 'a\u202egpj.exe\u202c', items: 1, note: 'x\u200by\ufeff\u00ad\u{e0041}z' }]
    expect(tabbedTable(columns, row)).toEqual(['agpj.exe\t1\txyz'])
    expect(alignedTable(columns, row, 80)[1]).toBe('agpj.exe      1  xyz')
  })
})

describe('text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['für', 3],
    ['e\u0301', 1],
    ['安', 2],
    ['👩‍👩‍👧', 2],
    ['✔', 1],
  ])('%s has the width of %i columns', (text, columns) => expect(columnsOf(text)).toBe(columns))

  it('is truncated to the available columns', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, room) => {
        const shown = cut(text, room)
        expect(columnsOf(shown)).toBeLessThanOrEqual(Math.max(room, 1))
        if (columnsOf(text) <= room) expect(shown).toBe(text)
      }),
    )
  })

  it('is wrapped without losing a word', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zü]{1,12}$/)), fc.integer({ min: 12, max: 40 }), (words, width) => {
        const lines = wrap(words.join(' '), width)
        expect(lines.flatMap((line) => line.split(' '))).toEqual(words)
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width)
      }),
    )
  })

  it('is one line for a cell', () => expect(oneLine('a\r\n\u0000b')).toBe('a b'))
})

describe('output', () => {
  const listing = { columns, rows: users, id: (user: User) => user.name, count: '2 accounts' }
  it.each([
    ['a pipe', {}, {}, 'ana\t41209\ta note that is rather long\n安娜\t3\t\n', '2 accounts\n'],
    ['a terminal', { stdout: true }, {}, 'USERNAME  ITEMS  NOTE\nana       41209  a note that is rather long\n安娜          3\n', '2 accounts\n'],
    ['--quiet', { stdout: true }, { quiet: true }, 'ana\n安娜\n', ''],
    ['--json in a pipe', {}, { json: true }, '{"users":[]}\n', ''],
    ['--json on a terminal', { stdout: true }, { json: true }, '{\n  "users": []\n}\n', ''],
    ['--json with --quiet', {}, { json: true, quiet: true }, '{"users":[]}\n', ''],
  ])('of a list for %s', async (_, tty, form, out, err) => {
    const shown = screen(tty)
    await outputTo(shown.terminal({ color: false }), { json: false, quiet: false, ...form }).list({ users: [] }, listing)
    expect(shown.out()).toBe(out)
    expect(shown.err()).toBe(err)
  })

  it.each([
    [{}, 'told\n', '✔ done\n! careful\nby the way\n'],
    [{ quiet: true }, 'id\n', ''],
    [{ json: true }, '{"a":1}\n', ''],
  ])('of a result with %j', async (form, out, err) => {
    const shown = screen()
    const output = outputTo(shown.terminal(), { json: false, quiet: false, ...form })
    await output.result({ a: 1 }, { id: 'id', print: () => output.line('told') })
    output.done('done')
    output.warn('careful')
    output.note('by the way')
    expect([shown.out(), shown.err()]).toEqual([out, err])
  })
})

describe('progress', () => {
  it.each([
    [0, 1000, 'importing  ░░░░░░░░░░░░░░░░░░░░░░░░  0 %  0 of 1000'],
    [500, 1000, 'importing  ████████████░░░░░░░░░░░░  50 %  500 of 1000'],
    [1000, 1000, 'importing  ████████████████████████  100 %  1000 of 1000'],
    [0, 0, 'importing  ████████████████████████  100 %  0 of 0'],
    [7, undefined, 'importing  7'],
  ])('is formatted: %i of %s', (done, total, text) => expect(progressText('importing', done, total)).toBe(text))

  it.each([
    [{ stderr: true }, true, true],
    [{ stderr: true }, false, false],
    [{}, true, false],
  ])('is drawn on %j with isWanted %s: %s', (tty, isWanted, isDrawn) => {
    const shown = screen(tty)
    const bar = startProgress(shown.terminal(), 'x', 2, isWanted)
    bar.advance()
    bar.end()
    expect(shown.err() !== '').toBe(isDrawn)
    expect(shown.out()).toBe('')
  })
})

describe('failures', () => {
  const commandFor = (...words: string[]): string => `coffer ${words.join(' ')}`
  const people = { json: false, verbose: false, paint: pc.createColors(false) }
  const textOf = (error: unknown, form = people): string => failureText(describedFailure(error, commandFor), form)

  it.each([
    [new CommandError('No node runs.', { exit: 7, hint: 'Start it: coffer start' }), 7, '✖ No node runs.\n  → Start it: coffer start\n'],
    [new CommandError('No.', { exit: 7, hint: ['See', 'status'] }), 7, '✖ No.\n  → See: coffer status\n'],
    [new CommandError('No.', { exit: 2, hint: 'One.\nTwo.' }), 2, '✖ No.\n  → One.\n  → Two.\n'],
    [new Failure('forbidden'), 4, '✖ You do not have the permission to do this.\n'],
    [new Failure('unknown-user'), 5, '✖ This user is not known.\n  → List the accounts: coffer users list\n'],
    [new Failure('item-already-exists', 'Taken.', { email: 'a@b' }), 6, '✖ Taken.\n  email: "a@b"\n'],
    [new Failure('storage-full'), 75, '✖ The disk is full; nothing was changed.\n  → Free some space and try again; nothing was changed.\n'],
    [
      invalidFormat([{ code: 'X', message: 'too short', path: '#/name' }, { code: 'Y', message: 'missing', path: '#/' }], 'Wrong.'),
      1,
      '✖ Wrong.\n  name: too short\n  missing\n',
    ],
    [
      new ConfigError([{ key: 'http.port', origin: 'file', place: 'c.toml:2', message: 'http.port must be a whole number' }]),
      1,
      '✖ c.toml:2: http.port must be a whole number\n  → See all settings: coffer help settings\n',
    ],
    [new ConfigError([{ key: 'a', origin: 'flag', message: 'a is not a setting' }]), 2, '✖ a is not a setting\n  → See all settings: coffer help settings\n'],
    [Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }), 75, '✖ ENOSPC: no space\n  → Free some space and try again.\n'],
    [
      Object.assign(new Error('EROFS: read-only'), { code: 'EROFS', path: '/srv/x' }),
      4,
      '✖ /srv/x: this file system is read-only\n  → Pass another folder with --home.\n',
    ],
    [Object.assign(new Error('odd'), { code: 'EODD' }), 1, '✖ odd\n'],
    [new Error('bug\u001b[2J'), 1, '✖ bug [2J\n  → Run the command again with --verbose for details.\n'],
    ['thrown text', 1, '✖ thrown text\n  → Run the command again with --verbose for details.\n'],
  ])('%s exits %i', (error, exit, text) => {
    expect(describedFailure(error, commandFor).exit).toBe(exit)
    expect(textOf(error)).toBe(text)
  })

  it('state the rules for a refused name or password', () => {
    const refused = (param: string): string =>
      textOf(invalidFormat([{ code: `${param}-invalid`, message: `${param} is invalid`, path: `#/${param}`, param }]))
    expect(refused('username')).toContain('→ A username has 5 to 60')
    expect(refused('password')).toContain('→ A password has 6 to 100')
    expect(refused('language')).not.toContain('→')
  })

  it('are printed as the error object of the API with --json', () => {
    const json = { ...people, json: true }
    expect(textOf(new Failure('unknown-resource', 'Gone.', { id: 'x' }), json)).toBe(
      '{"error":{"id":"unknown-resource","message":"Gone.","data":{"id":"x"}}}\n',
    )
    expect(textOf(new CommandError('No node.', { exit: 7, hint: 'coffer start' }), json)).toBe(
      '{"error":{"id":"node-not-reachable","message":"No node.","data":{"hint":"coffer start"}}}\n',
    )
  })

  it('include the stack trace with --verbose', () => {
    expect(textOf(new Error('bug'), { ...people, verbose: true })).toContain('output.test.ts')
  })
})

describe('progress for scripts', () => {
  it('is printed once per second, and not for short work', () => {
    const lines: unknown[] = []
    let now = 0
    const progress = startJsonProgress(async (line) => void lines.push(JSON.parse(line)), 'writing', 100, () => now)
    progress.advance(10)
    now = 999
    progress.advance(10)
    expect(lines).toEqual([])
    now = 1000
    progress.advance(10)
    now = 1999
    progress.advance(10)
    now = 2500
    progress.advance(5)
    progress.end()
    expect(lines).toEqual([
      { event: 'progress', phase: 'writing', done: 30, total: 100 },
      { event: 'progress', phase: 'writing', done: 45, total: 100 },
    ])
  })

  it.each([
    [{ json: true, quiet: false, jsonLines: true }, '{"event":"progress","phase":"reading","done":7}\n'],
    [{ json: true, quiet: false }, ''],
    [{ json: false, quiet: false, jsonLines: true }, ''],
  ])('is printed or omitted with %j', (form, shown) => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => now.mockRestore())
    const seen = screen()
    const progress = outputTo(seen.terminal(), form).progress('reading')
    now.mockReturnValue(5000)
    progress.advance(7)
    progress.end()
    expect([seen.out(), seen.err()]).toEqual([shown, ''])
  })

  it('is printed by every command that ends with a done event', async () => {
    const ends = (await allCommands()).filter(({ json = '' }) => json.includes('{"event":"done"'))
    expect(ends.filter(({ jsonLines }) => jsonLines !== true).map(({ path }) => path.join(' '))).toEqual([])
    expect(ends.length).toBeGreaterThan(5)
  })
})
