/** Help of one command, a group, or everything, generated from the command values. */
import { existsSync } from 'node:fs'
import { argumentSyntax, optionSyntax, builtInOptions, globalOptions } from '../framework/option.js'
import type { Parameter } from '../framework/option.js'
import { fullName } from '../command.js'
import type { Command, Parameters } from '../command.js'
import { commands, topLevelCommands } from '../commands.js'
import type { Paths } from '../framework/paths.js'
import type { Paint, Terminal } from '../terminal/terminal.js'
import { blockLines, section, type Block } from './blocks.js'
import { firstSteps, nouns } from './nouns.js'
import { topics } from './topics.js'

/** Returns the help text for a command path; the empty path and unknown words give the overview. */
export async function helpFor(path: readonly string[], terminal: Terminal, paths: Paths): Promise<string> {
  const state = { home: paths.home, hasStore: existsSync(paths.store) }
  const blocks = path.length === 0 ? rootBlocks(await topLevelCommands(), Object.keys(commands), state) : await blocksOf(path)
  return helpText(blocks, terminal.width, terminal.paintOut)
}

/** Returns the help of a command, or of a group; loads no others. */
async function blocksOf(path: readonly string[]): Promise<Block[]> {
  const named = commands[path.join(' ')]
  if (named !== undefined) return commandBlocks(await named())
  const within = Object.entries(commands).filter(([name]) => name.startsWith(`${path.join(' ')} `))
  return groupBlocks(path, await Promise.all(within.map(([, load]) => load())))
}

export function helpText(blocks: readonly Block[], width: number, paint: Paint): string {
  return `${blockLines(blocks, Math.min(width, 100), paint).join('\n')}\n`
}

/** Returns the usage line: `coffer config get <key> [options]`. */
export function usageLine(command: Command): string {
  const words = Object.entries(command.arguments).map(([key, each]) => argumentSyntax(key, each))
  const required = Object.entries(command.options).filter(([, each]) => each.required)
  const options = required.map(([key, each]) => optionSyntax(key, each).replace(/^-., /, ''))
  const more = Object.keys(command.options).length > required.length ? ['[options]'] : []
  return [fullName(command.path), ...words, ...options, ...more].join(' ')
}

/** Returns the blocks of help and man page for one command, including headings. */
function commandBlocks(command: Command): Block[] {
  const { path, summary, description, examples = [] } = command
  const json = jsonWords(command)
  return [
    { heading: `${fullName(path)}: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}` },
    { code: [usageLine(command)] },
    ...(description ?? '').split(/\n\s*\n/).filter((each) => each !== '').map((text) => ({ text })),
    ...section('Arguments', argumentTerms(command.arguments)),
    ...section('Options', optionTerms(command.options)),
    ...section('Global options', globalTerms(command)),
    ...section('Examples', examples.map((each) => [each.type, each.description])),
    ...(json === undefined ? [] : [{ heading: 'With --json' }, { text: json }]),
  ]
}

/** Returns the description of stdout with `--json`; undefined for commands without it. */
export function jsonWords({ json, jsonLines }: Pick<Command, 'json' | 'jsonLines'>): string | undefined {
  return json === undefined || jsonLines !== true ? json : `${json.replace(/\.$/, '')}. Preceded by {"event":"progress",…} lines; see coffer help formatting`
}

/** Returns the help of a group. */
function groupBlocks(path: readonly string[], all: readonly Command[]): Block[] {
  const within = all.filter((each) => each.hidden !== true)
  const about = nouns[path.join(' ')] ?? ''
  return [
    { heading: `${fullName(path)}${about === '' ? '' : ': '}${about.charAt(0).toLowerCase()}${about.slice(1)}` },
    ...section('Commands', within.map((each) => [fullName(each.path), each.summary])),
    { text: `Help on one: ${fullName(path)} <command> --help` },
  ]
}

/** Returns the overview: first steps, commands and topics. `topLevel` are the commands of one word, `names` those of all. */
function rootBlocks(topLevel: readonly Command[], names: readonly string[], state: { home: string; hasStore: boolean }): Block[] {
  const single = topLevel.filter((each) => each.hidden !== true)
  const steps = firstSteps.filter(({ needs }) => !state.hasStore || needs === 'store')
  const groups = [...new Set(names.filter((name) => name.includes(' ')).map((name) => name.split(' ', 1)[0] ?? ''))]
  return [
    { heading: 'coffer: a home for your data, on your own machine' },
    { text: state.hasStore ? `The store is in ${state.home}.` : `No store in ${state.home} yet.` },
    ...section('Get started', steps.map((each) => [each.type, each.description])),
    ...section('Commands', single.map((each) => [fullName(each.path), each.summary])),
    ...section('Command groups', groups.map((noun) => [fullName([noun]), nouns[noun] ?? ''])),
    ...section('More', [
      ['coffer <command> --help', 'show help on a command or a group'],
      ...topics.map((topic) => [`coffer help ${topic.name}`, topic.summary] as const),
    ]),
  ]
}

export function argumentTerms(parameters: Parameters): Array<readonly [string, string]> {
  return Object.entries(parameters).map(([key, each]) => [argumentSyntax(key, each), descriptionOf(each)])
}

export function optionTerms(parameters: Parameters): Array<readonly [string, string]> {
  return Object.entries(parameters).map(([key, each]) => [optionSyntax(key, each), descriptionOf(each)])
}

/** Returns the global options; `--node` only for commands that can use a remote node, or without a command. */
export function globalTerms(command?: Pick<Command, 'reach' | 'path'>): Array<readonly [string, string]> {
  const { node, ...others } = globalOptions
  const allowsRemote = command?.reach === undefined || command.path[0] === 'nodes'
  return [...optionTerms(allowsRemote ? { node, ...others } : others), ...builtInOptions.map((each) => [each.syntax, each.summary] as const)]
}

function descriptionOf(parameter: Parameter<unknown>): string {
  const words = parameter.choices === undefined ? '' : `; one of ${parameter.choices.join(', ')}`
  return `${parameter.summary}${words}${parameter.takes === 'many' ? '; repeatable' : ''}`
}
