/** Completion script for bash. */
import { bareOptions, pathPattern, quote, valuedOptions } from './grammar.js'
import type { Completes } from '../../framework/option.js'
import type { ArgumentValues, CompletionEntry, Grammar, OptionWord } from './grammar.js'

/** Returns the lines of the script. */
export function bashScript(grammar: Grammar): string[] {
  const { places, common } = grammar
  return [
    '# bash completion for coffer; load it with: source <(coffer completion bash)',
    // Names from a node contain nothing that a shell would expand: see cli/client/knownNames.ts.
    '_coffer_names() { coffer __complete "$1" -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null; }',
    // Folders get a slash, and names are quoted, where bash supports it.
    "_coffer_paths() { local IFS=$'\\n'; COMPREPLY=($(compgen \"$1\" -- \"$cur\")); compopt -o filenames 2>/dev/null; }",
    '_coffer() {',
    '  local cur prev path word words options names paths n i',
    '  cur="${COMP_WORDS[COMP_CWORD]}"; prev="${COMP_WORDS[COMP_CWORD-1]}"; path=""; words=""; options=""; names=""; paths=""; n=0',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    word="${COMP_WORDS[i]}"',
    ...bareLines(grammar),
    '    case "$word" in',
    `      ${valuedOptions(grammar).join('|')}) ((i++)); continue ;;`,
    '      -*) continue ;;',
    '    esac',
    '    case "${path:+$path }$word" in',
    `      ${pathPattern(grammar)}) path="\${path:+$path }$word" ;;`,
    '      *) ((n++)) ;;',
    '    esac',
    '  done',
    '  case "$path|$prev" in',
    ...places.flatMap(({ path, options }) =>
      options.flatMap((option) => valueLine(quote(`${path}|${option.word}`), option)),
    ),
    ...common.flatMap((option) => valueLine(`*${quote(`|${option.word}`)}`, option)),
    '  esac',
    '  case "$path" in',
    ...places.map(wordsLine),
    '  esac',
    `  [[ "$cur" == -* ]] && words="$options ${common.map((each) => each.word).join(' ')}" && names="" && paths=""`,
    '  [[ -n "$names" ]] && words="$words $(_coffer_names "$names")"',
    '  COMPREPLY=()',
    '  [[ -n "$paths" ]] && _coffer_paths "$paths"',
    '  COMPREPLY+=($(compgen -W "$words" -- "$cur"))',
    '}',
    // Without file names as a default: an argument that takes a file offers them.
    'complete -F _coffer coffer',
  ]
}

function bareLines(grammar: Grammar): string[] {
  const bare = bareOptions(grammar)
  return bare.length === 0 ? [] : ['    case "$path|$word" in', `      ${bare.map(quote).join('|')}) continue ;;`, '    esac']
}

function wordsLine({ path, words, options, arguments: values, repeats }: CompletionEntry): string {
  const joined = (all: ReadonlyArray<{ word: string }>): string => quote(all.map((each) => each.word).join(' '))
  const first = words.length === 0 ? '' : ` words=${joined(words)};`
  const rest = values.map((value, at) => `${repeats && at === values.length - 1 ? '*' : at}) ${assignments(value)} ;;`)
  const byPlace = values.length === 0 ? '' : ` case $n in ${rest.join(' ')} esac;`
  return `    ${quote(path)})${first} options=${joined(options)};${byPlace} ;;`.replace(/; ;;$/, ' ;;')
}

/** Assigns the candidates of an argument to the variables of the script. */
function assignments({ words, names, path }: ArgumentValues): string {
  return [
    ...(words.length === 0 ? [] : [`words=${quote(words.join(' '))}`]),
    ...(names === undefined ? [] : [`names=${names}`]),
    ...(path === undefined ? [] : [`paths=${pathOption(path)}`]),
  ].join('; ')
}

const pathOption = (path: Completes): string => (path === 'folder' ? '-d' : '-f')

function valueLine(pattern: string, { value }: OptionWord): string[] {
  if (value === undefined) return []
  if (value === 'any') return [`    ${pattern}) COMPREPLY=(); return ;;`]
  if ('names' in value) return [`    ${pattern}) COMPREPLY=($(compgen -W "$(_coffer_names ${value.names})" -- "$cur")); return ;;`]
  if ('path' in value) return [`    ${pattern}) _coffer_paths ${pathOption(value.path)}; return ;;`]
  return [`    ${pattern}) COMPREPLY=($(compgen -W ${quote(value.words.join(' '))} -- "$cur")); return ;;`]
}
