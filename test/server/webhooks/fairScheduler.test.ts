/** Concurrency limits of webhook calls. */
import { expect, it } from 'vitest'
import { createFairScheduler } from '../../../src/server/webhooks/fairScheduler.js'

/** Creates tasks that run until they are ended. */
function createTasks(): { started: string[]; begin(name: string): () => Promise<void>; end(name: string): Promise<void> } {
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

it('limits tasks in total and for each account, and alternates between accounts', async () => {
  const scheduler = createFairScheduler(3, 2)
  const { started, begin, end } = createTasks()
  for (const name of ['a1', 'a2', 'a3', 'a4']) scheduler.run('a', begin(name))
  expect(started).toEqual(['a1', 'a2'])
  for (const name of ['b1', 'b2']) scheduler.run('b', begin(name))
  scheduler.run('c', begin('c1'))
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

it('continues after a failed task, and drops queued tasks on clear', async () => {
  const scheduler = createFairScheduler(1, 1)
  const { started, begin, end } = createTasks()
  const warnings: unknown[] = []
  process.once('warning', (warning) => warnings.push(warning))
  scheduler.run('a', () => Promise.reject(new Error('broken on purpose')))
  scheduler.run('a', begin('next'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['next'])
  scheduler.run('a', begin('forgotten'))
  scheduler.clear()
  await end('next')
  expect(started).toEqual(['next'])
  expect(warnings).toHaveLength(1)
})
