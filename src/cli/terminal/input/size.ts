/** Parses typed sizes in bytes. */
import { text, type Parameter } from '../../framework/option.js'

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 }

/** Bytes; null means no limit, `default` the configured limit. */
type Limit = number | null | 'default'

/**
 * Parses a size to bytes: `500MB`, `1.5 gb`, `2000`; also `none` and `default`.
 * @throws Error that states what was expected
 */
export function readLimit(word: string): Limit {
  if (word === 'none') return null
  if (word === 'default') return 'default'
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(word) ?? []
  const factor = UNITS[unit.toLowerCase()]
  const bytes = Math.round(Number(number) * (factor ?? Number.NaN))
  if (number === '' || !Number.isSafeInteger(bytes)) throw new Error('a size such as 500MB or 2GB, none, or default')
  return bytes
}

/** Creates an option that takes a limit. */
export function limit(summary: string): Parameter<Limit | undefined> {
  return {
    ...text(summary),
    placeholder: 'size',
    suggests: ['none', 'default'],
    read: (words) => {
      const word = words?.[words.length - 1]
      return word === undefined ? undefined : readLimit(word)
    },
  }
}
