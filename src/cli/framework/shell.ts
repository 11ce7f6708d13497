/** Quotes commands for pasting into a shell. */

/** Quotes a word for a POSIX shell. */
export const quotedWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Quotes a word for a POSIX shell, only if needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : quotedWord(word)
}

/** Joins words to one shell line. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

/**
 * Returns a typed command line with one more option, ready to paste. Words with credentials, such as links, are replaced by `<link>`,
 * since errors are logged.
 * @param removed options to leave out
 */
export function commandLineWith(argv: readonly string[], added: string, removed: readonly string[] = []): string {
  const isRemoved = (word: string): boolean => removed.some((option) => word === option || word.startsWith(`${option}=`))
  const words = argv.filter((word) => !isRemoved(word))
  const end = words.indexOf('--')
  const all = end < 0 ? [...words, added] : [...words.slice(0, end), added, ...words.slice(end)]
  return `coffer ${all.map((word) => (hasCredentials(word) ? '<link>' : shellWord(word))).join(' ')}`
}

function hasCredentials(word: string): boolean {
  if (word.startsWith('coffer:pair/')) return true
  return URL.canParse(word) && (new URL(word).username !== '' || new URL(word).password !== '')
}
