/** The kinds of options and arguments that commands take, each with the type of the value it gives. */
import { usageError } from './exit.js'

/** What follows an option, for completion of paths. */
export type Completes = 'file' | 'folder'

/** What a node has, by whose names completion offers words. */
export type Names = 'user' | 'stream' | 'access' | 'client' | 'peer' | 'backup' | 'webhook' | 'event' | 'series' | 'delegate' | 'managed' | 'node'

/** An option or an argument, and how the words typed for it become a value. */
export interface Parameter<T> {
  readonly takes: 'nothing' | 'one' | 'many'
  readonly summary: string
  /** Shown in place of the value: `file` in `--to <file>`. Absent for arguments, which show their name. */
  readonly placeholder?: string
  /** One letter. */
  readonly short?: string
  readonly required: boolean
  readonly choices?: readonly string[]
  /** Offered by completion; other words are taken too. */
  readonly suggests?: readonly string[]
  readonly completes?: Completes
  /** What the value names: completion asks the running node which there are. */
  readonly names?: Names
  /**
   * Reads the words given, undefined when the parameter was not given.
   * @throws Error saying what was expected.
   */
  read(given: readonly string[] | undefined): T
}

export interface About<R extends boolean = boolean> {
  placeholder?: string
  short?: string
  required?: R
  suggests?: readonly string[]
  completes?: Completes
  names?: Names
}

/** The value's type: undefined is left out for what is required. */
type Given<T, R extends boolean> = R extends true ? T : T | undefined

/** An option that is there or not. A name that begins with `no` (noWait) becomes `--no-wait`. */
export function flag(summary: string, about: { short?: string } = {}): Parameter<boolean> {
  return { takes: 'nothing', summary, required: false, ...about, read: (given) => given !== undefined }
}

/** Any text. */
export function text<R extends boolean = false>(summary: string, about: About<R> = {}): Parameter<Given<string, R>> {
  return one<string, R>((word) => word, summary, { placeholder: 'text', ...about })
}

/** A whole number within bounds. */
export function whole<R extends boolean = false>(
  summary: string,
  about: About<R> & { from?: number; to?: number } = {},
): Parameter<Given<number, R>> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, ...rest } = about
  const bounds = to === Number.MAX_SAFE_INTEGER ? `, ${from} or more` : ` from ${from} to ${to}`
  const read = (word: string): number => {
    const value = Number(word)
    if (!/^-?\d+$/.test(word) || value < from || value > to) throw new Error(`a whole number${bounds}`)
    return value
  }
  return one<number, R>(read, summary, { placeholder: 'n', ...rest })
}

/** Any number. */
export function decimal<R extends boolean = false>(
  summary: string,
  about: About<R> = {},
): Parameter<Given<number, R>> {
  const read = (word: string): number => {
    const value = Number(word)
    if (word.trim() === '' || !Number.isFinite(value)) throw new Error('a number')
    return value
  }
  return one<number, R>(read, summary, { placeholder: 'n', ...about })
}

/** A length of time such as `30s`, `10m`, `1h`, `30d`; bare numbers are seconds. Gives seconds. */
export function duration<R extends boolean = false>(
  summary: string,
  about: About<R> = {},
): Parameter<Given<number, R>> {
  return one<number, R>(readDuration, summary, { placeholder: 'duration', ...about })
}

/** One of a few words. */
export function choice<const W extends string, R extends boolean = false>(
  words: readonly W[],
  summary: string,
  about: About<R> = {},
): Parameter<Given<W, R>> {
  const read = (word: string): W => {
    const found = words.find((each) => each === word)
    if (found === undefined) throw new Error(`one of ${words.join(', ')}`)
    return found
  }
  return { ...one<W, R>(read, summary, { placeholder: words.join('|'), ...about }), choices: words }
}

/** A text that may be given several times; with `separator`, several also in one. Gives a list, perhaps empty. */
export function list(summary: string, about: About & { separator?: string } = {}): Parameter<string[]> {
  const { separator, required = false, ...rest } = about
  const read = (given: readonly string[] = []): string[] =>
    separator === undefined ? [...given] : given.flatMap((word) => word.split(separator).filter((each) => each !== ''))
  return { takes: 'many', summary, placeholder: 'text', ...rest, required, read }
}

/** The seconds of `90`, `90s`, `1.5h`, `30d`; also `ms` and weeks, `w`. */
export function readDuration(word: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)?$/.exec(word)
  if (match === null) throw new Error('a length of time such as 30s, 10m, 1h or 30d')
  const seconds: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
  return Number(match[1]) * (seconds[match[2] ?? 's'] ?? 1)
}

function one<T, R extends boolean>(
  read: (word: string) => T,
  summary: string,
  about: About<R>,
): Parameter<Given<T, R>> {
  return {
    takes: 'one',
    summary,
    ...about,
    required: about.required === true,
    read: (given) => {
      const word = given?.[given.length - 1]
      // What is required is checked before it is read: see readParameter.
      return (word === undefined ? undefined : read(word)) as Given<T, R>
    },
  }
}

/**
 * Reads one parameter. `shown` is what a person types for it: `--limit <n>` or `<key>`; `help` is the next step.
 * @throws CommandError, exit 2, naming the parameter.
 */
export function readParameter<T>(
  parameter: Parameter<T>,
  displayed: string,
  given: readonly string[] | undefined,
  help?: string,
): T {
  if (parameter.required && (given === undefined || given.length === 0)) throw usageError(`${displayed} is missing`, help)
  try {
    return parameter.read(given)
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error)
    throw usageError(`${displayed} takes ${expected}, not ${JSON.stringify(given?.[given.length - 1])}`, help)
  }
}

/** `mergeEventsWithParent` → `merge-events-with-parent`. */
export function optionName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** What a person types: `-l, --limit <n>`. */
export function optionSyntax(key: string, parameter: Parameter<unknown>): string {
  const short = parameter.short === undefined ? '' : `-${parameter.short}, `
  const value = parameter.takes === 'nothing' ? '' : ` <${parameter.placeholder ?? 'text'}>`
  return `${short}--${optionName(key)}${value}`
}

/** What a person types: `<key>`, `[value]`, `[words...]`. */
export function argumentSyntax(key: string, parameter: Parameter<unknown>): string {
  const name = parameter.takes === 'many' ? `${optionName(key)}...` : optionName(key)
  return parameter.required ? `<${name}>` : `[${name}]`
}
