/**
 * Three network namespaces, each with a core and a member of etcd, which are cut off from each other: hosted accounts are served
 * throughout, names answer 503 where etcd has no majority and can be claimed elsewhere, and all cores agree afterwards.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLog } from '../../src/server/base/log.js'
import { createEtcdClient } from '../../src/server/platform/registry/etcd/client.js'
import type { NameValue } from '../../src/server/platform/registry/etcd/keys.js'
import type { CoreRecord } from '../../src/server/platform/registry/port.js'
import { afterTheFile } from '../acceptance/support/coffer.js'
import { nodeProcesses } from '../crash/process.js'
import { createCoreNetworks } from '../support/nodes/coreNetworks.js'
import { createCoreHome, PLATFORM_ID, SHARED } from '../support/nodes/etcdCores.js'
import { request, type Answer } from '../support/nodes/node.js'
import { hasEtcd, startEtcd } from '../support/services/etcd.js'
import { LONG } from './support/needs.js'

const PORT = 3000
/** Longer than the lease of a core, after which the others give it no new accounts. */
const CUT_MS = 16_000
const LEASE_MS = 11_000
const HEALED_MS = 40_000
const CALL_MS = 15_000

const cleanUp = afterTheFile()
// A process for each namespace; created outside of the test, since they are killed by a hook.
const unders: string[][] = [[], [], []]
const starters = unders.map((under) => nodeProcesses({ under, silent: true }))

interface Core {
  index: number
  id: string
  /** URL for the tests. */
  url: string
}

interface Account {
  username: string
  token: string
  home: Core
}

it.runIf(LONG)(`a platform survives partitions${hasEtcd ? '' : ' (skipped: etcd is not installed)'}`, { timeout: 480_000 }, async (context) => {
  if (!hasEtcd) return context.skip('etcd is not installed')
  const joined = createCoreNetworks(3, cleanUp)
  if (joined === undefined) return context.skip('no permission to make network namespaces')
  const { networks } = joined
  const etcd = await startEtcd({ networks })
  cleanUp(() => etcd.stop())
  const seenEndpoints = etcd.endpoints.map((endpoint, index) => endpoint.replace(networks[index]?.address ?? '', networks[index]?.seen ?? ''))
  const client = createEtcdClient({ endpoints: seenEndpoints, log: createLog('error', () => 0, () => {}) })
  cleanUp(() => client.close())

  const cores: Core[] = []
  for (const [index, { name, seen, address }] of networks.entries()) {
    const id = `core-${index}`
    const record: CoreRecord = { id, url: null, ip: null, ipv6: null, cname: null, hosting: null, available: true, state: 'active', identity: null, settings: {}, version: null, added: 0 }
    await client.transaction({ then: [{ put: `/coffer/${PLATFORM_ID}/core/${id}`, value: JSON.stringify(record) }] })
    const { home } = await createCoreHome(id)
    cleanUp(() => rm(home, { recursive: true, force: true }))
    unders[index]?.push('ip', 'netns', 'exec', name)
    const settings = {
      ...SHARED, 'service.eventTypes': join(home, 'types.json'), 'platform.etcd': etcd.endpoints, 'core.id': id, 'core.available': true,
      'core.url': `http://${address}:${PORT}/`, 'http.ip': '0.0.0.0', 'http.port': PORT, 'auth.trustedApps': '*@*',
    }
    const started = await starters[index]?.(home, settings)
    cleanUp(() => started?.kill())
    expect(await started?.open()).toMatchObject({ url: expect.any(String) as string })
    cores.push({ index, id, url: `http://${seen}:${PORT}/` })
  }

  const accounts: Account[] = []
  const counts = { registered: 0, unavailable: 0, unsure: 0, hostedCalls: 0, found: 0 }
  let number = 0
  const newName = (): string => `partitioned-${(number += 1)}`

  /** Registers an account; an acknowledged one is found from now on. */
  async function register(core: Core, username: string): Promise<Answer> {
    const body = { username, password: 'correct horse', email: `${username}@example.org`, appId: 'test-app' }
    const answer = await called(`${core.url}users`, { body })
    if (answer.status >= 500) counts[answer.body['error'] !== undefined && JSON.stringify(answer.body).includes('platform-unavailable') ? 'unavailable' : 'unsure'] += 1
    if (answer.status >= 300) return answer
    counts.registered += 1
    const token = String(answer.body['token'])
    // The account is served by the core whose URL its endpoint has.
    const home = cores.find(({ index }) => JSON.stringify(answer.body).includes(`${networks[index]?.address}:${PORT}`)) ?? core
    accounts.push({ username, token, home })
    return answer
  }

  /** Calls hosted accounts of a core until stopped; each call must succeed. */
  function callHosted(core: Core): () => Promise<string[]> {
    const hosted = accounts.filter(({ home }) => home === core)
    const failures: string[] = []
    let isOver = false
    const calling = (async () => {
      while (!isOver) {
        for (const { username, token } of hosted) {
          const read = await called(`${core.url}${username}/events`, { token })
          const made = await called(`${core.url}${username}/streams`, { token, body: { id: `s${(number += 1)}`, name: `stream ${number}` } })
          for (const { status, body } of [read, made]) {
            counts.hostedCalls += 1
            if (status !== 200 && status !== 201) failures.push(`${core.id} ${username}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
          }
        }
        await sleep(200)
      }
    })()
    return async () => {
      isOver = true
      await calling
      expect(hosted.length, `${core.id} has accounts`).toBeGreaterThan(0)
      return failures
    }
  }

  /** Checks that every acknowledged account is served by its home, and that the other cores name that core. */
  async function expectAllFound(): Promise<void> {
    const until = performance.now() + HEALED_MS
    let wrong: string[] = []
    do {
      wrong = []
      for (const { username, token, home } of accounts) {
        for (const core of cores) {
          const { status, body } = await called(`${core.url}${username}/access-info`, { token })
          const isRight = core === home ? status === 200 : status === 421 && JSON.stringify(body).includes(networks[home.index]?.address ?? '-')
          if (!isRight) wrong.push(`${core.id} answers ${status} for ${username} of ${home.id}`)
        }
      }
      if (wrong.length > 0) await sleep(1000)
    } while (wrong.length > 0 && performance.now() < until)
    expect(wrong).toEqual([])
    counts.found = accounts.length
    await expect.poll(async () => (await client.range({ key: `/coffer/${PLATFORM_ID}/o/`, isPrefix: true, countOnly: true })).count, { timeout: 90_000 }).toBe(0)
    const names = await client.range({ key: `/coffer/${PLATFORM_ID}/n/`, isPrefix: true })
    expect(names.items.filter(({ value }) => (JSON.parse(value) as NameValue).h !== undefined)).toEqual([])
  }

  const leader = async (): Promise<number> => {
    const index = (await client.status()).findIndex(({ isLeader }) => isLeader === true)
    return Math.max(index, 0)
  }

  /** Runs one partition in which `alone` has no majority. */
  async function partition(title: string, alone: Core, cut: () => void, heal: () => void): Promise<void> {
    const others = cores.filter((core) => core !== alone)
    cut()
    const began = performance.now()
    const stops = cores.map(callHosted)
    const name = newName()
    // The first call may find out by its time limit.
    const refusals = [await register(alone, name), await register(alone, newName()), await called(`${alone.url}${newName()}/access-info`, {})]
    expect(refusals.map(({ status }) => status), title).toEqual([503, 503, 503])
    await sleep(Math.max(0, LEASE_MS - (performance.now() - began)))
    // What the lonely core refused can be claimed elsewhere.
    for (const core of others) expect((await register(core, core === others[0] ? name : newName())).status, title).toBeLessThan(300)
    await sleep(Math.max(0, CUT_MS - (performance.now() - began)))
    const failures = (await Promise.all(stops.map((stop) => stop()))).flat()
    heal()
    expect(failures, title).toEqual([])
    await expect.poll(async () => (await register(alone, newName())).status, { timeout: HEALED_MS, interval: 500 }).toBeLessThan(300)
    await expectAllFound()
    console.log(JSON.stringify({ partition: title, alone: alone.id, ...counts }))
  }

  for (let tries = 0; cores.some((core) => accounts.filter(({ home }) => home === core).length < 2); tries++) {
    expect(tries, 'each core gets accounts').toBeLessThan(30)
    await register(cores[tries % 3] as Core, newName())
  }
  await expectAllFound()

  const first = cores[await leader()] as Core
  await partition('the leader of etcd and its core are cut off', first, () => joined.cut(first.index), () => joined.heal(first.index))

  const follower = cores[((await leader()) + 1) % 3] as Core
  await partition('a core and its member are cut off', follower, () => joined.cut(follower.index), () => joined.heal(follower.index))

  const mute = cores[((await leader()) + 2) % 3] as Core
  const receivers = cores.filter((core) => core !== mute)
  await partition(
    'a core and its member receive, but send nothing', mute,
    () => receivers.forEach(({ index }) => joined.drop(mute.index, index)),
    () => receivers.forEach(({ index }) => joined.undrop(mute.index, index)),
  )

  // Two members that do not see each other both see the third: there is a majority for every core.
  const [left, right] = [cores[await leader()] as Core, cores[((await leader()) + 1) % 3] as Core]
  joined.drop(left.index, right.index)
  joined.drop(right.index, left.index)
  const stops = cores.map(callHosted)
  const third = cores.find((core) => core !== left && core !== right) as Core
  await expect.poll(async () => (await register(third, newName())).status, { timeout: HEALED_MS, interval: 500 }).toBeLessThan(300)
  await sleep(CUT_MS)
  expect((await Promise.all(stops.map((stop) => stop()))).flat()).toEqual([])
  joined.undrop(left.index, right.index)
  joined.undrop(right.index, left.index)
  await expectAllFound()
  console.log(JSON.stringify({ partition: 'two of three members do not see each other', ...counts }))
  expect(counts.found).toBe(counts.registered)
})

/** Sends a request; a call that is not answered in time has the status 0. */
async function called(url: string, options: Parameters<typeof request>[1]): Promise<Answer> {
  const late = sleep(CALL_MS).then((): Answer => ({ status: 0, headers: new Headers(), body: { error: 'not answered' } }))
  const answered = request(url, options).catch((error: unknown): Answer => ({ status: 0, headers: new Headers(), body: { error: String(error) } }))
  return Promise.race([answered, late])
}
