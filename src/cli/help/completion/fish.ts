/** Completion script for fish. */
import { bareOptions, quote, valuedOptions } from './grammar.js'
import type { Grammar, OptionWord } from './grammar.js'

/** Returns the lines of the script. */
export function fishScript(grammar: Grammar): string[] {
  const { places, common } = grammar
  const paths = places.filter((place) => place.path !== '').map((place) => quote(place.path))
  return [
    '# fish completion for coffer; save it as coffer.fish in ~/.config/fish/completions',
    'function __coffer_names',
    '  coffer __complete $argv[1] -- (commandline -opc)[2..-1] 2>/dev/null',
    'end',
    'function __coffer_at',
    "  set -l where ''",
    '  set -l skip 0',
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
    `    if contains -- $next ${paths.join(' ')}; set where $next; end`,
    '  end',
    '  test "$where" = "$argv[1]"',
    'end',
    ...common.map((option) => optionLine('', option)),
    ...places.flatMap(({ path, words, options, names }) => {
      const at = ` -n "__coffer_at ${quote(path)}"`
      return [
        ...words.map(({ word, description: text }) => `complete -c coffer${at} -f -a ${quote(word)}${describing(text)}`),
        ...(names === undefined ? [] : [`complete -c coffer${at} -f -a '(__coffer_names ${names})'`]),
        ...options.map((option) => optionLine(at, option)),
      ]
    }),
  ]
}

function bareLines(grammar: Grammar): string[] {
  const bare = bareOptions(grammar)
  return bare.length === 0 ? [] : [`    if contains -- "$where|$word" ${bare.map(quote).join(' ')}; continue; end`]
}

function optionLine(at: string, { word, description: text, value }: OptionWord): string {
  return `complete -c coffer${at} -l ${word.slice(2)}${follows(value)}${describing(text)}`
}

function follows(value: OptionWord['value']): string {
  if (value === undefined) return ''
  if (value === 'any') return ' -x'
  if ('names' in value) return ` -x -a '(__coffer_names ${value.names})'`
  return 'words' in value ? ` -x -a ${quote(value.words.join(' '))}` : ' -r'
}

function describing(text: string): string {
  return text === '' ? '' : ` -d ${quote(text)}`
}
