/** One call of coffer: loads the command, parses, runs it, reports failures and returns the exit code. */
import { systemClock } from '../server/base/clock.js'
import { productVersion } from '../server/base/version.js'
import { fullName, type Command, type Context, type GlobalFlags } from './command.js'
import { allCommands, commands, topLevelCommands } from './commands.js'
import { CommandError, usageError, type ExitCode } from './framework/exit.js'
import { globalOptions, optionName } from './framework/option.js'
import { connect, connectToAccounts, type ConnectOptions } from './client/connect.js'
import type { AccountsClient } from './client/nodeClient.js'
import { isMachineCommand } from './client/isMachineCommand.js'
import { LOCAL, type NamedNode } from './client/nodeRegistry.js'
import { targetNamed, targetOf } from './client/nodeTarget.js'
import type { NameSuggestions } from './client/unknownName.js'
import { failureText, describedFailure } from './terminal/output/failure.js'
import { outputTo, type Output } from './terminal/output/out.js'
import { commandLineWith, shellLine } from './framework/shell.js'
import { parseCommandLine } from './framework/parse.js'
import { commandFor as commandForHome, pathsOf } from './framework/paths.js'
import type { Environment } from './framework/paths.js'
import type { Terminal, TerminalChoices } from './terminal/terminal.js'

interface ProcessEnvironment {
  env: Environment
  /** Creates the terminal once the flags are known. */
  terminal(choices: TerminalChoices): Terminal
}

/** Runs a command line and returns its exit code. Throws nothing: failures are reported on stderr. */
export async function runCommandLine(argv: readonly string[], environment: ProcessEnvironment): Promise<ExitCode> {
  const { env } = environment
  // Until the command line is parsed, failures are reported in the format that the raw words suggest.
  let flags = guessedFlags(argv)
  let terminal: Terminal | undefined
  let commandFor: Context['commandFor'] = (...words) => shellLine(['coffer', ...words])
  let suggestions: NameSuggestions | undefined
  try {
    const parsed = parseCommandLine(argv, await commandsFor(argv))
    if (parsed.kind === 'version') {
      await environment.terminal({ env }).write(`${productVersion()}\n`)
      return 0
    }
    flags = parsed.flags
    terminal = environment.terminal({ env, color: flags.color, input: flags.input })
    if (parsed.kind === 'help') {
      const { helpFor } = await import('./help/help.js')
      await terminal.write(await helpFor(parsed.path, terminal, pathsFor(flags, env)))
      return 0
    }
    const { command, typed } = parsed
    const paths = pathsFor(flags, env)
    commandFor = (...words) => commandForHome(paths, env, ...words)
    const filter = flags.filter === undefined ? undefined : await (await import('./terminal/output/filters/selectFilter.js')).selectedFilter(command, flags)
    const out = outputTo(terminal, { json: flags.json, quiet: flags.quiet, jsonLines: command.jsonLines === true, filter })
    const remote = await remoteOf(command, flags, env, out)
    if (remote !== undefined) commandFor = (...words) => remoteCommand(remote, parsed.flags, words)
    const onFailure = async (error: unknown, client: AccountsClient | undefined): Promise<void> => {
      if (describedFailure(error, commandFor).exit !== 5) return
      const [{ suggestNames }, { runningNode }] = await Promise.all([import('./client/unknownName.js'), import('./client/runningNode.js')])
      // Commands about the store connect by themselves.
      const own = client !== undefined || remote !== undefined ? undefined : await runningNode(paths).catch(() => undefined)
      suggestions = await suggestNames(error, { parameters: { ...command.arguments, ...command.options }, typed, client: client ?? own })
      await own?.close()
    }
    return (await runCommand(command, typed, { flags, terminal, env, paths, out, remote, commandFor, onFailure })) ?? 0
  } catch (error) {
    const described = describedFailure(error, commandFor, stepsOf(error, argv) ?? suggestions)
    const { json, verbose } = flags
    const errorTerminal = terminal ?? environment.terminal({ env, color: flags.color, input: flags.input })
    errorTerminal.writeStderr(failureText(described, { json, verbose, paint: errorTerminal.paintErr }))
    return described.exit
  }
}

/** Returns the complete command line for an action that an option confirms. */
function stepsOf(error: unknown, argv: readonly string[]): NameSuggestions | undefined {
  const option = error instanceof CommandError ? error.missingOption : undefined
  return option === undefined ? undefined : { before: [`To confirm it: ${commandLineWith(argv, option)}`], after: [] }
}

interface RunOptions extends Pick<Context, 'flags' | 'terminal' | 'env' | 'out' | 'commandFor'> {
  paths: ReturnType<typeof pathsOf>
  remote: NamedNode | undefined
  /** Called with the error of the command while its connections are open. */
  onFailure(error: unknown, client: AccountsClient | undefined): Promise<void>
}

async function runCommand(
  command: Command,
  typed: Parameters<Command['run']>[1],
  { flags, terminal, env, paths, out, remote, commandFor, onFailure }: RunOptions,
): Promise<ExitCode | void> {
  const localPaths = (): ReturnType<typeof pathsOf> => {
    if (remote !== undefined) throw localOnly(command, { ...flags, node: remote.name })
    return paths
  }
  const clients: AccountsClient[] = []
  const options = (timeoutMs: number | undefined): ConnectOptions => {
    // Name the remote node, so that people notice a wrong one.
    if (remote !== undefined && clients.length === 0) out.note(`On ${remote.name}, ${remote.url}`)
    return { paths, env, out, terminal, offline: command.offline, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(remote === undefined ? {} : { remote }) }
  }
  const tracked = <D extends AccountsClient>(client: D): D => {
    clients.push(client)
    return client
  }
  const context: Context = {
    terminal,
    out,
    get home() {
      return localPaths().home
    },
    get paths() {
      return localPaths()
    },
    place: remote === undefined ? paths.home : `${remote.name}, ${remote.url}`,
    ...(remote === undefined ? {} : { remote }),
    flags,
    env,
    now: () => systemClock.now(),
    commandFor,
    connect: async (defaultTimeoutMs) => tracked(await connect(options(defaultTimeoutMs === 'unlimited' ? undefined : (flags.timeoutMs ?? defaultTimeoutMs)))),
    connectToAccounts: async () => tracked(await connectToAccounts(options(flags.timeoutMs))),
  }
  try {
    return await command.run(context, typed)
  } catch (error) {
    await onFailure(error, clients[0])
    throw error
  } finally {
    for (const client of clients) await client.close()
  }
}

/** Returns the remote node for a command. @throws CommandError 2 if the command only works on this machine */
async function remoteOf(command: Command, flags: GlobalFlags, env: Environment, out: Output): Promise<NamedNode | undefined> {
  const { reach } = command
  if (reach === 'none') return undefined
  const isNamed = flags.node !== undefined && flags.node !== LOCAL
  if (reach === 'machine' && isNamed) throw localOnly(command, flags)
  if (reach !== 'machine') return targetOf(flags, env)
  const inUse = targetNamed(flags, env)
  if (inUse !== undefined) out.note(`On this machine, although ${inUse.name} is the default node`)
  return undefined
}

/** Returns a command line for a remote node that can be pasted, with a note if it only works on that machine. */
function remoteCommand({ name }: NamedNode, { node }: GlobalFlags, words: readonly string[]): string {
  if (isMachineCommand(words)) return `${shellLine(['coffer', ...words])}   # on the machine of ${name}`
  return shellLine(['coffer', ...words, ...(node === undefined ? [] : ['--node', name])])
}

const localOnly = ({ path }: Command, { node = 'the node' }: GlobalFlags): Error =>
  usageError(
    `coffer ${path.join(' ')} only works on the node of this machine`,
    `Run it on the machine of ${node}: ${fullName(path)}\nFor the node of this machine, leave out --node.`,
  )

/**
 * Loads the commands that a command line may mean: the one that it names, else those of its group, else all. Without a word, the
 * overview needs those of one word.
 * Loading one takes a few milliseconds; loading all takes ten times that.
 */
async function commandsFor(argv: readonly string[]): Promise<Command[]> {
  const words = commandWords(argv)
  if (words.length === 0) return topLevelCommands()
  for (let length = Math.min(3, words.length); length > 0; length--) {
    const named = commands[words.slice(0, length).join(' ')]
    if (named !== undefined) return [await named()]
  }
  const group = Object.entries(commands).filter(([name]) => name.startsWith(`${words[0]} `))
  return group.length === 0 ? allCommands() : Promise.all(group.map(([, load]) => load()))
}

/** Returns the words before the first option of a command, without global options. */
function commandWords(argv: readonly string[]): string[] {
  const withValue = new Set(
    Object.entries(globalOptions).flatMap(([key, each]) => (each.takes === 'nothing' ? [] : [`--${optionName(key)}`])),
  )
  const words: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (withValue.has(word)) at++
    else if (word === '--') break
    else if (!word.startsWith('-')) words.push(word)
  }
  return words
}

function guessedFlags(argv: readonly string[]): GlobalFlags {
  return {
    json: argv.includes('--json'),
    quiet: false,
    verbose: argv.includes('--verbose') || argv.includes('-v'),
    color: !argv.includes('--no-color'),
    input: false,
  }
}

function pathsFor({ home, config }: GlobalFlags, env: Environment): ReturnType<typeof pathsOf> {
  return pathsOf({ env, ...(home === undefined ? {} : { home }), ...(config === undefined ? {} : { config }) })
}
