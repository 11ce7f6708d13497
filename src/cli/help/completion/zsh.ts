/** Completion script for zsh. */
import { bareOptions, pathPattern, quote, valuedOptions } from './grammar.js'
import type { ArgumentValues, CompletionEntry, Grammar, OptionWord, Word } from './grammar.js'

/** Returns the lines of the script. */
export function zshScript(grammar: Grammar): string[] {
  const { places, common } = grammar
  return [
    '#compdef coffer',
    '# zsh completion for coffer; save it as _coffer in a folder of $fpath',
    '_coffer_names() {',
    '  local -a found',
    '  found=(${(f)"$(coffer __complete "$1" -- "${(@)words[2,CURRENT-1]}" 2>/dev/null)"})',
    '  (( ${#found} )) && compadd -a found',
    '}',
    '_coffer() {',
    '  local where="" word names="" paths="" n=0 i',
    '  local -a subs opts values',
    '  for ((i = 2; i < CURRENT; i++)); do',
    '    word="${words[i]}"',
    ...bareLines(grammar),
    '    case "$word" in',
    `      (${valuedOptions(grammar).join('|')}) ((i++)); continue ;;`,
    '      (-*) continue ;;',
    '    esac',
    '    case "${where:+$where }$word" in',
    `      (${pathPattern(grammar)}) where="\${where:+$where }$word" ;;`,
    '      (*) ((n++)) ;;',
    '    esac',
    '  done',
    '  case "$where|${words[CURRENT-1]}" in',
    ...places.flatMap(({ path, options }) =>
      options.flatMap((option) => valueLine(quote(`${path}|${option.word}`), option)),
    ),
    ...common.flatMap((option) => valueLine(`*${quote(`|${option.word}`)}`, option)),
    '  esac',
    '  case "$where" in',
    ...places.map(entryLine),
    '  esac',
    '  if [[ "${words[CURRENT]}" == -* ]]; then',
    `    opts+=(${withDescriptions(common)})`,
    '    _describe -o option opts',
    '    return',
    '  fi',
    '  (( ${#subs} )) && _describe command subs',
    '  (( ${#values} )) && compadd -- "${values[@]}"',
    '  [[ -n "$names" ]] && _coffer_names "$names"',
    '  case "$paths" in',
    '    (folder) _files -/ ;;',
    '    (file) _files ;;',
    '  esac',
    '}',
    'if [[ "${funcstack[1]}" == _coffer ]]; then _coffer "$@"; else compdef _coffer coffer; fi',
  ]
}

function entryLine({ path, words, options, arguments: values, repeats }: CompletionEntry): string {
  const rest = values.map((value, at) => `(${repeats && at === values.length - 1 ? '*' : at}) ${assignments(value)} ;;`)
  const byPlace = values.length === 0 ? '' : ` case $n in ${rest.join(' ')} esac`
  return `    (${quote(path)}) subs=(${withDescriptions(words)}); opts=(${withDescriptions(options)});${byPlace} ;;`
}

/** Assigns the candidates of an argument to the variables of the script. */
function assignments({ words, names, path }: ArgumentValues): string {
  return [
    ...(words.length === 0 ? [] : [`values=(${words.map(quote).join(' ')})`]),
    ...(names === undefined ? [] : [`names=${names}`]),
    ...(path === undefined ? [] : [`paths=${path}`]),
  ].join('; ')
}

function bareLines(grammar: Grammar): string[] {
  const bare = bareOptions(grammar)
  return bare.length === 0 ? [] : ['    case "$where|$word" in', `      (${bare.map(quote).join('|')}) continue ;;`, '    esac']
}

/** Formats words with descriptions: `'list:List all settings' …`. */
function withDescriptions(words: readonly Word[]): string {
  const one = ({ word, description: text }: Word): string => quote(`${word.replaceAll(':', '\\:')}${text === '' ? '' : `:${text}`}`)
  return words.map(one).join(' ')
}

function valueLine(pattern: string, { value }: OptionWord): string[] {
  if (value === undefined) return []
  const action =
    value === 'any'
      ? '_message value'
      : 'names' in value
        ? `_coffer_names ${value.names}`
        : 'words' in value
        ? `compadd -- ${value.words.map(quote).join(' ')}`
        : value.path === 'folder'
          ? '_files -/'
          : '_files'
  return [`    (${pattern}) ${action}; return ;;`]
}
