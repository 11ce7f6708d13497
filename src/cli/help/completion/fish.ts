/** Completion script for fish. */
import { bareOptions, quote, valuedOptions } from './grammar.js'
import type { Completes } from '../../framework/option.js'
import type { ArgumentValues, Grammar, OptionWord } from './grammar.js'

/** Returns the lines of the script. */
export function fishScript(grammar: Grammar): string[] {
  const { places, common } = grammar
  const paths = places.filter((place) => place.path !== '').map((place) => quote(place.path))
  return [
    '# fish completion for coffer; save it as coffer.fish in ~/.config/fish/completions',
    'function __coffer_names',
    '  coffer __complete $argv[1] -- (commandline -opc)[2..-1] 2>/dev/null',
    'end',
    // The path, and the number of the argument that is completed, if it matters: from 0, or * for any.
    'function __coffer_at',
    "  set -l where ''",
    '  set -l skip 0',
    '  set -l n 0',
    '  for word in (commandline -opc)[2..-1]',
    '    if test $skip -eq 1; set skip 0; continue; end',
    ...bareLines(grammar),
    '    switch $word',
    `      case ${valuedOptions(grammar).join(' ')}`,
    '        set skip 1',
    '        continue',
    "      case '-*'",
    '        continue',
    '    end',
    '    set -l next (string trim -- "$where $word")',
    `    if contains -- $next ${paths.join(' ')}; set where $next; else; set n (math $n + 1); end`,
    '  end',
    '  test "$where" = "$argv[1]"; or return 1',
    "  test (count $argv) -lt 2; or test $argv[2] = '*'; or test $argv[2] = $n",
    'end',
    // File names are offered only where a file is expected.
    'complete -c coffer -f',
    ...common.map((option) => optionLine('', option)),
    ...places.flatMap(({ path, words, options, arguments: values, repeats }) => {
      const at = ` -n "__coffer_at ${quote(path)}"`
      return [
        ...words.map(({ word, description: text }) => `complete -c coffer${at} -a ${quote(word)}${describing(text)}`),
        ...values.flatMap((value, n) => argumentLines(` -n "__coffer_at ${quote(path)} ${quote(repeats && n === values.length - 1 ? '*' : String(n))}"`, value)),
        ...options.map((option) => optionLine(at, option)),
      ]
    }),
  ]
}

function bareLines(grammar: Grammar): string[] {
  const bare = bareOptions(grammar)
  return bare.length === 0 ? [] : [`    if contains -- "$where|$word" ${bare.map(quote).join(' ')}; continue; end`]
}

function argumentLines(at: string, { words, names, path }: ArgumentValues): string[] {
  return [
    ...(words.length === 0 ? [] : [`complete -c coffer${at} -a ${quote(words.join(' '))}`]),
    ...(names === undefined ? [] : [`complete -c coffer${at} -a '(__coffer_names ${names})'`]),
    ...(path === undefined ? [] : [`complete -c coffer${at}${pathCandidates(path)}`]),
  ]
}

const pathCandidates = (path: Completes): string => (path === 'folder' ? " -a '(__fish_complete_directories)'" : ' -F')

function optionLine(at: string, { word, description: text, value }: OptionWord): string {
  return `complete -c coffer${at} -l ${word.slice(2)}${follows(value)}${describing(text)}`
}

function follows(value: OptionWord['value']): string {
  if (value === undefined) return ''
  if (value === 'any') return ' -x'
  if ('names' in value) return ` -x -a '(__coffer_names ${value.names})'`
  if ('words' in value) return ` -x -a ${quote(value.words.join(' '))}`
  return ` -r${pathCandidates(value.path)}`
}

function describing(text: string): string {
  return text === '' ? '' : ` -d ${quote(text)}`
}
