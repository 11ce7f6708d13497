/** Followers of the journal over the control socket, and calls whose client disconnects. */
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
/** More entries than fit in the buffers of the node and of the socket. */
const MANY = 80

/** Follows the journal without reading the response. */
function followWithoutReading(): Promise<IncomingMessage> {
  const socketPath = join(node().places.home, 'node.sock')
  return new Promise((give, fail) => {
    request({ socketPath, path: '/control/node.events', agent: false }, give).on('error', fail).end()
  })
}

it('disconnects a follower that does not read, with bounded buffers', async () => {
  const { store } = node().node
  let publish: (entries: JournalEntry[]) => void = () => undefined
  const unfollowed = new Promise<void>((give) => {
    Object.assign(store, {
      follow: (listener: typeof publish) => {
        publish = listener
        return give
      },
    })
  })
  const answer = await followWithoutReading()
  answer.on('error', () => undefined)
  const entry = { account: 'a', kind: 'event', action: 'create', id: 'x'.repeat(MEGABYTE), sequence: 1 }
  for (let n = 0; n < MANY; n++) publish([entry as unknown as JournalEntry])
  await unfollowed
  let bytes = 0
  answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await new Promise((give) => answer.on('close', give))
  expect(bytes).toBeLessThan(MANY * MEGABYTE)
})

it('aborts the signal of a long call when its client disconnects', async () => {
  const path = join(node().places.home, 'other.sock')
  let onStart = (): void => undefined
  const started = new Promise<void>((give) => (onStart = give))
  const aborted = new Promise<void>((give) => {
    const wait = operatorMethod({
      id: 'test.wait',
      summary: 'Waits.',
      input: z.strictObject({}),
      output: () => z.object({}),
      fails: [],
      run({ signal }) {
        signal?.addEventListener('abort', () => give())
        onStart()
        return new Promise<Record<string, never>>(() => undefined)
      },
    })
    void listenControl(node().node, createControl(node().node, [], [wait]), path).then(() => {
      const call = request({ socketPath: path, path: '/control/test.wait', method: 'POST', agent: false })
      call.on('error', () => undefined).end('{}')
      void started.then(() => call.destroy())
    })
  })
  await aborted
})

it('stops store work whose client has disconnected', async () => {
  const target = workTarget(node().node)
  const disconnected = new AbortController()
  disconnected.abort()
  for (const work of ['store.check', 'store.stats', 'store.compact'] as const) {
    await expect(doWork(target, work, {}, disconnected.signal), work).rejects.toThrow('has disconnected')
  }
  // Later calls succeed.
  expect(await doWork(target, 'store.check', {})).toMatchObject({ ok: true })
})
