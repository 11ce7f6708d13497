/** Parser of the lifetime of an access. */
import { systemClock } from '../../../server/base/clock.js'
import { readTime } from '../../terminal/input/time.js'
import { readDuration, text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'

/** Seconds from now, or null for an access that does not expire. */
type Lifetime = number | null

/** Option `--expires`: a duration or a date; with `never`, also the word that removes the expiry. */
export function expires(summary: string, forms: { never: boolean }): Parameter<Lifetime | undefined> {
  return {
    ...text(summary),
    placeholder: 'time',
    read: (words) => {
      const word = words?.[words.length - 1]
      if (word === undefined) return undefined
      if (forms.never && word === 'never') return null
      try {
        return readDuration(word)
      } catch {
        return secondsUntil(word, forms.never ? ', or never' : '')
      }
    },
  }
}

function secondsUntil(word: string, more: string): number {
  const now = systemClock.now()
  const expected = `a duration such as 30d, or a future date such as 2027-01-31${more}`
  let time: number
  try {
    time = readTime(word, now)
  } catch {
    throw new Error(expected)
  }
  if (time <= now) throw new Error(expected)
  return time - now
}
