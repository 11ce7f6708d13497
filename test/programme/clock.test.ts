/**
 * The system clock jumps while a node runs: back, far ahead, past 2038, over the change to winter time. Expired data
 * remains expired, no delay is extended, and changes have the order of the journal. Part of the long run: LONG=1.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { nodeProcesses, type NodeProcess } from '../crash/process.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { request, type Answer } from '../support/nodes/node.js'
import { LONG, lacks } from './support/needs.js'

const lack = LONG ? lacks('linux', 'faketime') : 'LONG=1 runs it'
const { home } = homes()
const at = mkdtempSync(join(tmpdir(), 'coffer-clock-'))
const clock = join(at, 'clock')
const env = {
  FAKETIME_TIMESTAMP_FILE: clock,
  FAKETIME_NO_CACHE: '1',
  // Only the wall clock jumps, not the monotonic clock.
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  TZ: 'Europe/Zurich',
}
// The variable set by faketime would take precedence over the file.
const startProcess = nodeProcesses({ under: ['faketime', '-f', '+0', 'env', '-u', 'FAKETIME'], env })

const DAY = 86_400
const LATER = 40 * DAY
const BEFORE = -3 * DAY
/** Returns the seconds from now to a time. */
const until = (moment: string): number => Math.round((Date.parse(moment) - Date.now()) / 1000)
const jump = (seconds: number): void => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}`)

describe.skipIf(lack !== undefined)(`a clock that jumps${lack === undefined ? '' : `: ${lack}`}`, () => {
  let places: HomePlaces
  let node: NodeProcess
  let url = ''
  let token = ''
  const written: string[] = []

  beforeAll(async () => {
    jump(0)
    places = await home()
    node = await startProcess(places.home)
    await open()
    const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
    token = String((await request(`${url}users`, { body })).body['token'])
    expect((await call('POST', '/streams', { id: 's', name: 's' })).status).toBe(201)
  })
  afterAll(async () => {
    await node.close()
    await node.kill()
    rmSync(at, { recursive: true, force: true })
    await expectSound(places)
  })

  async function open(): Promise<void> {
    const { url: opened, refused, message } = await node.open()
    expect({ refused, message }).toEqual({})
    url = opened ?? ''
  }
  const call = (method: string, path: string, body?: unknown, as = token): Promise<Answer> =>
    request(`${url}alice${path}`, { method, token: as, ...(body === undefined ? {} : { body }) })
  async function write(content: string): Promise<void> {
    const { status, body } = await call('POST', '/events', { streamIds: ['s'], type: 'note/txt', content })
    expect(status, JSON.stringify(body)).toBe(201)
    written.push(content)
  }
  const login = (): Promise<Answer> =>
    request(`${url}alice/auth/login`, { body: { username: 'alice', password: 'correct horse', appId: 'test-app' }, headers: { origin: url } })

  it.each([
    ['three days back', BEFORE],
    ['forty days ahead', LATER],
    ['past 2038', until('2038-01-19T03:14:05Z')],
    ['to the repeated hour', until('2030-10-27T00:59:59Z')],
    ['back to now', 0],
  ])('%s: the node accepts writes and restarts', async (name, seconds) => {
    jump(seconds)
    // The session may have expired.
    token = String((await login()).body['token'])
    await write(`before ${name}`)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    await write(`after ${name}`)
    await node.close()
    await open()
    await write(`restarted ${name}`)
    const { body } = await call('GET', '/events?limit=1000&streams=s&fromTime=0&toTime=9999999999')
    const found = (body['events'] as { content: string }[]).map(({ content }) => content)
    expect([...found].sort()).toEqual([...written].sort())
  })

  it('used secrets and expired accesses stay invalid when the clock is set back', async () => {
    jump(0)
    token = String((await login()).body['token'])
    const access = await call('POST', '/accesses', { name: 'for an hour', permissions: [{ streamId: 's', level: 'read' }], expireAfter: 3600 })
    const granted = String((access.body['access'] as { token: string }).token)
    const secretBody = { ttl: 60, title: 'x', onConsumed: { message: 'gone', returnUrl: 'https://app.example/' }, secret: { a: 1 } }
    const secret = await call('POST', '/shared-secrets', secretBody)
    const { key } = secret.body['sharedSecret'] as { key: string }
    expect((await call('GET', '/events', undefined, granted)).status).toBe(200)

    jump(LATER)
    expect((await call('GET', '/events', undefined, granted)).status).toBe(403)
    const retrieve = (): Promise<Answer> => request(`${url}alice/shared-secrets/retrieve`, { body: { key } })
    expect((await retrieve()).status).toBeGreaterThanOrEqual(400)
    jump(0)
    expect((await retrieve()).status).toBeGreaterThanOrEqual(400)
  })

  it('changes have the order of the journal, regardless of their times', async () => {
    jump(LATER)
    token = String((await login()).body['token'])
    const { body } = await call('POST', '/events', { streamIds: ['s'], type: 'note/txt', content: 'v1' })
    const { id } = body['event'] as { id: string }
    jump(BEFORE)
    expect((await call('PUT', `/events/${id}`, { content: 'v2' })).status).toBe(200)
    await node.close()
    await open()
    const { body: after } = await call('GET', `/events/${id}`)
    expect(after['event']).toMatchObject({ content: 'v2' })
  })

  it('delays after wrong passwords are not extended', async () => {
    jump(LATER)
    const wrong = (): Promise<Answer> =>
      request(`${url}alice/auth/login`, { body: { username: 'alice', password: 'wrong', appId: 'test-app' }, headers: { origin: url } })
    for (let n = 0; n < 3; n++) await wrong()
    jump(BEFORE)
    const deadline = Date.now() + 60_000
    while ((await login()).status !== 200) {
      expect(Date.now()).toBeLessThan(deadline)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  })
})
