/** Completion script for bash. */
import { bareOptions, pathPattern, quote, valuedOptions } from './grammar.js'
import type { Grammar, OptionWord, CompletionEntry } from './grammar.js'

/** Returns the lines of the script. */
export function bashScript(grammar: Grammar): string[] {
  const { places, common } = grammar
  return [
    '# bash completion for coffer; load it with: source <(coffer completion bash)',
    // Names from a node contain nothing that a shell would expand: see cli/client/knownNames.ts.
    '_coffer_names() { coffer __complete "$1" -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null; }',
    '_coffer() {',
    '  local cur prev path word words options names i',
    '  cur="${COMP_WORDS[COMP_CWORD]}"; prev="${COMP_WORDS[COMP_CWORD-1]}"; path=""; words=""; options=""; names=""',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    word="${COMP_WORDS[i]}"',
    ...bareLines(grammar),
    '    case "$word" in',
    `      ${valuedOptions(grammar).join('|')}) ((i++)); continue ;;`,
    '      -*) continue ;;',
    '    esac',
    '    case "${path:+$path }$word" in',
    `      ${pathPattern(grammar)}) path="\${path:+$path }$word" ;;`,
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
    `  [[ "$cur" == -* ]] && words="$options ${common.map((each) => each.word).join(' ')}"`,
    '  [[ "$cur" != -* && -n "$names" ]] && words="$words $(_coffer_names "$names")"',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _coffer coffer',
  ]
}

function bareLines(grammar: Grammar): string[] {
  const bare = bareOptions(grammar)
  return bare.length === 0 ? [] : ['    case "$path|$word" in', `      ${bare.map(quote).join('|')}) continue ;;`, '    esac']
}

function wordsLine({ path, words, options, names }: CompletionEntry): string {
  const joined = (all: ReadonlyArray<{ word: string }>): string => quote(all.map((each) => each.word).join(' '))
  return `    ${quote(path)}) words=${joined(words)}; options=${joined(options)}${names === undefined ? '' : `; names=${names}`} ;;`
}

function valueLine(pattern: string, { value }: OptionWord): string[] {
  if (value === undefined) return []
  if (value === 'any') return [`    ${pattern}) COMPREPLY=(); return ;;`]
  if ('names' in value) return [`    ${pattern}) COMPREPLY=($(compgen -W "$(_coffer_names ${value.names})" -- "$cur")); return ;;`]
  const candidates = 'words' in value ? `-W ${quote(value.words.join(' '))}` : value.path === 'folder' ? '-d' : '-f'
  return [`    ${pattern}) COMPREPLY=($(compgen ${candidates} -- "$cur")); return ;;`]
}
