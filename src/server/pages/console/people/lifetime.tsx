/** @jsxImportSource hono/jsx */
/** Fields for the end of an access: a duration from now, a last day, or none. */
import { problemWith, type Problem } from '../../problem.js'
import { dayBounds } from '../../times.js'
import type { ConsoleVisit } from '../consolePage.js'
import { peopleWords } from './words.js'

const DAY = 86_400
const spans: ReadonlyMap<string, number> = new Map([
  ['day', DAY],
  ['week', 7 * DAY],
  ['month', 30 * DAY],
])

interface EndFieldsProps {
  visit: ConsoleVisit
  /** Values of the form as submitted before. */
  form: URLSearchParams
  /** True for an access that exists: its end can stay. */
  isChange?: boolean
  problem?: Problem | undefined
}

export function EndFields({ visit, form, isChange = false, problem }: EndFieldsProps) {
  const words = peopleWords[visit.language]
  const chosen = form.get('end') ?? (isChange ? 'keep' : 'month')
  const isWrong = problem?.field === 'until'
  const options: (readonly [string, string])[] = [...(isChange ? [['keep', words.keepEnd] as const] : []), ...Object.entries(words.ends)]
  return (
    <>
      <label for="end">{words.end}</label>
      <select id="end" name="end">
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
      <label for="until">{words.until}</label>
      <input
        id="until"
        name="until"
        type="date"
        value={form.get('until')?.slice(0, 20) ?? ''}
        aria-describedby={isWrong ? 'until-hint problem' : 'until-hint'}
        {...(isWrong ? { 'aria-invalid': 'true' } : {})}
      />
      <p class="hint" id="until-hint">
        {words.untilHint}
      </p>
    </>
  )
}

/** Change of the end of an access, as parameters of methods. Empty when it stays. */
type End = { expireAfter: number } | { expires: null } | Record<string, never>

/** Reads the end that a form chose; `text` of a problem is about the field `until`. */
export function endIn(visit: ConsoleVisit, form: URLSearchParams): End | Problem {
  const words = peopleWords[visit.language]
  const chosen = form.get('end') ?? ''
  const span = spans.get(chosen)
  if (span !== undefined) return { expireAfter: span }
  if (chosen === 'never') return { expires: null }
  if (chosen !== 'date') return {}
  const end = dayBounds(form.get('until') ?? '', visit.timeZone)?.to
  if (end === undefined) return problemWith(words.badDate, 'until')
  const now = visit.node.clock.now()
  return end <= now ? problemWith(words.pastDate, 'until') : { expireAfter: end - now }
}

/** Checks whether a result of `endIn` is a problem. */
export const isProblem = (value: End | Problem): value is Problem => 'text' in value
