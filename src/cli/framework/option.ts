/** Kinds of options and arguments of commands, each with the type of its value, and the options of every command. */
import { errorMessage } from '../../store/model/errorMessage.js'
import { usageError } from './exit.js'
import type { Names } from './nameKind.js'

/** Kind of path that completion offers. */
export type Completes = 'file' | 'folder'

/** An option or argument, with the conversion of typed words to a value. */
export interface Parameter<T> {
  readonly takes: 'nothing' | 'one' | 'many'
  readonly summary: string
  /** Shown in place of the value: `file` in `--to <file>`. Absent for arguments, which show their name. */
  readonly placeholder?: string
  /** One letter. */
  readonly short?: string
  readonly required: boolean
  readonly choices?: readonly string[]
  /** Values offered by completion; others are accepted too. */
  readonly suggests?: readonly string[]
  readonly completes?: Completes
  /** Use of stdin: by the option itself, or for the value `-`, also after a name (`team=-`). One parameter of a call may use it. */
  readonly stdin?: 'always' | 'dash'
  /** Kind of object that the value names: completion lists those of the running node. */
  readonly names?: Names
  /**
   * Converts the typed words; `values` is undefined when the parameter is absent.
   * @throws Error that states what was expected
   */
  read(values: readonly string[] | undefined): T
}

interface OptionDetails<R extends boolean = boolean> {
  placeholder?: string
  short?: string
  required?: R
  suggests?: readonly string[]
  completes?: Completes
  names?: Names
  stdin?: 'dash'
}

/** Type of the value; required parameters exclude undefined. */
type OptionValue<T, R extends boolean> = R extends true ? T : T | undefined

/** Creates a boolean option. A name that starts with `no` (noWait) becomes `--no-wait`. */
export function flag(summary: string, details: { short?: string; stdin?: 'always' } = {}): Parameter<boolean> {
  return { takes: 'nothing', summary, required: false, ...details, read: (values) => values !== undefined }
}

/** Creates a parameter for any text. */
export function text<R extends boolean = false>(summary: string, details: OptionDetails<R> = {}): Parameter<OptionValue<string, R>> {
  return single<string, R>((word) => word, summary, { placeholder: 'text', ...details })
}

/** Creates a parameter for a file that the command reads; `-` is stdin. */
export function inputFile<R extends boolean = false>(summary: string, details: OptionDetails<R> = {}): Parameter<OptionValue<string, R>> {
  return text<R>(`${summary}, or - for stdin`, { placeholder: 'file', completes: 'file', stdin: 'dash', ...details })
}

/** Checks whether the typed words of a parameter use stdin. */
export const usesStdin = ({ stdin }: Parameter<unknown>, words: readonly string[] | undefined): boolean =>
  words !== undefined && (stdin === 'always' || (stdin === 'dash' && words.some((word) => word === '-' || word.endsWith('=-'))))

/** Creates a parameter for an integer within bounds. */
export function whole<R extends boolean = false>(
  summary: string,
  details: OptionDetails<R> & { from?: number; to?: number } = {},
): Parameter<OptionValue<number, R>> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, ...rest } = details
  const bounds = to === Number.MAX_SAFE_INTEGER ? `, ${from} or more` : ` from ${from} to ${to}`
  const read = (word: string): number => {
    const value = Number(word)
    if (!/^-?\d+$/.test(word) || value < from || value > to) throw new Error(`a whole number${bounds}`)
    return value
  }
  return single<number, R>(read, summary, { placeholder: 'n', ...rest })
}

/** Creates a parameter for any number. */
export function decimal<R extends boolean = false>(
  summary: string,
  details: OptionDetails<R> = {},
): Parameter<OptionValue<number, R>> {
  const read = (word: string): number => {
    const value = Number(word)
    if (word.trim() === '' || !Number.isFinite(value)) throw new Error('a number')
    return value
  }
  return single<number, R>(read, summary, { placeholder: 'n', ...details })
}

/** Creates a parameter for a duration such as `30s`, `10m`, `1h`, `30d`; bare numbers are seconds. Its value is in seconds. */
export function duration<R extends boolean = false>(
  summary: string,
  details: OptionDetails<R> = {},
): Parameter<OptionValue<number, R>> {
  return single<number, R>(readDuration, summary, { placeholder: 'duration', ...details })
}

/** Creates a parameter for one of a few words. */
export function choice<const W extends string, R extends boolean = false>(
  words: readonly W[],
  summary: string,
  details: OptionDetails<R> = {},
): Parameter<OptionValue<W, R>> {
  const read = (word: string): W => {
    const found = words.find((each) => each === word)
    if (found === undefined) throw new Error(`one of ${words.join(', ')}`)
    return found
  }
  return { ...single<W, R>(read, summary, { placeholder: words.join('|'), ...details }), choices: words }
}

/** Creates a repeatable text parameter; with `separator`, one word may contain several values. Its value is a list, empty by default. */
export function list(summary: string, details: OptionDetails & { separator?: string } = {}): Parameter<string[]> {
  const { separator, required = false, ...rest } = details
  const read = (values: readonly string[] = []): string[] =>
    separator === undefined ? [...values] : values.flatMap((word) => word.split(separator).filter((each) => each !== ''))
  return { takes: 'many', summary, placeholder: 'text', ...rest, required, read }
}

/** Parses a duration to seconds: `90`, `90s`, `1.5h`, `30d`; also `ms` and weeks, `w`. */
export function readDuration(word: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)?$/.exec(word)
  if (match === null) throw new Error('a duration such as 30s, 10m, 1h or 30d')
  const seconds: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
  return Number(match[1]) * (seconds[match[2] ?? 's'] ?? 1)
}

function single<T, R extends boolean>(
  read: (word: string) => T,
  summary: string,
  details: OptionDetails<R>,
): Parameter<OptionValue<T, R>> {
  return {
    takes: 'one',
    summary,
    ...details,
    required: details.required === true,
    read: (values) => {
      const word = values?.[values.length - 1]
      // readParameter checks required parameters first.
      return (word === undefined ? undefined : read(word)) as OptionValue<T, R>
    },
  }
}

/**
 * Reads one parameter. `syntax` is its typed form, `--limit <n>` or `<key>`; `help` is the next step, and `example` a command line
 * that has the parameter.
 * @throws CommandError, exit 2, naming the parameter
 */
export function readParameter<T>(
  parameter: Parameter<T>,
  syntax: string,
  values: readonly string[] | undefined,
  help?: string,
  example?: string,
): T {
  if (parameter.required && (values === undefined || values.length === 0)) {
    throw usageError(`${syntax} is missing`, example === undefined ? help : `For example: ${example}${help === undefined ? '' : `\n${help}`}`)
  }
  try {
    return parameter.read(values)
  } catch (error) {
    const expected = errorMessage(error)
    throw usageError(`${syntax} takes ${expected}, not ${JSON.stringify(values?.[values.length - 1])}`, help)
  }
}

/** Converts a key to an option name: `mergeEventsWithParent` → `merge-events-with-parent`. */
export function optionName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Formats the syntax of an option: `-l, --limit <n>`. */
export function optionSyntax(key: string, parameter: Parameter<unknown>): string {
  const short = parameter.short === undefined ? '' : `-${parameter.short}, `
  const value = parameter.takes === 'nothing' ? '' : ` <${parameter.placeholder ?? 'text'}>`
  return `${short}--${optionName(key)}${value}`
}

/** Formats the syntax of an argument: `<key>`, `[value]`, `[words...]`. */
export function argumentSyntax(key: string, parameter: Parameter<unknown>): string {
  const name = parameter.takes === 'many' ? `${optionName(key)}...` : optionName(key)
  return parameter.required ? `<${name}>` : `[${name}]`
}

/** Options of every command, used by parsing, help, completion and manual pages. */
export const globalOptions = {
  json: flag('Print the result as JSON, and failures as JSON on stderr'),
  jq: text('Filter the JSON with a jq expression, and print strings without quotes', { placeholder: 'expression' }),
  template: text('Format the JSON with a Handlebars template, see coffer help formatting', { placeholder: 'text' }),
  fields: text('Print JSON with these members only, of an object or of each item of a list; comma-separated', { placeholder: 'names' }),
  quiet: flag('Print ids only, one per line', { short: 'q' }),
  noColor: flag('Disable colours'),
  noInput: flag('Never prompt; fail if input is missing'),
  home: text('Folder of the node', { placeholder: 'dir', completes: 'folder' }),
  node: text('Remote node, by its name in coffer nodes; local for the node of this machine', { placeholder: 'name', names: 'node' }),
  config: text('Configuration file, instead of config.toml in the folder', { placeholder: 'file', completes: 'file' }),
  timeout: duration('How long to wait for a response from the node'),
  verbose: flag('Print more details, including where a failure happened', { short: 'v' }),
} satisfies Readonly<Record<string, Parameter<unknown>>>

/** Options handled before any command. */
export const builtInOptions = [
  { syntax: '-h, --help', summary: 'Print help for the command' },
  { syntax: '-V, --version', summary: 'Print the version' },
] as const
