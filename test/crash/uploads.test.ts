/**
 * Kills a node during uploads: every file of an event is complete, also of unacknowledged uploads, and after a sweep there are
 * no others. `SEED` repeats a run as far as timing allows.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/server/config/config.js'
import { openNode } from '../../src/server/index.js'
import { createLog } from '../../src/server/base/log.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { attachmentsIn, eventPart, filePart, filesOnDisk, sendParts } from '../support/http/multipart.js'
import { request, type TestNode } from '../support/nodes/node.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { nodeProcesses } from './process.js'

const ROUNDS = process.env['LONG'] === '1' ? 8 : 2
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const HOUR = 3600

const { home } = homes()
const startProcess = nodeProcesses()

it(`leaves no event without its files, nor files without event (seed ${SEED})`, { timeout: 90_000 }, async () => {
  const places = await home()
  const next = seeded(SEED)
  /** Files of acknowledged events, by event; null where their removal was requested. */
  const acknowledged = new Map<string, number | null>()
  let token = ''
  let orphans = 0
  let interrupted = 0
  for (let round = 0; round < ROUNDS; round++) {
    const child = await startProcess(places.home)
    const { url = '' } = await child.open()
    if (round === 0) {
      const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
      token = String((await request(`${url}users`, { body })).body['token'])
      await request(`${url}alice/streams`, { token, body: { id: 's', name: 's' } })
    }
    const stage = { node: { url } as TestNode, username: 'alice', owner: token }
    let isGone = false
    const writer = async (): Promise<void> => {
      while (!isGone) {
        try {
          const files = Array.from({ length: 1 + next(3) }, (_, i) =>
            // Some contents repeat, so that events share them.
            filePart(`f${i}`, next(3) === 0 ? `shared ${next(3)}` : `own ${next(1e9)} `.repeat(1 + next(20_000))),
          )
          const { body } = await sendParts(stage, '/events', [...files, eventPart({ streamIds: ['s'], type: 'a/b' })])
          const { id } = body['event'] as { id: string }
          acknowledged.set(id, files.length)
          if (next(3) > 0) continue
          acknowledged.set(id, null)
          const [file] = attachmentsIn(body)
          if (next(2) === 0) await request(`${url}alice/events/${id}/${file?.id}`, { token, method: 'DELETE' })
          else for (const _ of [1, 2]) await request(`${url}alice/events/${id}`, { token, method: 'DELETE' })
        } catch {
          if (!isGone) interrupted += 1
          return
        }
      }
    }
    const before = acknowledged.size
    const writers = Array.from({ length: 4 }, writer)
    // Waits on slow machines until there is something to lose.
    while (acknowledged.size <= before + 10) await new Promise((resolve) => setTimeout(resolve, 10))
    await new Promise((resolve) => setTimeout(resolve, next(500)))
    const killed = child.kill()
    await Promise.all(writers)
    isGone = true
    await killed

    const { checked } = await expectSound(places)
    orphans += checked['files without reference'] ?? 0
    const log = createLog('error', () => 0, () => {})
    const node = await openNode({ store: places.store, key: places.key, config: loadConfig({ file: places.config }), log })
    try {
      expect(existsSync(join(places.files, '.incoming'))).toBe(false)
      // A sweep leaves recent files, and removes old ones.
      await node.store.blobs.sweep(node.clock.now(), HOUR)
      await node.store.blobs.sweep(node.clock.now() + 2 * HOUR, HOUR)
    } finally {
      await node.close()
    }
    const after = await expectSound(places)
    expect(after.checked['files without reference']).toBeUndefined()
    expect((await filesOnDisk({ places })).length).toBe(after.checked['files'] ?? 0)
    expect(after.checked['files']).toBe(checked['files'])
  }
  const child = await startProcess(places.home)
  const { url = '' } = await child.open()
  for (const [id, count] of acknowledged) {
    if (count === null) continue
    const { body } = await request(`${url}alice/events/${id}`, { token })
    expect(attachmentsIn(body)).toHaveLength(count)
  }
  await child.kill()
  // Checks that uploads were interrupted, and that there was something to lose.
  expect(interrupted + orphans).toBeGreaterThan(0)
  expect(acknowledged.size).toBeGreaterThanOrEqual(10 * ROUNDS)
})
