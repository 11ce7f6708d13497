/** Commands as a person can paste them into a shell. */

/** A word as a POSIX shell reads it back; quoted only when it must be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith('~') ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Words as one line for a shell. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}
