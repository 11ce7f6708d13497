import { expect, it } from 'vitest'
import { collectGarbage, createCollectionRule, growthPercent, limitHeap } from '../../../src/cli/client/nodeHeap.js'

it('collects garbage once the process is idle', { timeout: 120_000 }, async () => {
  await new Promise<void>((resolve) => {
    const lift = limitHeap(() => {
      resolve()
      return Promise.resolve()
    })
    lift()
  })
})

it('collects the garbage of the start at the first pause, and later garbage after 14 idle intervals', () => {
  const rule = createCollectionRule()
  const MB = 1024 * 1024
  expect([rule.isDue(0.5, 40 * MB), rule.isDue(0.001, 40 * MB)]).toEqual([false, true])
  rule.collected(30 * MB)
  const idle = (intervals: number, size: number): boolean[] => Array.from({ length: intervals }, () => rule.isDue(0.001, size))
  expect(idle(13, 60 * MB)).not.toContain(true)
  // A few calls per second are work; a single interval with work delays the collection by four.
  expect(rule.isDue(0.008, 60 * MB)).toBe(false)
  expect(idle(5, 60 * MB)).toEqual([false, false, false, false, true])
  rule.collected(30 * MB)
  expect(idle(40, 45 * MB)).not.toContain(true)
  for (let i = 0; i < 4; i++) expect(rule.isDue(0.008, 60 * MB)).toBe(false)
  expect(idle(14, 60 * MB).indexOf(true)).toBe(13)
  rule.collected(30 * MB)
  expect(idle(40, 45 * MB)).not.toContain(true)
  expect(rule.isDue(0.001, 46 * MB)).toBe(true)
})

it('collects once more after a quarter of an hour without work, when caches have been released', () => {
  const rule = createCollectionRule()
  const idle = (intervals: number): number => Array.from({ length: intervals }, () => rule.isDue(0.001, 30)).indexOf(true)
  expect(idle(1)).toBe(0)
  rule.collected(30)
  expect(idle(600)).toBe(-1)
  expect(rule.isDue(0.008, 30)).toBe(false)
  expect(idle(700)).toBe(603)
  rule.collected(30)
  expect(idle(1199)).toBe(-1)
  expect(idle(1)).toBe(0)
})

it('collects all garbage', async () => {
  const list = new WeakRef(Array.from({ length: 100_000 }, (_, i) => ({ name: `object ${i}` })))
  // A reference stays in memory until the end of the task that created it.
  await new Promise((resolve) => setTimeout(resolve, 0))
  await collectGarbage()
  expect(list.deref() === undefined).toBe(true)
})

it.each([
  [16, 400],
  [26, 250],
  [64, 100],
  [250, 25],
  [2000, 25],
])('lets a live heap of %i MB grow by %i percent between collections', (megabytes, percent) => {
  expect(growthPercent(megabytes * 1024 * 1024)).toBe(percent)
})
