/** Measures a core of a platform of several cores: what the registry costs hosted accounts, and how fast it answers. */
import { Agent, request } from 'node:http'
import { get } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { environmentName } from '../../src/server/config/settings/settings.js'
import { createLog } from '../../src/server/base/log.js'
import { createEtcdClient } from '../../src/server/platform/registry/etcd/client.js'
import { ADMIN_KEY, PLATFORM_ID, prepareCoreHome, SHARED } from '../support/nodes/etcdCores.js'
import { hasEtcd, startEtcd, type TestEtcd } from '../support/services/etcd.js'
import { register, type Owner } from './account.js'
import { defer } from './cleanup.js'
import { load, mergeLoads, percentile, type Load } from './client.js'
import type { Measured } from './measure.js'
import { residentBytes, startNode, type Server } from './processes.js'

export const coreRows = ['cores-hosted', 'cores-wrong-core', 'cores-register', 'cores-leader', 'cores-memory'] as const

type CoreRow = (typeof coreRows)[number]

const MAX_SLOWER = 1.02
const MAX_WRONG_CORE_MS = 1
const MIN_REGISTRATIONS = 15
const MAX_CLAIMABLE_MS = 4000
const MAX_MORE_MB = 25
const TURNS = 5
/** Keeps the processor busy, so that the work of an idle core, such as renewals each three seconds, does not count as that of calls. */
const CONNECTIONS = 10
/** Registrations at once: as many as hash passwords in parallel. */
const REGISTERING = 4
const POLL_MS = 25

/** Measures the selected rows, in homes below a folder, with three members of etcd. */
export async function measureCores(folder: string, isSelected: (id: CoreRow) => boolean, seconds: number, record: (measured: Measured) => void): Promise<void> {
  if (!hasEtcd) return void process.stderr.write('  rows of several cores skipped: etcd is not installed\n')
  const etcd = await startEtcd({ members: 3 })
  defer(() => etcd.stop())
  const client = createEtcdClient({ endpoints: etcd.endpoints, log: createLog('silent', () => 0, () => {}) })
  const one = await startCore(etcd, join(folder, 'one'), 'one')
  const added = { id: 'two', url: null, ip: null, ipv6: null, cname: null, hosting: null, available: true, state: 'active', identity: null, settings: {}, version: null, added: 0 }
  await client.transaction({ then: [{ put: `/coffer/${PLATFORM_ID}/core/two`, value: JSON.stringify(added) }] })
  client.close()
  const two = await startCore(etcd, join(folder, 'two'), 'two', { 'core.available': false })
  const single = await startNode(join(folder, 'single'))
  if (isSelected('cores-memory')) {
    const [shared, alone] = [residentBytes(one.pid) ?? Number.NaN, residentBytes(single.pid) ?? Number.NaN]
    const figure = (shared - alone) / 1e6
    record({ id: 'cores-memory', label: 'memory of a core beyond that of one node, fresh', figure, unit: 'MB', target: `< ${MAX_MORE_MB} MB`, met: figure < MAX_MORE_MB })
  }
  const owner = await register(one, 'hosted-account')
  const alone = await register(single, 'hosted-account')
  if (isSelected('cores-hosted')) record(await measureHosted(etcd, { node: one, owner }, { node: single, owner: alone }, seconds))
  if (isSelected('cores-wrong-core')) record(await measureWrongCore(two, owner, seconds))
  if (isSelected('cores-register')) record(await measureRegistrations(one, seconds))
  if (isSelected('cores-leader')) record(await measureLeaderLoss(etcd, one))
  for (const server of [one, two, single]) await server.stop()
  await etcd.stop()
}

async function startCore(etcd: TestEtcd, home: string, id: string, more: Record<string, unknown> = {}): Promise<Server> {
  await prepareCoreHome(home)
  const port = await freePort()
  const settings = { ...SHARED, 'service.eventTypes': `http://127.0.0.1:${port}/types.json`, 'platform.etcd': etcd.endpoints, 'core.id': id, 'core.url': `http://127.0.0.1:${port}/`, ...more }
  const texts = Object.entries(settings).map(([key, value]) => [environmentName(key), Array.isArray(value) ? value.join(',') : String(value)] as const)
  return startNode(home, undefined, Object.fromEntries(texts))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

interface Caller {
  node: Server
  owner: Owner
}

/** Compares the processor time of a call to a hosted account with that on one node, and counts the calls to etcd meanwhile. */
async function measureHosted(etcd: TestEtcd, core: Caller, single: Caller, seconds: number): Promise<Measured> {
  const spec = ({ owner }: Caller): { path: string; token: string } => ({ path: `${owner.username}/access-info`, token: owner.token })
  const [ours, theirs]: [Load[], Load[]] = [[], []]
  for (const each of [core, single]) await load(each.node, spec(each), CONNECTIONS, 1)
  let calls = 0
  for (let turn = 0; turn < TURNS; turn++) {
    theirs.push(await load(single.node, spec(single), CONNECTIONS, seconds / TURNS))
    const before = await etcdCalls(etcd)
    ours.push(await load(core.node, spec(core), CONNECTIONS, seconds / TURNS))
    calls += (await etcdCalls(etcd)) - before
  }
  const merged = mergeLoads(ours)
  const per = ({ processor, latencies }: Load): number => ((processor ?? Number.NaN) * 1e6) / latencies.length
  // Other processes only add to what a call costs: the least of the turns is compared.
  const least = (loads: readonly Load[]): number => Math.min(...loads.map(per))
  const figure = least(ours) / least(theirs)
  return {
    id: 'cores-hosted',
    label: `cpu of a call on a core / on one node (${calls} calls to etcd in ${merged.latencies.length})`,
    figure,
    unit: 'ratio',
    p50: percentile(merged.latencies, 0.5),
    p99: percentile(merged.latencies, 0.99),
    processor: least(ours),
    bareProcessor: least(theirs),
    target: `≤ ${MAX_SLOWER}, 0 calls`,
    met: figure <= MAX_SLOWER && calls === 0,
  }
}

/** Returns the number of key-value calls that the members have begun, by their own count. */
async function etcdCalls(etcd: TestEtcd): Promise<number> {
  let sum = 0
  for (const endpoint of etcd.endpoints) {
    const text = await new Promise<string>((resolve, reject) => {
      get(`${endpoint}/metrics`, (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (part: string) => (body += part)).on('end', () => resolve(body))
      }).on('error', reject)
    })
    for (const [, count] of text.matchAll(/^grpc_server_started_total\{[^}]*grpc_service="etcdserverpb\.KV"[^}]*\} (\S+)$/gm)) sum += Number(count)
  }
  return sum
}

async function measureWrongCore(other: Server, { username, token }: Owner, seconds: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (): Promise<number> => statusOf(agent, `${other.url}${username}/access-info`, { authorization: token })
  if ((await ask()) !== 421) throw new Error('another core serves the account')
  const latencies: number[] = []
  for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
    const begun = performance.now()
    await ask()
    latencies.push(performance.now() - begun)
  }
  agent.destroy()
  const sorted = Float64Array.from(latencies).sort()
  const figure = percentile(sorted, 0.5) ?? Number.NaN
  return { id: 'cores-wrong-core', label: '421 of a cached name', figure, unit: 'ms', p50: figure, p99: percentile(sorted, 0.99), target: `≤ ${MAX_WRONG_CORE_MS} ms`, met: figure <= MAX_WRONG_CORE_MS }
}

/** Registers accounts on one core, which no other core is available for. */
async function measureRegistrations(core: Server, seconds: number): Promise<Measured> {
  let count = 0
  const until = performance.now() + seconds * 1000
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: REGISTERING }, async () => {
      while (performance.now() < until) {
        const begun = performance.now()
        await register(core, `registered-${(count += 1)}`)
        latencies.push(performance.now() - begun)
      }
    }),
  )
  const figure = latencies.length / seconds
  const sorted = Float64Array.from(latencies).sort()
  return { id: 'cores-register', label: 'registrations on one core', figure, unit: '1/s', p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), target: `≥ ${MIN_REGISTRATIONS}`, met: figure >= MIN_REGISTRATIONS }
}

/** Measures the time from the kill of the leader of etcd to the next claim of a name. */
async function measureLeaderLoss(etcd: TestEtcd, core: Server): Promise<Measured> {
  const client = createEtcdClient({ endpoints: etcd.endpoints, log: createLog('silent', () => 0, () => {}) })
  const leader = (await client.status()).findIndex(({ isLeader }) => isLeader === true)
  client.close()
  if (leader < 0) throw new Error('etcd has no leader')
  await etcd.kill(leader)
  const killed = performance.now()
  const agent = new Agent({ keepAlive: true })
  for (let attempt = 1; ; attempt++) {
    const body = JSON.stringify({ username: `reserved-${attempt}`, invitationToken: null, uniqueFields: {} })
    const status = await statusOf(agent, `${core.url}system/users/validate`, { authorization: ADMIN_KEY, 'content-type': 'application/json' }, body)
    if (status === 200) break
    if (status !== 503) throw new Error(`a reservation answers ${status}`)
    if (performance.now() - killed > 60_000) throw new Error('no name can be claimed a minute after the leader was killed')
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  agent.destroy()
  const figure = performance.now() - killed
  return { id: 'cores-leader', label: 'names claimable again after the leader was killed', figure, unit: 'ms', target: `< ${MAX_CLAIMABLE_MS} ms`, met: figure < MAX_CLAIMABLE_MS }
}

function statusOf(agent: Agent, url: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
