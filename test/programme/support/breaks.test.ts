/** The breaks fit the sources as they are, and nothing that is built holds a switch for them. */
import { expect, it } from 'vitest'
import { breaks, brokenSources, type BreakName } from './breaks.js'

it.each(Object.keys(breaks) as BreakName[])('the break %s fits', (name) => {
  expect(brokenSources(name).size).toBeGreaterThan(0)
})
