import { randomBytes } from 'node:crypto'

/**
 * Compares two sets of pairs of texts in constant memory, in whatever order their members come: members of one set are added,
 * members of the other one removed. Unequal sets leave a sum of zero with a probability of about 2^-64.
 */
export interface SetSum {
  add(key: string, value: string): void
  remove(key: string, value: string): void
  /** Adds the members of another sum with the same seeds. */
  addSum(other: SumState): void
  readonly state: SumState
  /** True when the same members were added as removed. */
  readonly isZero: boolean
}

/** Totals of a sum, which can be added to those of another one with the same seeds. */
export interface SumState {
  members: number
  first: number
  second: number
}

/** Start values of hashes: sums with equal seeds can be added. */
export type Seeds = readonly [first: number, second: number]

/** Returns random seeds, so that texts with equal hashes cannot be prepared. */
export function randomSeeds(): Seeds {
  const bytes = randomBytes(8)
  return [bytes.readInt32LE(0), bytes.readInt32LE(4)]
}

/** Multipliers of the two halves of a hash: odd, with about as many ones as zeros. */
const FIRST = 0x9e3779b1
const SECOND = 0x85ebca77

/** Ends a text; greater than every UTF-16 code unit. */
const END_OF_TEXT = 0x10000

/** Creates an empty sum. */
export function createSetSum([firstSeed, secondSeed]: Seeds = randomSeeds()): SetSum {
  let [members, firstSum, secondSum] = [0, 0, 0]
  // Halves of the current hash, shared by the functions below so that hashing creates no objects.
  let [first, second] = [0, 0]

  function mix(unit: number): void {
    first = Math.imul(first ^ unit, FIRST)
    first ^= first >>> 15
    second = Math.imul(second ^ unit, SECOND)
    second ^= second >>> 13
  }

  function mixText(text: string): void {
    for (let i = 0; i < text.length; i++) mix(text.charCodeAt(i))
    mix(END_OF_TEXT)
  }

  function hash(key: string, value: string): void {
    first = firstSeed
    second = secondSeed
    mixText(key)
    mixText(value)
    first = spread(first ^ (second >>> 15))
    second = spread(second ^ first)
  }

  return {
    add(key, value) {
      hash(key, value)
      members += 1
      firstSum = (firstSum + first) | 0
      secondSum = (secondSum + second) | 0
    },
    remove(key, value) {
      hash(key, value)
      members -= 1
      firstSum = (firstSum - first) | 0
      secondSum = (secondSum - second) | 0
    },
    addSum(other) {
      members += other.members
      firstSum = (firstSum + other.first) | 0
      secondSum = (secondSum + other.second) | 0
    },
    get state() {
      return { members, first: firstSum, second: secondSum }
    },
    get isZero() {
      return members === 0 && firstSum === 0 && secondSum === 0
    },
  }
}

/** Spreads every bit over the whole number. */
function spread(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), FIRST)
  mixed = Math.imul(mixed ^ (mixed >>> 13), SECOND)
  return mixed ^ (mixed >>> 16)
}
