import { describe, expect, it } from 'vitest'
import { allCommands, commands } from '../../../src/cli/commands.js'
import { globalOptions } from '../../../src/cli/framework/option.js'
import { nouns } from '../../../src/cli/help/nouns.js'
import { topics } from '../../../src/cli/help/topics.js'
import { parseCommandLine } from '../../../src/cli/framework/parse.js'
import { productVersion } from '../../../src/server/base/version.js'
import { coffer } from '../support/testTerminal.js'

const all = await allCommands()
const named = all.map((each) => [each.path.join(' '), each] as const)
const env = { COFFER_HOME: '/nowhere' }

describe('every command', () => {
  it.each(Object.entries(commands))('%s is registered under its path', async (name, load) => {
    expect((await load()).path.join(' ')).toBe(name)
  })

  it.each(named)('%s has a one-line summary', (_, each) => {
    expect(each.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(each.summary.length).toBeLessThan(80)
  })

  it.each(named)('%s redefines no global option', (_, each) => {
    const taken = new Set([...Object.keys(globalOptions), 'help', 'version'])
    expect(Object.keys(each.options).filter((key) => taken.has(key))).toEqual([])
    const shorts = Object.values(each.options).flatMap((option) => option.short ?? [])
    expect(shorts.filter((short) => ['q', 'v', 'h', 'V'].includes(short))).toEqual([])
    expect(new Set(shorts).size).toBe(shorts.length)
    expect(Object.keys(each.arguments).filter((key) => key in each.options)).toEqual([])
  })

  it.each(all.filter((each) => each.path.length > 1).map((each) => each.path.slice(0, -1).join(' ')))(
    'of the group %s has a group with a summary',
    (noun) => expect(nouns[noun]).toMatch(/^[A-Z].*[^.]$/),
  )

  const examples = all.flatMap((each) => (each.examples ?? []).map(({ type }) => [type, each] as const))
  it.each(examples)('has a valid example: %s', (line, each) => {
    const call = /coffer [^|<>)]*/.exec(line)?.[0] ?? ''
    const words = [...call.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((found) => found[1] ?? found[2] ?? found[3] ?? '')
    const parsed = parseCommandLine(words.slice(1), all)
    if (parsed.kind !== 'run') throw new Error(`${line} runs nothing`)
    expect(parsed.command).toBe(each)
    parsed.command.read(parsed.typed)
  })

  // The commands of `service` are an exception, which completion handles: --user is a flag there.
  it('uses each option consistently with or without a value', () => {
    const takes = new Map<string, Set<boolean>>()
    const others = all.filter((each) => each.path[0] !== 'service')
    for (const [key, option] of others.flatMap((each) => Object.entries(each.options))) {
      takes.set(key, (takes.get(key) ?? new Set()).add(option.takes === 'nothing'))
    }
    expect([...takes].filter(([, kinds]) => kinds.size > 1).map(([key]) => key)).toEqual([])
  })
})

describe('help', () => {
  it.each(['', '--help', 'help', '-h'])('lists all commands: coffer %s', async (line) => {
    const { code, out, err } = await coffer(line, { env })
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('No store in /nowhere yet.')
    for (const each of all) expect(out.includes(`coffer ${each.path[0]}`)).toBe(each.hidden !== true)
    for (const topic of topics) expect(out).toContain(`coffer help ${topic.name}`)
  })

  it.each(all.map((each) => each.path.join(' ')))('describes one command: coffer help %s', async (name) => {
    const help = await coffer(`help ${name}`, { env })
    expect(help.code).toBe(0)
    expect(help.out).toContain(`coffer ${name}`)
    expect((await coffer(`${name} --help`, { env })).out).toBe(help.out)
  })

  it('describes a group', async () => {
    const { out } = await coffer('config --help', { env })
    expect(out).toContain('coffer config list')
    expect((await coffer('help config', { env })).out).toBe(out)
  })

  it.each(topics.map((topic) => topic.name))('explains %s', async (name) => {
    const { code, out } = await coffer(`help ${name}`, { env })
    expect(code).toBe(0)
    expect(out.split('\n').length).toBeGreaterThan(5)
    for (const line of out.split('\n')) expect(line).not.toMatch(/undefined|\[object/)
  })

  it('suggests the nearest topic for an unknown one', async () => {
    const { code, err } = await coffer('help enviroment', { env })
    expect(code).toBe(2)
    expect(err).toContain('Did you mean: coffer help environment')
  })
})

it.each(['-V', '--version', 'config --version'])('coffer %s prints the version', async (line) => {
  expect(await coffer(line, { env })).toEqual({ code: 0, out: `${productVersion()}\n`, err: '' })
})

it('does not treat the value of an option as a command', async () => {
  const { code, out } = await coffer('--home help config path -q', { env })
  expect([code, out.split('\n')[0]?.endsWith('/help')]).toEqual([0, true])
})

it.each([
  ['confg list', 2],
  ['config lst', 2],
  ['config', 2],
  ['--nope', 2],
])('coffer %s exits %i', async (line, code) => {
  const { code: exit, out, err } = await coffer(line, { env })
  expect([exit, out]).toEqual([code, ''])
  expect(err).toMatch(/^✖ .*\n {2}→ /)
  const json = await coffer(`${line} --json`, { env })
  expect(JSON.parse(json.err)).toMatchObject({ error: { id: 'wrong-usage' } })
})
