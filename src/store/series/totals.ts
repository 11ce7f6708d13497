/** Totals of numbers: count, least, greatest and sum, by block of a segment or by bucket of a summary. */

/** Totals by index. Nulls are not counted; without numbers, `min` is Infinity and `max` is -Infinity. */
export interface Totals {
  count: Float64Array
  min: Float64Array
  max: Float64Array
  /** Sums divided by 2^64, which is exact above 10^-288: the sum of any numbers stays within the range of doubles. */
  sum: Float64Array
}

const SUM_SCALE = 2 ** -64

export const newTotals = (length: number): Totals => ({
  count: new Float64Array(length),
  min: new Float64Array(length).fill(Infinity),
  max: new Float64Array(length).fill(-Infinity),
  sum: new Float64Array(length),
})

/** Adds a range of values to the totals at `index`. NaN stands for null. */
export function addValues(totals: Totals, index: number, values: Float64Array, from: number, to: number): void {
  let count = 0
  let min = totals.min[index] as number
  let max = totals.max[index] as number
  let sum = 0
  for (let i = from; i < to; i++) {
    const value = values[i] as number
    if (Number.isNaN(value)) continue
    count += 1
    if (value < min) min = value
    if (value > max) max = value
    sum += value * SUM_SCALE
  }
  totals.count[index] = (totals.count[index] as number) + count
  totals.min[index] = min
  totals.max[index] = max
  totals.sum[index] = (totals.sum[index] as number) + sum
}

/** Adds the totals of `other` at `of` to those at `index`. */
export function addTotals(totals: Totals, index: number, other: Totals, of: number): void {
  totals.count[index] = (totals.count[index] as number) + (other.count[of] as number)
  totals.min[index] = Math.min(totals.min[index] as number, other.min[of] as number)
  totals.max[index] = Math.max(totals.max[index] as number, other.max[of] as number)
  totals.sum[index] = (totals.sum[index] as number) + (other.sum[of] as number)
}

/** Returns the mean at `index`, between the least and the greatest number despite rounding; NaN without numbers. */
export function meanAt({ count, min, max, sum }: Totals, index: number): number {
  const numbers = count[index] as number
  if (numbers === 0) return NaN
  const mean = (sum[index] as number) / numbers / SUM_SCALE
  return Math.min(max[index] as number, Math.max(min[index] as number, mean))
}
