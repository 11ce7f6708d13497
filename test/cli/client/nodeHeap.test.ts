import { expect, it, vi } from 'vitest'
import { growthPercent, limitHeap } from '../../../src/cli/client/nodeHeap.js'

/** More than the growth that is worth a collection. */
const OBJECTS = 400_000

it('collects garbage once the process is idle', async () => {
  const lift = limitHeap()
  const list = new WeakRef(Array.from({ length: OBJECTS }, (_, i) => ({ name: `object ${i}`, i })))
  lift()
  await vi.waitFor(() => expect(list.deref() === undefined).toBe(true), { timeout: 8000, interval: 100 })
}, 30_000)

it.each([
  [16, 400],
  [26, 250],
  [64, 100],
  [250, 25],
  [2000, 25],
])('lets a live heap of %i MB grow by %i percent between collections', (megabytes, percent) => {
  expect(growthPercent(megabytes * 1024 * 1024)).toBe(percent)
})
