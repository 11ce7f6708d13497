/** How many calls are under way at once. */
import { expect, it } from 'vitest'
import { createFairScheduler } from '../../../src/server/webhooks/fairScheduler.js'

/** Work that is under way until it is ended. */
function work(): { started: string[]; begin(name: string): () => Promise<void>; end(name: string): Promise<void> } {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    begin: (name) => () => {
      started.push(name)
      return new Promise((resolve) => ends.set(name, resolve))
    },
    async end(name) {
      ends.get(name)?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

it('are so many in all, and so many of one account; accounts take turns', async () => {
  const lanes = createFairScheduler(3, 2)
  const { started, begin, end } = work()
  for (const name of ['a1', 'a2', 'a3', 'a4']) lanes.run('a', begin(name))
  expect(started).toEqual(['a1', 'a2'])
  for (const name of ['b1', 'b2']) lanes.run('b', begin(name))
  lanes.run('c', begin('c1'))
  expect(started).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  expect(started.at(-1)).toBe('a3')
  await end('a2')
  expect(started.at(-1)).toBe('b2')
  await end('b1')
  expect(started.at(-1)).toBe('c1')
  await end('c1')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4'])
})

it('go on after work that fails, and forget what waits when they are told to', async () => {
  const lanes = createFairScheduler(1, 1)
  const { started, begin, end } = work()
  const warnings: unknown[] = []
  process.once('warning', (warning) => warnings.push(warning))
  lanes.run('a', () => Promise.reject(new Error('broken on purpose')))
  lanes.run('a', begin('next'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['next'])
  lanes.run('a', begin('forgotten'))
  lanes.clear()
  await end('next')
  expect(started).toEqual(['next'])
  expect(warnings).toHaveLength(1)
})
