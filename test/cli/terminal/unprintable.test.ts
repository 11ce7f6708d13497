/** Tests that text from other accounts can neither control a terminal nor disguise itself, in lines, tables and JSON. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { render, Text } from 'ink'
import { createElement } from 'react'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askLine } from '../../../src/cli/terminal/input/confirm.js'
import { failureText } from '../../../src/cli/terminal/output/failure.js'
import { jsonDocument, jsonLine } from '../../../src/cli/terminal/output/text.js'
import { fitForScreen } from '../../../src/cli/terminal/output/screenGuard.js'
import { createLog } from '../../../src/server/base/log.js'
import { testHome, type TestHome } from '../support/closedHome.js'
import { screen } from '../support/testTerminal.js'

/** Text that reverses its direction, hides characters, and contains control sequences. */
const EVIL = 'exe\u202egpj\u2066\u200b\u00ad\ufeff\u{e0041}\u009b2J\u0085\u007f\u2028end'
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cf}]/u
/** Removes the colours and cursor movements of the program. */
const withoutControlSequences = (text: string): string => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '')

describe('JSON', () => {
  it('escapes invisible characters, and represents the same data', () => {
    const value = { [EVIL]: [EVIL], plain: 'für 👩 安' }
    for (const text of [jsonDocument(value, true), jsonDocument(value, false), jsonLine(value)]) {
      expect(text.replaceAll('\n', '')).not.toMatch(UNPRINTABLE)
      expect(text).toContain('\\u202e')
      expect(text).toContain('\\udb40\\udc41')
      expect(text).toContain('für 👩 安')
      expect(JSON.parse(text)).toEqual(value)
    }
  })

  it.each([0x7f, 0x80, 0x9b, 0xad, 0x200b, 0x200f, 0x2028, 0x2029, 0x202e, 0x2060, 0x2069, 0xfeff, 0xe0001])('escapes the single character U+%i', (code) => {
    const text = String.fromCodePoint(code)
    expect(jsonLine(text)).toMatch(/^"(\\u[0-9a-f]{4}){1,2}"\n$/)
    expect(JSON.parse(jsonLine(text))).toBe(text)
  })

  it('represents the same data for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const object = { value, text }
        expect(JSON.parse(jsonLine(object))).toEqual(JSON.parse(JSON.stringify(object)))
        expect(jsonLine(object).slice(0, -1)).not.toMatch(UNPRINTABLE)
      }),
    )
  })

  it('of failures and of the log contains no unprintable characters', () => {
    const paint = { red: String, dim: String } as never
    const failure = { id: 'failed', message: EVIL, data: { a: EVIL }, exit: 1, stack: EVIL } as const
    for (const json of [true, false]) {
      expect(failureText(failure, { json, verbose: true, paint }).replaceAll('\n', '')).not.toMatch(UNPRINTABLE)
    }
    const lines: string[] = []
    createLog('info', () => 0, (line) => lines.push(line)).info(EVIL, { name: EVIL })
    expect(lines.join('').replaceAll('\n', '')).not.toMatch(UNPRINTABLE)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: EVIL, name: EVIL })
  })
})

describe('output on a terminal', () => {
  it('consists of plain text, cursor movements and colours', () => {
    expect(fitForScreen(`a\u001b[31mb\u001b[0m\r\u001b[K\u001b[?25l\t\n`)).toBe(`a\u001b[31mb\u001b[0m\r\u001b[K\u001b[?25l\t\n`)
    expect(fitForScreen('a\u001b]0;title\u0007b\u001bc\u009b31m\u202ec')).toBe('a]0;titlebc31mc')
  })

  it('is filtered for every writer', async () => {
    const shown = screen({ stdin: true, stdout: true, stderr: true })
    const terminal = shown.terminal()
    await terminal.write(`${EVIL}\n`)
    terminal.writeStderr(`${EVIL}\n`)
    const answer = askLine(terminal, `Remove ${EVIL}? `)
    shown.streams.stdin.write('yes\n')
    expect(await answer).toBe('yes')
    const drawn = render(createElement(Text, null, `drawn ${EVIL}`), { stdout: terminal.streams.stdout as NodeJS.WriteStream, patchConsole: false })
    drawn.unmount()
    await drawn.waitUntilExit()
    expect(shown.out()).toContain('drawn exegpj')
    for (const text of [shown.out(), shown.err()]) expect(withoutControlSequences(text).replaceAll('\n', '').replaceAll('\u2028', '')).not.toMatch(UNPRINTABLE)
  })

  it('differs from a pipe, which passes data unchanged', async () => {
    const shown = screen()
    await shown.terminal().write(EVIL)
    expect(shown.out()).toBe(EVIL)
  })
})

describe('commands', () => {
  let home: TestHome
  let id: string
  beforeAll(async () => {
    home = await testHome('ana-lovelace')
    await home.json(['streams', 'create', `Diary ${EVIL}`, '--id', 'diary'])
    const { event } = await home.json(['events', 'create', '--stream', 'diary', '--type', 'note/txt', '--content', `=1+1 ${EVIL}`])
    id = (event as { id: string }).id
  })
  afterAll(() => home.remove())

  it.each([
    ['streams', 'tree'],
    ['streams', 'tree', '--json'],
    ['events', 'list'],
    ['events', 'list', '--json'],
    ['events', 'export'],
    ['events', 'export', '--csv'],
    ['api', 'events.get', '{}', '--user', 'ana-lovelace'],
    ['audit', 'list', '--json'],
    ['events', 'show'],
    ['events', 'show', '--json'],
    ['streams', 'update', `nowhere${EVIL}`, '--name', 'x'],
    ['streams', 'update', `nowhere${EVIL}`, '--name', 'x', '--json'],
    [`nowhere${EVIL}`],
  ])('print no unprintable characters (%#)', async (...words) => {
    const line = words[1] === 'show' && words[0] === 'events' ? [...words.slice(0, 2), id, ...words.slice(2)] : words
    for (const tty of [true, false]) {
      // CSV in a pipe is data for programs and stays unescaped.
      if (!tty && words.includes('--csv')) continue
      const { out, err } = await home.run(line, { tty, env: { TERM: 'dumb' } })
      expect(out + err).not.toBe('')
      expect(withoutControlSequences(out + err).replace(/[\n\t]/g, '')).not.toMatch(UNPRINTABLE)
    }
  })

  it('export CSV and JSON that restore the same data, including formulas', async () => {
    const csv = await home.run('events export --csv')
    expect(csv.out).toContain('=1+1')
    expect(csv.out).not.toMatch(/(^|,)"?[=+@\t]/m)
    const content = (JSON.parse((await home.run('events export')).out) as { content: string }).content
    expect(content).toBe(`=1+1 ${EVIL}`)
    await home.run(['events', 'delete', id, '--yes'])
    const columns = '--time-column time --stream-column streams --type-column type --content-column content --id-column id'
    const other = await testHome('bob-lovelace')
    await other.json(['streams', 'create', 'Diary', '--id', 'diary'])
    const again = await other.run(`events import - --format csv ${columns} --json`, { stdin: csv.out })
    expect(again.code, again.err).toBe(0)
    expect((JSON.parse((await other.run('events export')).out) as { content: string }).content).toBe(`=1+1 ${EVIL}`)
    await other.remove()
  })
})

describe('the sources', () => {
  it('write to the standard streams in one place, and JSON by one function', async () => {
    const folder = 'src/cli'
    const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name))
    const found: string[] = []
    for (const name of files) {
      const text = await readFile(join(folder, name), 'utf8')
      for (const line of text.split('\n')) {
        const isBypass = /process\.(stdout|stderr)|console\.|(terminal\.(write|tell)|out\.data)\(.*JSON\.stringify/.test(line)
        if (isBypass) found.push(`${name}: ${line.trim()}`)
      }
    }
    expect(found).toEqual([
      expect.stringMatching(/^client\/offline\.ts: const log = createLog/) as string,
    ])
  })
})
