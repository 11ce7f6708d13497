/** Tests of signal handlers of a node that runs in this process. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testHome, type TestHome } from '../../support/closedHome.js'
import { following } from '../../support/following.js'

const handledEvents = ['SIGINT', 'SIGTERM', 'SIGUSR2', 'uncaughtException']
const listeners = (): number[] => handledEvents.map((event) => process.listenerCount(event))
const before = listeners()

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
})
afterAll(() => home.remove())

it('start stops at the first signal, ignores an immediate second one, and removes its handlers', async () => {
  const node = following(home.home, 'start --port 0 --json')
  await node.until((out) => out.includes('"started"'))
  expect(listeners()).toEqual(before.map((count) => count + 1))
  process.emit('SIGTERM')
  process.emit('SIGTERM')
  expect(await node.code).toBe(0)
  expect(node.out()).toContain('{"event":"stopped"}')
  await expect.poll(listeners).toEqual(before)
})

it('start removes its signal handlers when it cannot listen', async () => {
  const { code } = await home.run('start --set http.ip=192.0.2.1')
  expect(code).not.toBe(0)
  await expect.poll(listeners).toEqual(before)
})
