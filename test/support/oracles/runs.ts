/** Numbers of random inputs of a property test. */
const isLong = process.env['LONG'] === '1'

/** Returns the number of runs in the ordinary run of the tests; four times as many with `LONG=1`. */
export const runs = (ordinary: number): number => (isLong ? ordinary * 4 : ordinary)
