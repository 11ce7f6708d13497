/**
 * A command as one value: grammar, help text and run function. Parsing, help, completion and man pages are derived
 * from it.
 */
import { usageError, type ExitCode } from './framework/exit.js'
import type { AccountsClient, NodeClient } from './client/nodeClient.js'
import { argumentSyntax, optionName, optionSyntax, readParameter, usesStdin } from './framework/option.js'
import type { Parameter } from './framework/option.js'
import type { NamedNode } from './client/nodeRegistry.js'
import type { Output } from './terminal/output/out.js'
import type { Environment, Paths } from './framework/paths.js'
import type { Terminal } from './terminal/terminal.js'

/** Parsed options that every command takes. */
export interface GlobalFlags {
  json: boolean
  /** Values of the options that filter JSON; one at most has an effect. */
  jq?: string
  template?: string
  fields?: readonly string[]
  /** The option that filters JSON, as typed: `--jq`. */
  filter?: '--jq' | '--template' | '--fields'
  quiet: boolean
  verbose: boolean
  /** False with `--no-color`. */
  color: boolean
  /** False with `--no-input`, which forbids prompts. */
  input: boolean
  home?: string
  /** Value of `--node` as typed. */
  node?: string
  config?: string
  /** Time limit for answers of the node, in milliseconds. */
  timeoutMs?: number
}

/** Environment of a running command. */
export interface Context {
  terminal: Terminal
  out: Output
  /** Folder of the node. @throws CommandError 2 for a remote node, like `paths` */
  readonly home: string
  readonly paths: Paths
  /** Display name of the node: its folder, or the name and URL of a remote node. */
  place: string
  /** Set when the node is remote. */
  remote?: NamedNode
  flags: GlobalFlags
  env: Environment
  /** Seconds since the epoch. */
  now(): number
  /** Returns a command line for this node that can be pasted: `coffer start`, with `--home` if needed. */
  commandFor(...words: string[]): string
  /**
   * Connects to the node: its admin socket if it is running, else the closed store for commands marked `offline`, or
   * HTTP for a remote node. The connection is closed after the command.
   * @param defaultTimeoutMs time limit for an answer without `--timeout`; no limit if undefined. `unlimited`
   * ignores `--timeout`, for commands that handle it themselves.
   * @throws CommandError 7 without a node, 10 without a store, 11 if another process has the store open.
   */
  connect(defaultTimeoutMs?: number | 'unlimited'): Promise<NodeClient>
  /** Connects only for users.list and users.show: faster than `connect` if no node is running. */
  connectToAccounts(): Promise<AccountsClient>
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** Typed input of a command: its arguments and options by name. */
type InputOf<A extends Parameters, O extends Parameters> = {
  [K in keyof A]: A[K] extends Parameter<infer T> ? T : never
} & { [K in keyof O]: O[K] extends Parameter<infer T> ? T : never }

interface Example {
  /** Complete command line: `coffer config get http.port`. */
  type: string
  /** Description of its effect. */
  description: string
}

interface CommandDescription {
  /** Command path: `['config', 'list']`. */
  readonly path: readonly string[]
  /** One line, imperative, no full stop. */
  readonly summary: string
  /** Paragraphs separated by empty lines. */
  readonly description?: string
  readonly examples?: readonly Example[]
  /** Description of stdout with `--json`. */
  readonly json?: string
  /** True if `--json` prints one line per event, with progress, and the result last. */
  readonly jsonLines?: true
  /** True if the command works while no node is running. */
  readonly offline: boolean
  /**
   * `machine`: only works on the node of this machine. `none`: uses no node, or several. Other commands take `--node`, and go
   * to the default node.
   */
  readonly reach?: 'machine' | 'none'
  /** Omitted from help and completion. */
  readonly hidden?: true
}

interface CommandSpec<A extends Parameters, O extends Parameters> extends CommandDescription {
  /** In order; only the last may take several values. */
  readonly arguments?: A
  readonly options?: O
  /** Runs the command. Returns the exit code if it is not 0 and no failure is to be reported. */
  run(context: Context, input: InputOf<A, O>): Promise<ExitCode | void>
}

/** Words typed for a command, by parameter name. */
export type Typed = Readonly<Record<string, readonly string[] | undefined>>

/** A command of any input types. */
export interface Command extends CommandDescription {
  readonly arguments: Parameters
  readonly options: Parameters
  /** Parses the typed words. @throws CommandError 2 naming the invalid parameter */
  read(typed: Typed): Record<string, unknown>
  run(context: Context, typed: Typed): Promise<ExitCode | void>
}

/** Creates a command from its specification. */
export function command<A extends Parameters = Record<never, never>, O extends Parameters = Record<never, never>>(
  spec: CommandSpec<A, O>,
): Command {
  const args: Parameters = spec.arguments ?? {}
  const options: Parameters = spec.options ?? {}
  const help = `See: ${fullName(spec.path)} --help`
  const read = (typed: Typed): InputOf<A, O> => {
    const values: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(args)) {
      values[key] = readParameter(each, argumentSyntax(key, each), typed[key], help, spec.examples?.[0]?.type)
    }
    for (const [key, each] of Object.entries(options)) {
      const example = spec.examples?.find(({ type }) => type.includes(`--${optionName(key)}`))?.type
      values[key] = readParameter(each, longSyntax(key, each), typed[key], help, example)
    }
    assertOneUsesStdin([
      ...Object.entries(args).map(([key, each]) => ({ key, syntax: argumentSyntax(key, each), parameter: each })),
      ...Object.entries(options).map(([key, each]) => ({ key, syntax: `--${optionName(key)}`, parameter: each })),
    ].filter(({ key, parameter }) => usesStdin(parameter, typed[key])))
    // Safe: the parameter of each name in A and O parsed its value.
    return values as InputOf<A, O>
  }
  return { ...spec, arguments: args, options, read, run: (context, typed) => spec.run(context, read(typed)) }
}

/** Checks that at most one parameter reads stdin. @throws CommandError 2 */
function assertOneUsesStdin(readers: ReadonlyArray<{ syntax: string; parameter: Parameter<unknown> }>): void {
  if (readers.length < 2) return
  const words = readers.map(({ syntax, parameter }) => (parameter.stdin === 'always' ? syntax : `${syntax} -`))
  throw usageError(`${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''} cannot both read stdin`, 'Put one of them into a file, and pass its path.')
}

/** Returns `--limit <n>`, without the short form. */
function longSyntax(key: string, parameter: Parameter<unknown>): string {
  return optionSyntax(key, parameter).replace(/^-., /, '')
}

/** Returns the full name: `coffer config get`. */
export function fullName(path: readonly string[]): string {
  return ['coffer', ...path].join(' ')
}
