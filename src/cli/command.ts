/**
 * What a command is: one value that holds its grammar, its words and its deed. Parsing, help, completion and manual
 * pages are projections of it, as doors are projections of a method.
 */
import type { ExitCode } from './framework/exit.js'
import type { AccountsClient, NodeClient } from './client/nodeClient.js'
import { argumentSyntax, optionSyntax, readParameter } from './framework/option.js'
import type { Parameter } from './framework/option.js'
import type { NamedNode } from './client/nodeRegistry.js'
import type { Output } from './terminal/output/out.js'
import type { Environment, Paths } from './framework/paths.js'
import type { Terminal } from './terminal/terminal.js'

/** The options that every command takes. */
export interface GlobalFlags {
  json: boolean
  quiet: boolean
  verbose: boolean
  /** `--no-color` and `--no-input` give false. */
  color: boolean
  input: boolean
  home?: string
  /** `--node`, as it was typed. */
  node?: string
  config?: string
  /** How long to wait for the node. */
  timeoutMs?: number
}

/** What a command works with. */
export interface Context {
  terminal: Terminal
  out: Output
  /** The folder of the node. @throws CommandError 2 when the node is on another machine, as `paths` does */
  readonly home: string
  readonly paths: Paths
  /** What people know the node by: its folder, or its name and address on another machine. */
  place: string
  /** The node, when it is on another machine. */
  remote?: NamedNode
  flags: GlobalFlags
  env: Environment
  /** Seconds since the epoch. */
  now(): number
  /** A command that means this node when it is pasted: `coffer start`, with `--home` where it is needed. */
  commandFor(...words: string[]): string
  /**
   * The way to the node: its socket when one runs, else the closed store for commands marked `offline`. Closed after
   * the command. Over HTTP for the node of another machine.
   * @param patienceMs how long to wait for an answer when `--timeout` does not say; without limit when undefined, and
   * with `unlimited` even when `--timeout` says otherwise, for commands that read it themselves.
   * @throws CommandError 7 without a node, 10 without a store, 11 when another process holds it.
   */
  connect(patienceMs?: number | 'unlimited'): Promise<NodeClient>
  /** The same, for commands that only look at accounts: quicker where no node runs. */
  connectToAccounts(): Promise<AccountsClient>
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The typed input of a command: its arguments and options by name. */
export type InputOf<A extends Parameters, O extends Parameters> = {
  [K in keyof A]: A[K] extends Parameter<infer T> ? T : never
} & { [K in keyof O]: O[K] extends Parameter<infer T> ? T : never }

export interface Example {
  /** The whole line: `coffer config get http.port`. */
  type: string
  /** What it does. */
  says: string
}

interface Words {
  /** The words that name it: `['config', 'list']`. */
  readonly path: readonly string[]
  /** One line, no full stop. */
  readonly summary: string
  /** Paragraphs parted by empty lines. */
  readonly description?: string
  readonly examples?: readonly Example[]
  /** What stdout holds under `--json`. */
  readonly json?: string
  /** Whether that is a line for each thing that happens, the result last: progress is told there too. */
  readonly jsonLines?: true
  /** Whether it works while no node runs. */
  readonly offline: boolean
  /**
   * `machine`: it is about the node of this machine alone. `none`: about no node, or several. Others take `--node`, and go
   * to the node in use.
   */
  readonly reach?: 'machine' | 'none'
  /** Left out of help and completion. */
  readonly hidden?: true
}

export interface CommandSpec<A extends Parameters, O extends Parameters> extends Words {
  /** In the order in which they are typed; only the last may take many. */
  readonly arguments?: A
  readonly options?: O
  /** Does it. Answers the exit code when that is not 0 and nothing is to be told as a failure. */
  run(context: Context, input: InputOf<A, O>): Promise<ExitCode | void>
}

/** What was typed for a command, by the names of its parameters. */
export type Typed = Readonly<Record<string, readonly string[] | undefined>>

/** A command whose input types are folded away. */
export interface Command extends Words {
  readonly arguments: Parameters
  readonly options: Parameters
  /** The typed input; throws CommandError 2 naming what is wrong. */
  read(typed: Typed): Record<string, unknown>
  run(context: Context, typed: Typed): Promise<ExitCode | void>
}

/** Makes a command. */
export function command<A extends Parameters = Record<never, never>, O extends Parameters = Record<never, never>>(
  spec: CommandSpec<A, O>,
): Command {
  const args: Parameters = spec.arguments ?? {}
  const options: Parameters = spec.options ?? {}
  const help = `See: ${fullName(spec.path)} --help`
  const read = (typed: Typed): InputOf<A, O> => {
    const values: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(args)) {
      values[key] = readParameter(each, argumentSyntax(key, each), typed[key], help)
    }
    for (const [key, each] of Object.entries(options)) {
      values[key] = readParameter(each, longSyntax(key, each), typed[key], help)
    }
    // The parameters of A and O gave these values, name by name.
    return values as InputOf<A, O>
  }
  return { ...spec, arguments: args, options, read, run: (context, typed) => spec.run(context, read(typed)) }
}

/** `--limit <n>`, without the short form. */
function longSyntax(key: string, parameter: Parameter<unknown>): string {
  return optionSyntax(key, parameter).replace(/^-., /, '')
}

/** `coffer config get`. */
export function fullName(path: readonly string[]): string {
  return ['coffer', ...path].join(' ')
}
