import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { logFile } from '../../../src/cli/client/logFile.js'
import { logText } from '../../../src/cli/terminal/output/logText.js'
import { shellLine } from '../../../src/cli/framework/shell.js'
import { ago, bytes, clock, counted, span, when } from '../../../src/cli/terminal/output/format.js'
import { createLog } from '../../../src/server/base/log.js'
import type { LogEntry } from '../../../src/server/base/log.js'

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9949, '9.9 kB'],
    [9960, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [1_234_567_890, '1.2 GB'],
    [5e15, '5000 TB'],
  ])('format %i bytes as %s', (n, text) => expect(bytes(n)).toBe(text))
})

describe('times', () => {
  const now = 1_800_000_000
  it.each([
    [undefined, '—'],
    [now + 5, 'just now'],
    [now - 59, 'just now'],
    [now - 60, '1 min ago'],
    [now - 7200, '2 h ago'],
    [now - 86_400 * 29, '29 d ago'],
    [now - 86_400 * 30, when(now - 86_400 * 30).slice(0, 10)],
  ])('format %s relative to now as %s', (time, text) => expect(ago(time, now)).toBe(text))

  it.each([
    [0, '0 s'],
    [89, '89 s'],
    [90, '2 min'],
    [5400, '2 h'],
    [129_600, '2 d'],
  ])('format %i seconds as %s', (seconds, text) => expect(span(seconds)).toBe(text))

  it('are local, and in seconds when out of range', () => {
    const noon = new Date(2026, 10, 21, 12, 3, 4).getTime() / 1000
    expect([when(noon), clock(noon)]).toEqual(['2026-11-21 12:03:04', '12:03:04'])
    expect(when(1e300)).toBe('1e+300 s')
  })
})

it('counted uses the singular or plural noun', () => {
  expect([counted(1, 'account'), counted(0, 'account'), counted(1200, 'entry', 'entries')]).toEqual([
    '1 account',
    '0 accounts',
    '1,200 entries',
  ])
})

it('shellLine quotes words for a shell', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0'))), (words) => {
      const echoed = execFileSync('sh', ['-c', `for w in ${shellLine(words)}; do printf '%s\\0' "$w"; done`])
      expect(echoed.toString()).toBe(words.map((word) => `${word}\0`).join(''))
    }),
    { numRuns: 30 },
  )
})

describe('the log', () => {
  const entry = (fields: Record<string, unknown>, message = 'it failed'): LogEntry => ({
    time: new Date(2026, 10, 21, 12, 3, 4).getTime() / 1000,
    level: 'warn',
    message,
    fields,
  })
  const plain = pc.createColors(false)

  it.each([
    [entry({}), '12:03:04 warn  it failed\n'],
    [entry({ user: 'ana', n: 3, of: ['a'] }), '12:03:04 warn  it failed  user="ana"  n=3  of=["a"]\n'],
    [entry({ error: 'Error: x\n    at y' }), '12:03:04 warn  it failed\n  Error: x\n      at y\n'],
    [entry({ user: '\u001b[2J' }, 'a\nb'), '12:03:04 warn  a b  user="\\u001b[2J"\n'],
    [entry({ error: '\u001b[2J\nx' }), '12:03:04 warn  it failed\n   [2J\n  x\n'],
  ])('is formatted as text: %j', (logged, text) => expect(logText(logged, plain)).toBe(text))

  it('is written as JSON for entries of at least the level', () => {
    const lines: string[] = []
    const log = createLog('warn', () => 7, (line) => void lines.push(line))
    log.info('quiet')
    log.warn('loud', { n: 1 })
    expect(lines).toEqual(['{"time":7,"level":"warn","message":"loud","n":1}\n'])
  })

  it('is written to a private file, and rotated', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-log-'))
    try {
      const file = join(folder, 'node.log')
      const options = { path: file, maxBytes: 10, maxFiles: 2 }
      const write = logFile(options)
      for (const line of ['one\n', 'two two two\n', 'three\n', 'four five\n']) write(line)
      expect(readFileSync(file, 'utf8')).toBe('three\nfour five\n')
      expect(readFileSync(`${file}.1`, 'utf8')).toBe('one\ntwo two two\n')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      logFile(options)('six\n')
      expect(readFileSync(file, 'utf8')).toBe('six\n')
      expect(readFileSync(`${file}.2`, 'utf8')).toBe('one\ntwo two two\n')
      logFile(options)('seven and eight\n')
      logFile(options)('nine\n')
      expect(readFileSync(`${file}.2`, 'utf8')).toBe('three\nfour five\n')
      logFile({ ...options, maxFiles: 0 })('ten and eleven\n')
      logFile({ ...options, maxFiles: 0 })('twelve\n')
      expect(readFileSync(file, 'utf8')).toBe('twelve\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('ignores write errors', () => {
    expect(() => logFile({ path: '/dev/null/node.log', maxBytes: 10, maxFiles: 1 })('a\n')).not.toThrow()
  })
})
