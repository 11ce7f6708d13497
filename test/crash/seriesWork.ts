/** Steps of the series crash test, equal for the process that writes and the test that reads. */
import type { Row } from '../store/series/support.js'
import { seeded } from '../store/leveldb/fixtures.js'

/** Changes of one transaction. */
export interface Step {
  /** Number from 1; each step also writes a point at its number into the series of `MARK`. */
  number: number
  holder: string
  isNew: boolean
  /** Deletes the holder instead of writing points. */
  isRemoval: boolean
  rows: [deltaTime: number, row: Row][]
}

export const idOf = (name: string): string => `c${name.padStart(24, '0')}`

/** Holder whose largest deltaTime is the number of the last step. */
export const MARK = idOf('mark')

const SERIES = 3

/** Generates endless steps from a seed. */
export function* stepsOf(seed: number): Generator<Step> {
  const next = seeded(seed)
  const lives = Array.from({ length: SERIES }, () => ({ generation: 0, end: 0 }))
  for (let number = 1; ; number++) {
    const series = next(SERIES)
    const life = lives[series]
    if (life === undefined) throw new Error('no such series')
    const holder = idOf(`s${series}g${life.generation}`)
    const isNew = life.end === 0
    const dice = next(100)
    if (dice < 2 && !isNew) {
      lives[series] = { generation: life.generation + 1, end: 0 }
      yield { number, holder, isNew: false, isRemoval: true, rows: [] }
      continue
    }
    const count = dice < 60 ? 1 + next(3) : dice < 90 ? 1 + next(300) : dice < 97 ? 1 : 5000
    const from = dice < 60 || dice >= 97 ? life.end : next(life.end + 1)
    life.end = Math.max(life.end, from + count)
    const rows = Array.from({ length: count }, (_, i): [number, Row] => [from + i, { step: number, value: number + i / 8 }])
    yield { number, holder, isNew, isRemoval: false, rows }
  }
}
