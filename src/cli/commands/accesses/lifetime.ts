/** How long an access is good for. */
import { systemClock } from '../../../server/base/clock.js'
import { readTime } from '../../terminal/input/time.js'
import { readDuration, text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'

/** Seconds from now, or null for an access without an end. */
export type Lifetime = number | null

/** `--expires`: a length of time or a moment; with `never`, where an end can be taken away. */
export function expires(summary: string, forms: { never: boolean }): Parameter<Lifetime | undefined> {
  return {
    ...text(summary),
    placeholder: 'time',
    read: (given) => {
      const word = given?.[given.length - 1]
      if (word === undefined) return undefined
      if (forms.never && word === 'never') return null
      try {
        return readDuration(word)
      } catch {
        return laterBy(word, forms.never ? ', or never' : '')
      }
    },
  }
}

function laterBy(word: string, more: string): number {
  const now = systemClock.now()
  const expected = `a length of time such as 30d, or a time to come such as 2027-01-31${more}`
  let time: number
  try {
    time = readTime(word, now)
  } catch {
    throw new Error(expected)
  }
  if (time <= now) throw new Error(expected)
  return time - now
}
