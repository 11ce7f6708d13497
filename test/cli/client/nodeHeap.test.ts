import { expect, it, vi } from 'vitest'
import { limitHeap } from '../../../src/cli/client/nodeHeap.js'

/** More than the growth that is worth a collection. */
const OBJECTS = 400_000

it('collects garbage once the process is idle', async () => {
  const lift = limitHeap()
  const list = new WeakRef(Array.from({ length: OBJECTS }, (_, i) => ({ name: `object ${i}`, i })))
  lift()
  await vi.waitFor(() => expect(list.deref() === undefined).toBe(true), { timeout: 8000, interval: 100 })
}, 30_000)
