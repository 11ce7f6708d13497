/** Two processes and one store: one holds it, the others are refused. */
import { existsSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/server/config/config.js'
import { openNode } from '../../src/server/index.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { createLog } from '../../src/server/base/log.js'
import { StoreLocked } from '../../src/store/engine/lock.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { placesOf, registerUser, request, startTestNode } from '../support/nodes/node.js'
import { nodeProcesses, type NodeProcess } from './process.js'

const { home, folder } = homes()
const startProcess = nodeProcesses()

/** Returns a home with an account, whose node is stopped. */
async function usedHome(): Promise<HomePlaces> {
  const places = await home()
  const node = await startTestNode({}, { home: places.home })
  await registerUser(node, 'alice')
  await node.stop()
  return places
}

function openHome(places: HomePlaces): ReturnType<typeof openNode> {
  const log = createLog('error', () => 0, () => {})
  return openNode({ store: places.store, key: places.key, config: loadConfig({ file: places.config }), log })
}

describe('a second process', () => {
  it('is refused with the id of the process that holds the store, which continues unharmed', async () => {
    const places = await usedHome()
    const first = await startProcess(places.home)
    const { url = '' } = await first.open()
    const link = join(await folder(), 'link')
    symlinkSync(places.home, link)
    for (const seen of [places, placesOf(link), placesOf(relative(process.cwd(), places.home))]) {
      const refused: unknown = await openHome(seen).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(StoreLocked)
      expect(refused).toMatchObject({ pid: first.pid })
    }
    const body = { username: 'barbara', password: 'correct horse', email: 'b@example.org', appId: 'test-app' }
    expect((await request(`${url}users`, { body })).status).toBe(200)
    await first.close()
    await (await openHome(places)).close()
    expect((await expectSound(places)).checked['users']).toBe(2)
  })

  it('is not blocked by the lock of a killed one', async () => {
    const places = await usedHome()
    const first = await startProcess(places.home)
    await first.open()
    expect(existsSync(join(places.store, 'owner'))).toBe(true)
    await first.kill()
    await (await openHome(places)).close()
    expect(existsSync(join(places.store, 'owner'))).toBe(false)
  })

  it('that starts at the same time finds the store locked, never damaged; exactly one opens it', async () => {
    const places = await usedHome()
    const processes = await Promise.all(Array.from({ length: 3 }, () => startProcess(places.home)))
    let winner: NodeProcess | undefined
    for (let round = 0; round < 15; round++) {
      // The last winner closes and tries again, while the others try already.
      const closing = winner?.close()
      const replies = await Promise.all(processes.map((one) => one.open()))
      await closing
      const [opened, ...more] = processes.filter((_, i) => replies[i]?.url !== undefined)
      const others = replies.filter(({ url }) => url === undefined)
      expect(others.map(({ refused }) => refused), JSON.stringify(others)).toEqual(['StoreLocked', 'StoreLocked'])
      expect(more).toEqual([])
      for (const { holder } of others) expect([winner?.pid, opened?.pid, null]).toContain(holder)
      winner = opened
    }
    await Promise.all(processes.map((one) => one.kill()))
    await expectSound(places)
  })
})
