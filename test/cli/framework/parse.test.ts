import { describe, expect, it } from 'vitest'
import { command } from '../../../src/cli/command.js'
import type { Command } from '../../../src/cli/command.js'
import { CommandError } from '../../../src/cli/framework/exit.js'
import { flag, list, text, whole } from '../../../src/cli/framework/option.js'
import { parseCommandLine } from '../../../src/cli/framework/parse.js'

const nothing = async (): Promise<void> => undefined
const about = { summary: 'Something', offline: true, run: nothing }

const all: Command[] = [
  command({
    ...about,
    path: ['events', 'list'],
    arguments: { stream: text('', { required: true }), more: list('') },
    options: { limit: whole('', { short: 'n' }), tag: list(''), noWait: flag(''), type: text('', { required: true }) },
  }),
  command({ ...about, path: ['oauth', 'clients', 'create'], options: { name: text('') } }),
  command({ ...about, path: ['status'] }),
]

const parse = (line: string): unknown => {
  const parsed = parseCommandLine(line.split(' ').filter((word) => word !== ''), all)
  if (parsed.kind === 'version') return 'version'
  if (parsed.kind === 'help') return `help ${parsed.path.join(' ')}`.trim()
  return { [parsed.command.path.join(' ')]: parsed.command.read(parsed.typed) }
}
const unlimited = { limit: undefined, tag: [], noWait: false, more: [] }

describe('the parser of command lines', () => {
  it.each([
    ['status', { status: {} }],
    ['oauth clients create --name x', { 'oauth clients create': { name: 'x' } }],
    ['oauth clients create --name=x', { 'oauth clients create': { name: 'x' } }],
    ['events list s --type t', { 'events list': { ...unlimited, stream: 's', type: 't' } }],
    ['events list --type t s a b', { 'events list': { ...unlimited, stream: 's', more: ['a', 'b'], type: 't' } }],
    ['events list s --type t -n 5 --tag a --tag b', { 'events list': { ...unlimited, stream: 's', type: 't', limit: 5, tag: ['a', 'b'] } }],
    ['events list s --type t --no-wait', { 'events list': { ...unlimited, stream: 's', type: 't', noWait: true } }],
    ['events list --type t -- --s', { 'events list': { ...unlimited, stream: '--s', type: 't' } }],
    ['--json status -q', { status: {} }],
    ['', 'help'],
    ['--json', 'help'],
    ['--help', 'help'],
    ['-h', 'help'],
    ['events --help', 'help events'],
    ['events list --help', 'help events list'],
    ['events list -h', 'help events list'],
    ['oauth clients -h', 'help oauth clients'],
    ['-V', 'version'],
    ['status --version', 'version'],
  ])('parses %s', (line, expected) => expect(parse(line)).toEqual(expected))

  it.each([
    ['statsu', "unknown command 'statsu'", 'Did you mean status?\nSee: coffer --help'],
    ['events lits', "unknown command 'lits'", 'Did you mean list?\nSee: coffer events --help'],
    ['oauth clients', 'coffer oauth clients needs a command: create', 'See: coffer oauth clients --help'],
    ['oauth', 'coffer oauth needs a command: clients', 'See: coffer oauth --help'],
    ['status --jsno', "unknown option '--jsno'", 'Did you mean --json?\nSee: coffer status --help'],
    ['status -x', "unknown option '-x'", 'See: coffer status --help'],
    [
      'status -x1y2',
      "unknown option '-x1y2'",
      'To pass a value that starts with a dash, put it last, after two dashes: -- -x1y2\nSee: coffer status --help',
    ],
    ['status more', "too many arguments for 'status'. Expected 0 arguments but got 1.", 'See: coffer status --help'],
    ['events list s --type t --limit', "option '-n, --limit <n>' argument missing", 'See: coffer events list --help'],
    ['events list s --type t --limit x', '--limit <n> takes a whole number, 0 or more, not "x"', 'See: coffer events list --help'],
    ['events list s', '--type <text> is missing', 'See: coffer events list --help'],
    ['events list --type t', '<stream> is missing', 'See: coffer events list --help'],
    ['status --timeout soon', '--timeout <duration> takes a duration such as 30s, 10m, 1h or 30d, not "soon"', undefined],
  ])('refuses %s: %s', (line, message, hint) => {
    let thrown: unknown
    try {
      parse(line)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(CommandError)
    expect(thrown).toMatchObject({ message, exit: 2, ...(hint === undefined ? {} : { hint }) })
  })

  it.each([
    ['status', {}],
    ['--json -q status', { json: true, quiet: true }],
    ['status --no-color --no-input -v', { color: false, input: false, verbose: true }],
    ['status --home h --config=c --timeout 2s', { home: 'h', config: 'c', timeoutMs: 2000 }],
  ])('accepts global options anywhere: %s', (line, flags) => {
    const base = { json: false, quiet: false, verbose: false, color: true, input: true }
    expect(parseCommandLine(line.split(' '), all)).toMatchObject({ flags: { ...base, ...flags } })
  })
})
