/** Grammar of the command line in the form that completion scripts need. */
import type { Command, Parameters } from '../../command.js'
import { builtInOptions, globalOptions, optionName } from '../../framework/option.js'
import { nouns } from '../nouns.js'
import { topics } from '../topics.js'
import type { Names } from '../../framework/nameKind.js'
import type { Completes, Parameter } from '../../framework/option.js'

export interface Word {
  word: string
  description: string
}

export interface OptionWord extends Word {
  /** Value of the option: none, one of some words, a path, or anything. */
  value: undefined | { words: readonly string[] } | { path: Completes } | { names: Names } | 'any'
}

/** Values of one argument. Without any, nothing is offered. */
export interface ArgumentValues {
  words: readonly string[]
  /** Kind of names, if the running node knows them. */
  names?: Names
  path?: Completes
}

/** Words that can follow a command path. */
export interface CompletionEntry {
  /** Command path, such as `config list`; empty at the root. */
  path: string
  /** Commands and topics that follow. */
  words: Word[]
  options: OptionWord[]
  arguments: ArgumentValues[]
  /** True when the last argument takes several values. */
  repeats: boolean
}

export interface Grammar {
  places: CompletionEntry[]
  /** Options that every command takes; they are not repeated per command path. */
  common: OptionWord[]
}

/**
 * Returns the grammar of the commands that help shows.
 * @param methods ids of the methods that `coffer api` calls
 */
export function grammarOf(all: readonly Command[], methods: readonly string[]): Grammar {
  const visible = all.filter((one) => one.hidden !== true)
  const places = new Map<string, CompletionEntry>([['', emptyEntry('')]])
  for (const each of visible) {
    for (let depth = 1; depth <= each.path.length; depth++) {
      const path = each.path.slice(0, depth).join(' ')
      if (places.has(path)) continue
      places.set(path, emptyEntry(path))
      const message = depth === each.path.length ? each.summary : (nouns[path] ?? '')
      places.get(each.path.slice(0, depth - 1).join(' '))?.words.push({ word: each.path[depth - 1] ?? '', description: message })
    }
    const place = places.get(each.path.join(' '))
    if (place === undefined) continue
    place.options = optionWords(each.options)
    place.arguments = Object.values(each.arguments).map(argumentValues)
    place.repeats = Object.values(each.arguments).at(-1)?.takes === 'many'
  }
  const [method] = places.get('api')?.arguments ?? []
  if (method !== undefined) method.words = methods
  addHelp(places)
  const builtIn = builtInOptions.map(({ syntax, summary }) => ({
    word: syntax.replace(/^-., /, ''),
    description: summary,
    value: undefined,
  }))
  return { places: [...places.values()], common: [...optionWords(globalOptions), ...builtIn] }
}

const emptyEntry = (path: string): CompletionEntry => ({ path, words: [], options: [], arguments: [], repeats: false })

/** Adds what `coffer help` explains: topics, commands, and the commands of a group after its name. */
function addHelp(places: Map<string, CompletionEntry>): void {
  const help = places.get('help')
  if (help === undefined) return
  const groups = [...places.values()].filter(({ path, words }) => path !== '' && words.length > 0)
  help.words = [...topics.map((topic) => ({ word: topic.name, description: topic.summary })), ...(places.get('')?.words ?? [])]
  help.arguments = []
  for (const { path, words } of groups) places.set(`help ${path}`, { ...emptyEntry(`help ${path}`), words })
}

function argumentValues({ choices, suggests, names, completes }: Parameter<unknown>): ArgumentValues {
  return { words: choices ?? suggests ?? [], ...(names === undefined ? {} : { names }), ...(completes === undefined ? {} : { path: completes }) }
}

/** Returns the options that take a value, so that scripts do not mistake it for a command. */
export function valuedOptions({ places, common }: Grammar): string[] {
  const valued = [...common, ...places.flatMap((place) => place.options)].filter((each) => each.value !== undefined)
  return [...new Set(valued.map((each) => each.word))]
}

/**
 * Returns options that take no value in one command and a value in others, as `path|--option`: scripts must not skip the word
 * that follows them.
 */
export function bareOptions(grammar: Grammar): string[] {
  const valued = new Set(valuedOptions(grammar))
  return grammar.places.flatMap(({ path, options }) =>
    options.filter(({ word, value }) => value === undefined && valued.has(word)).map(({ word }) => `${path}|${word}`),
  )
}

/** Returns a pattern of all paths for the `case` of a shell. */
export function pathPattern({ places }: Grammar): string {
  const paths = places.map((place) => place.path).filter((path) => path !== '')
  return paths.map(quote).join('|')
}

/** Quotes a text for a shell, so that nothing inside is expanded. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function optionWords(options: Parameters): OptionWord[] {
  return Object.entries(options).map(([key, each]) => ({
    word: `--${optionName(key)}`,
    description: each.summary,
    value: valueOf(each),
  }))
}

function valueOf(parameter: Parameter<unknown>): OptionWord['value'] {
  if (parameter.takes === 'nothing') return undefined
  const words = parameter.choices ?? parameter.suggests
  if (words !== undefined) return { words }
  if (parameter.names !== undefined) return { names: parameter.names }
  return parameter.completes === undefined ? 'any' : { path: parameter.completes }
}
