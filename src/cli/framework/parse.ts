/** Parses typed words to a command and its values, with commander. Runs nothing and prints nothing. */
import { Command as Commander, CommanderError, Option } from 'commander'
import type { Command, GlobalFlags, Parameters, Typed } from '../command.js'
import { fullName } from '../command.js'
import { usageError } from './exit.js'
import { globalOptions, argumentSyntax, optionName, optionSyntax, readParameter } from './option.js'
import type { Parameter } from './option.js'
import { commandLineWith } from './shell.js'

type Parsed =
  | { kind: 'run'; command: Command; typed: Typed; flags: GlobalFlags }
  /** Help was requested for a command, a group of commands, or everything (an empty path). */
  | { kind: 'help'; path: readonly string[]; flags: GlobalFlags }
  | { kind: 'version' }

/**
 * Parses a command line against the given commands.
 * @throws CommandError 2 with the error and the nearest valid word, if any
 */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Parsed {
  let parsed: Parsed | undefined
  let helpPath: readonly string[] | undefined
  const root = addOptions(new Commander('coffer'), globalOptions)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .helpCommand(false)
    .option('-V, --version')
  const groups = new Map<string, Commander>([['', root]])
  for (const each of commands) {
    const group = groupFor(each.path.slice(0, -1), groups)
    const leaf = group.command(each.path[each.path.length - 1] ?? '', { hidden: each.hidden === true })
    groups.set(each.path.join(' '), leaf)
    addOptions(leaf, each.options)
    for (const [key, argument] of Object.entries(each.arguments)) {
      // readParameter reports a missing argument, as for options.
      leaf.argument(argumentSyntax(key, argument).replace('<', '[').replace('>', ']'))
    }
    leaf.action(() => {
      const typed = { ...typedArguments(leaf.args, each.arguments), ...typedOptions(leaf, each.options) }
      parsed = { kind: 'run', command: each, typed, flags: globalFlags(root) }
    })
  }
  for (const [path, group] of groups) {
    // Called for `--help`, and by commander when a group is named without a command.
    group.helpInformation = () => {
      helpPath = path === '' ? [] : path.split(' ')
      return ''
    }
  }
  try {
    root.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (root.opts()['version'] !== undefined) return { kind: 'version' }
    const path = helpPath ?? []
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', path, flags: globalFlags(root) }
    if (error.code === 'commander.help') return withoutCommand(path, globalFlags(root), commands)
    throw wrongUsage(error, argv, groups, commands)
  }
  if (root.opts()['version'] !== undefined) return { kind: 'version' }
  return parsed ?? { kind: 'help', path: [], flags: globalFlags(root) }
}

/** Handles a group without a command: `coffer` alone prints help; `coffer users` alone lacks a verb. */
function withoutCommand(path: readonly string[], flags: GlobalFlags, commands: readonly Command[]): Parsed {
  if (path.length === 0) return { kind: 'help', path, flags }
  const within = commands.filter((each) => path.every((word, index) => each.path[index] === word))
  const verbs = [...new Set(within.map((each) => each.path[path.length] ?? ''))]
  throw usageError(`${fullName(path)} needs a command: ${verbs.join(', ')}`, `See: ${fullName([...path, '--help'])}`)
}

function groupFor(path: readonly string[], groups: Map<string, Commander>): Commander {
  const name = path.join(' ')
  const known = groups.get(name)
  if (known !== undefined) return known
  const group = groupFor(path.slice(0, -1), groups).command(path[path.length - 1] ?? '').helpCommand(false)
  groups.set(name, group)
  return group
}

function addOptions(to: Commander, options: Parameters): Commander {
  for (const [key, option] of Object.entries(options)) {
    const collect = (word: string, before: string[] | undefined): string[] => [...(before ?? []), word]
    const created = new Option(optionSyntax(key, option), option.summary)
    to.addOption(option.takes === 'nothing' ? created : created.argParser(collect))
  }
  return to
}

function typedArguments(words: readonly string[], parameters: Parameters): Typed {
  const typed: Record<string, readonly string[] | undefined> = {}
  for (const [index, [key, parameter]] of Object.entries(parameters).entries()) {
    const values = parameter.takes === 'many' ? words.slice(index) : words.slice(index, index + 1)
    typed[key] = values.length === 0 ? undefined : values
  }
  return typed
}

function typedOptions(from: Commander, parameters: Parameters): Typed {
  return Object.fromEntries(Object.entries(parameters).map(([key, each]) => [key, typedOption(from, key, each)]))
}

function typedOption(from: Commander, key: string, parameter: Parameter<unknown>): readonly string[] | undefined {
  // Commander stores `--no-wait` as wait = false.
  const negated = optionName(key).startsWith('no-')
  const name = negated ? key.replace(/^no(.)/, (_, letter: string) => letter.toLowerCase()) : key
  const value: unknown = from.opts()[name]
  if (parameter.takes === 'nothing') return (negated ? value === false : value === true) ? [] : undefined
  return Array.isArray(value) ? value.map(String) : undefined
}

function globalFlags(root: Commander): GlobalFlags {
  const typed = typedOptions(root, globalOptions)
  const home = readParameter(globalOptions.home, '--home <dir>', typed['home'])
  const node = readParameter(globalOptions.node, '--node <name>', typed['node'])
  const config = readParameter(globalOptions.config, '--config <file>', typed['config'])
  const seconds = readParameter(globalOptions.timeout, '--timeout <duration>', typed['timeout'])
  const jq = readParameter(globalOptions.jq, '--jq <expression>', typed['jq'])
  const template = readParameter(globalOptions.template, '--template <text>', typed['template'])
  const fields = readParameter(globalOptions.fields, '--fields <names>', typed['fields'])
  const filter = jq !== undefined ? '--jq' : template !== undefined ? '--template' : fields !== undefined ? '--fields' : undefined
  return {
    json: typed['json'] !== undefined,
    ...(jq === undefined ? {} : { jq }),
    ...(template === undefined ? {} : { template }),
    ...(fields === undefined ? {} : { fields: fields.split(',').map((name) => name.trim()).filter((name) => name !== '') }),
    ...(filter === undefined ? {} : { filter }),
    quiet: typed['quiet'] !== undefined,
    verbose: typed['verbose'] !== undefined,
    color: typed['noColor'] === undefined,
    input: typed['noInput'] === undefined,
    ...(home === undefined ? {} : { home }),
    ...(node === undefined ? {} : { node }),
    ...(config === undefined ? {} : { config }),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
  }
}

/** Converts commander's error, with its suggestion and the help command as next steps. */
function wrongUsage(error: CommanderError, argv: readonly string[], groups: ReadonlyMap<string, Commander>, commands: readonly Command[]): Error {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  const words: string[] = []
  for (const word of argv) if (groups.has([...words, word].join(' '))) words.push(word)
  const other = otherConfirmation(message, argv, commands.find(({ path }) => path.join(' ') === words.join(' ')))
  if (other !== undefined) return other
  const hints = [`See: ${fullName([...words, '--help'])}`]
  if (suggestion !== undefined) hints.unshift(suggestion.replace(/^\(|\)$/g, ''))
  // Ids and thumbprints may start with a dash.
  const value = /^unknown option '(-[^-'].+)'$/.exec(message)?.[1]
  if (value !== undefined) hints.unshift(`To pass a value that starts with a dash, put it last, after two dashes: -- ${value}`)
  return usageError(message, hints.join('\n'))
}

/** Returns the error for `--yes` where a risk must be accepted, and for `--accept-risk` where a yes/no question is asked. */
function otherConfirmation(message: string, argv: readonly string[], command: Command | undefined): Error | undefined {
  const typed = /^unknown option '(--yes|-y|--accept-risk)\b/.exec(message)?.[1]
  if (typed === undefined || command === undefined) return undefined
  const isRisk = typed === '--accept-risk'
  const risk = command.options['acceptRisk']?.suggests?.[0]
  const needed = isRisk ? (command.options['yes'] === undefined ? undefined : '--yes') : risk === undefined ? undefined : `--accept-risk=${risk}`
  if (needed === undefined) return undefined
  const values = argv.filter((word, at) => !(isRisk && argv[at - 1] === '--accept-risk'))
  return usageError(`${fullName(command.path)} does not take ${typed}, but ${needed}`, `To confirm it: ${commandLineWith(values, needed, isRisk ? [typed] : ['--yes', '-y'])}`)
}
