import { expect, it } from 'vitest'
import { collectGarbage, growthPercent, limitHeap } from '../../../src/cli/client/nodeHeap.js'

it('collects garbage once the process is idle', { timeout: 120_000 }, async () => {
  await new Promise<void>((resolve) => {
    const lift = limitHeap(() => {
      resolve()
      return Promise.resolve()
    })
    lift()
  })
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
