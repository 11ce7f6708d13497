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
