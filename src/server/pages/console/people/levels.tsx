/** @jsxImportSource hono/jsx */
/** Fields that choose the level of access to a stream. */
import { LEVELS, type Level } from '../../../../store/model/access.js'
import type { ConsoleVisit } from '../consolePage.js'
import { peopleWords } from './words.js'

/** Levels that people choose from; `none` excludes a stream below one that is open. */
const OFFERED_LEVELS = ['read', 'create-only', 'contribute', 'manage'] as const

/** Returns a level of a form; undefined for other values. */
export const levelIn = (value: string | null): Level | undefined => LEVELS.find((level) => level === value)

interface LevelSelectProps {
  visit: ConsoleVisit
  name: string
  chosen: string
  /** Further options before the levels, as value and text. */
  before?: readonly (readonly [string, string])[]
  after?: readonly (readonly [string, string])[]
  hasNone?: boolean
}

export function LevelSelect({ visit, name, chosen, before = [], after = [], hasNone = false }: LevelSelectProps) {
  const { levels } = peopleWords[visit.language]
  const offered: readonly Level[] = hasNone ? [...OFFERED_LEVELS, 'none'] : OFFERED_LEVELS
  const options = [...before, ...offered.map((level) => [level, levels[level]] as const), ...after]
  return (
    <select id={name} name={name}>
      {options.map(([value, text]) => (
        <option value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  )
}
