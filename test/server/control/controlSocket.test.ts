/** What the control socket tells those who follow, and what it keeps for those who do not read. */
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { createControl } from '../../../src/server/control/control.js'
import { operatorMethod } from '../../../src/server/control/operatorMethod.js'
import { listenControl } from '../../../src/server/control/controlSocket.js'
import { workTarget } from '../../../src/server/maintenance/work/workTarget.js'
import { doWork } from '../../../src/server/maintenance/work/work.js'
import type { JournalEntry } from '../../../src/store/engine/journal.js'
import { withNode } from '../../support/nodes/started.js'

const node = withNode()

const MEGABYTE = 1024 * 1024
/** More than a node keeps, and the socket's own buffers. */
const MANY = 80

/** Follows the journal, without reading what comes. */
function followed(): Promise<IncomingMessage> {
  const socketPath = join(node().places.home, 'node.sock')
  return new Promise((give, fail) => {
    request({ socketPath, path: '/control/node.events', agent: false }, give).on('error', fail).end()
  })
}

it('leaves a follower that does not read, and keeps no more for it', async () => {
  const { store } = node().node
  let tell: (entries: JournalEntry[]) => void = () => undefined
  const left = new Promise<void>((give) => {
    Object.assign(store, {
      follow: (listener: typeof tell) => {
        tell = listener
        return give
      },
    })
  })
  const answer = await followed()
  answer.on('error', () => undefined)
  const entry = { account: 'a', kind: 'event', action: 'create', id: 'x'.repeat(MEGABYTE), sequence: 1 }
  for (let n = 0; n < MANY; n++) tell([entry as unknown as JournalEntry])
  await left
  let bytes = 0
  answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await new Promise((give) => answer.on('close', give))
  expect(bytes).toBeLessThan(MANY * MEGABYTE)
})

it('tells long work when whoever asked for it has gone', async () => {
  const path = join(node().places.home, 'other.sock')
  let begun = (): void => undefined
  const begins = new Promise<void>((give) => (begun = give))
  const gone = new Promise<void>((give) => {
    const wait = operatorMethod({
      id: 'test.wait',
      summary: 'Waits.',
      input: z.strictObject({}),
      output: z.object({}),
      fails: [],
      run({ left }) {
        left?.addEventListener('abort', () => give())
        begun()
        return new Promise<Record<string, never>>(() => undefined)
      },
    })
    void listenControl(node().node, createControl(node().node, [], [wait]), path).then(() => {
      const asked = request({ socketPath: path, path: '/control/test.wait', method: 'POST', agent: false })
      asked.on('error', () => undefined).end('{}')
      void begins.then(() => asked.destroy())
    })
  })
  await gone
})

it('ends a check of the store for somebody who has gone', async () => {
  const ground = workTarget(node().node)
  const left = new AbortController()
  left.abort()
  for (const work of ['store.check', 'store.stats', 'store.compact'] as const) {
    await expect(doWork(ground, work, {}, left.signal), work).rejects.toThrow('has disconnected')
  }
  // Others are served afterwards.
  expect(await doWork(ground, 'store.check', {})).toMatchObject({ ok: true })
})
