/** Tests of `coffer logs`: reads and follows the log files of a node. */
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addedLines, parseMatching } from '../../../../src/cli/commands/node/readLog.js'
import { createLog } from '../../../../src/server/base/log.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { coffer } from '../../support/testTerminal.js'

let home: string
let file: string
const line = (message: string, more: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ time: Date.now() / 1000, level: 'info', message, ...more })}\n`
const run = (words: string, tty = false): ReturnType<typeof coffer> => coffer(words, { env: { COFFER_HOME: home, NO_COLOR: '1' }, tty })
const messages = (out: string): string[] =>
  out.split('\n').filter((text) => text !== '').map((text) => (JSON.parse(text) as { message: string }).message)

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coffer-logs-'))
  file = join(home, 'node.log')
})
afterEach(() => rmSync(home, { recursive: true }))

describe('coffer logs', () => {
  it('prints the last lines, also of rotated files', async () => {
    writeFileSync(`${file}.2`, line('one') + line('two'))
    writeFileSync(`${file}.1`, line('three'))
    writeFileSync(file, `${line('four')}{"cut`)
    expect(messages((await run('logs')).out)).toEqual(['one', 'two', 'three', 'four'])
    expect(messages((await run('logs -n 3')).out)).toEqual(['two', 'three', 'four'])
    expect((await run('logs -n 0')).out).toBe('')
  })

  it.each([
    ['--level warn', ['loud', 'broken']],
    ['--user ana-lovelace', ['loud']],
    ['--method events.get', ['broken']],
    ['--since 1h', ['loud', 'broken', 'quiet']],
    ['--level error --user ana-lovelace', []],
  ])('filters by %s', async (options, found) => {
    const old = { time: Date.now() / 1000 - 7200 }
    writeFileSync(
      file,
      line('long ago', old) +
        line('loud', { level: 'warn', user: 'ana-lovelace' }) +
        line('broken', { level: 'error', method: 'events.get' }) +
        line('quiet'),
    )
    expect(messages((await run(`logs ${options}`)).out)).toEqual(found)
  })

  it('prints text on a terminal, and JSON with --json', async () => {
    writeFileSync(file, line('loud', { level: 'warn', user: 'ana' }))
    expect((await run('logs', true)).out).toMatch(/^\d\d:\d\d:\d\d warn {2}loud {2}user="ana"\n$/)
    expect(messages((await run('logs --json', true)).out)).toEqual(['loud'])
  })

  it.each([
    ['logs', 5, 'No log at'],
    ['logs --level loud', 2, '--level'],
    ['logs --since yesterday', 2, '--since'],
  ])('refuses %s', async (words, exit, says) => {
    const { code, err } = await run(words)
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })

  it('reads the file of the setting logs.file', async () => {
    writeFileSync(join(home, 'config.toml'), `logs.file = ${JSON.stringify(join(home, 'other.log'))}\n`)
    writeFileSync(join(home, 'other.log'), line('elsewhere'))
    expect(messages((await run('logs')).out)).toEqual(['elsewhere'])
  })

  it('follows added lines across a rotation', async () => {
    writeFileSync(file, line('before'))
    const added = addedLines(file, {})
    const first = added.next()
    await new Promise((resolve) => setImmediate(resolve))
    const text = line('after')
    // Lines are appended until the follower sees the first.
    const until = (async () => ((await first).value as { entry: { message: string } }).entry.message)()
    const later = setInterval(() => appendFileSync(file, text), 20)
    expect(await until).toBe('after')
    clearInterval(later)
    renameSync(file, `${file}.1`)
    writeFileSync(file, line('anew'))
    for (;;) {
      const { value } = await added.next()
      const { message } = (value as { entry: { message: string } }).entry
      if (message === 'anew') break
      expect(message).toBe('after')
    }
    await added.return(undefined)
  })
})

it('skips malformed lines', () => {
  for (const text of ['', '{}', 'null', '[1]', '{"time":1,"level":"silent"}', '{"time":"1","level":"info"}']) expect(parseMatching(text, {})).toBeUndefined()
})

describe('a log', () => {
  it.each([
    ['https://tOkEn@ana.example.org/', 'https://•••@ana.example.org/'],
    ['wss://h/ana?auth=tOkEn&x=1', 'wss://h/ana?auth=•••&x=1'],
    ['https://h/?a=1&code=tOkEn#f', 'https://h/?a=1&code=•••#f'],
    ['mail to a@b.example', 'mail to a@b.example'],
  ])('contains %s as %s', (given, masked) => {
    const lines: string[] = []
    const log = createLog('info', () => 1, (text, { fields }) => void lines.push(text, JSON.stringify(fields)))
    log.info(given, { url: given, deep: { list: [given] }, secret: new Secret('tOkEn') })
    expect(lines.join('\n')).not.toContain('tOkEn')
    expect(JSON.parse(lines[0] ?? '')).toEqual({ time: 1, level: 'info', message: masked, url: masked, deep: { list: [masked] }, secret: '•••' })
  })
})
