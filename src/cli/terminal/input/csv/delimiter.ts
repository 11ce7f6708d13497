/** Names of the character between cells. */
import { usageError } from '../../../framework/exit.js'

const NAMES: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|', '\\t': '\t' }

/** Returns `semicolon`, or the character in quotes. */
export const delimiterLabel = (sign: string): string => Object.entries(NAMES).find(([, each]) => each === sign)?.[0] ?? JSON.stringify(sign)

/**
 * Parses the value of `--delimiter`.
 * @throws CommandError 2 when it is neither a single character nor a name
 */
export function delimiterNamed(word: string): string {
  const sign = NAMES[word] ?? word
  if (sign.length === 1 && !'"\r\n'.includes(sign)) return sign
  throw usageError(`--delimiter <sign> takes one character, or comma, semicolon, tab or pipe, not ${JSON.stringify(word)}`)
}
