/**
 * Measures the same work for accounts of 100,000, 1,000,000 and 10,000,000 events, and nodes with many accounts. Costs follow the
 * answer: what a call or a start needs must not grow with what is stored.
 */
import { join } from 'node:path'
import { createStreams, creation, fill, PASSWORD, register, spread, streamIdOf, timeOf, type Owner } from './account.js'
import { load, type RequestSpec } from './client.js'
import { runCommand } from './commands.js'
import { measuredLatency, measureMemory, measureStart, processorOf, type Measured } from './measure.js'
import { startNode, type Server } from './processes.js'

const SIZES = { '100k': 100_000, '1m': 1_000_000, '10m': 10_000_000 } as const
type Size = keyof typeof SIZES

/** Work measured for each size, in this order: the last one on the closed store. */
const CALLS = ['get-20', 'filter', 'streams', 'create'] as const
const WORK = ['fill', 'start', 'memory', ...CALLS, 'check'] as const
type Work = (typeof WORK)[number]

const ACCOUNTS = 10_000
const ACCOUNT_WORK = ['accounts-register', 'accounts-start', 'accounts-memory', 'accounts-login'] as const

export const longScaleRows: readonly string[] = [...Object.keys(SIZES).flatMap((size) => WORK.map((work) => `scale-${size}-${work}`)), ...ACCOUNT_WORK]

/** Growth from the smallest measured size up to which the cost counts as the same. */
const MAX_GROWTH = 1.2
const CONNECTIONS = 10
const WARM_UP_SECONDS = 0.6
const START_RUNS = 3
const DAY = 86_400

interface ScaleOptions {
  seconds: number
  /** Folder for the homes. */
  folder: string
  isSelected(id: string): boolean
  record(measured: Measured): void
}

/** Measures the selected rows, one size after the other. */
export async function measureScale(options: ScaleOptions): Promise<void> {
  const { folder, isSelected, seconds, record } = options
  const first = new Map<Work, number>()
  for (const size of Object.keys(SIZES) as Size[]) {
    const rows = WORK.filter((work) => isSelected(`scale-${size}-${work}`))
    if (rows.length === 0) continue
    for await (const { cost, ...measured } of measureSize(join(folder, size), size, rows, seconds)) {
      const work = measured.id.slice(`scale-${size}-`.length) as Work
      const least = cost === undefined ? undefined : first.get(work)
      if (cost !== undefined && least === undefined) first.set(work, cost)
      record(cost === undefined || least === undefined ? measured : { ...measured, target: `≤ ${MAX_GROWTH} of fewer events`, met: cost / least <= MAX_GROWTH })
    }
  }
  if (ACCOUNT_WORK.some(isSelected)) await measureAccounts(join(folder, 'accounts'), options)
}

/** A measured row with its cost, which is compared between sizes: processor time, seconds or bytes. */
type Costed = Measured & { cost?: number | undefined }

async function* measureSize(home: string, size: Size, rows: readonly Work[], seconds: number): AsyncGenerator<Costed> {
  const count = SIZES[size]
  const name = (work: Work, label: string): Pick<Measured, 'id' | 'label'> => ({ id: `scale-${size}-${work}`, label: `${label}, ${count.toLocaleString('en')} events` })
  let node = await startNode(home)
  const owner = await register(node, 'archivist')
  await createStreams(node, owner)
  const rate = await fill(node, owner, count)
  if (rows.includes('fill')) yield { ...name('fill', 'events.create in batches of 1,000'), figure: rate, unit: 'events/s', cost: 1 / rate }
  await node.stop()
  if (rows.includes('start')) {
    const started = await measureStart(home, { path: `${owner.username}/access-info`, token: owner.token }, START_RUNS, 'stop')
    yield { ...started, ...name('start', 'start to the first answer'), cost: started.figure }
  }
  node = await startNode(home)
  if (rows.includes('memory')) {
    const memory = await measureMemory(node, 'fresh')
    yield { ...memory, ...name('memory', 'memory after the start'), cost: memory.figure }
  }
  for (const work of CALLS) if (rows.includes(work)) yield measureCall(node, name(work, LABELS[work]), specOf(work, owner, count), seconds)
  await node.stop()
  if (!rows.includes('check')) return
  const begun = performance.now()
  await runCommand(home, 'store', 'check')
  const checked = count / ((performance.now() - begun) / 1000)
  yield { ...name('check', 'coffer store check'), figure: checked, unit: 'events/s', cost: 1 / checked }
}

const LABELS: Readonly<Record<(typeof CALLS)[number], string>> = {
  'get-20': 'events.get limit 20, cold',
  filter: 'events.get stream, type, week, cold',
  streams: 'streams.get, 20 streams',
  create: 'events.create, 10 connections',
}

function specOf(work: (typeof CALLS)[number], { username, token }: Owner, count: number): RequestSpec {
  if (work === 'streams') return { token, path: `${username}/streams` }
  if (work === 'create') return { verb: 'POST', token, path: `${username}/events`, body: creation() }
  // A new time within the events for each request, so that no cache answers it.
  const [from, to] = [timeOf(0) + 12 * DAY, timeOf(count)]
  const nextTime = (): number => from + spread() * (to - from)
  if (work === 'get-20') return { token, path: () => `${username}/events?limit=20&toTime=${nextTime().toFixed(3)}` }
  return {
    token,
    path: () => {
      const end = nextTime()
      return `${username}/events?streams=${streamIdOf(3)}&types=temperature/c&limit=100&fromTime=${(end - 7 * DAY).toFixed(3)}&toTime=${end.toFixed(3)}`
    },
  }
}

async function measureCall(node: Server, named: Pick<Measured, 'id' | 'label'>, spec: RequestSpec, seconds: number): Promise<Costed> {
  await load(node, spec, CONNECTIONS, WARM_UP_SECONDS)
  const measured = await load(node, spec, CONNECTIONS, seconds)
  return { ...named, ...measuredLatency(measured), figure: measured.answers / measured.seconds, unit: 'req/s', cost: processorOf(measured) }
}

/** Measures a node with many accounts: their registration, a start, memory, and logins to all of them. */
async function measureAccounts(home: string, { isSelected, seconds, record }: ScaleOptions): Promise<void> {
  let node = await startNode(home)
  const before = (await measureMemory(node, 'fresh')).figure ?? 0
  const owners: Owner[] = []
  const begun = performance.now()
  while (owners.length < ACCOUNTS) {
    const names = Array.from({ length: CONNECTIONS }, (_, i) => `person-${owners.length + i}`)
    owners.push(...(await Promise.all(names.map((username) => register(node, username)))))
  }
  const rate = ACCOUNTS / ((performance.now() - begun) / 1000)
  const about = `${ACCOUNTS.toLocaleString('en')} accounts`
  if (isSelected('accounts-register')) record({ id: 'accounts-register', label: `registration, ${about}`, figure: rate, unit: 'req/s' })
  await node.stop()
  const [owner] = owners as [Owner]
  const access = { path: `${owner.username}/access-info`, token: owner.token }
  if (isSelected('accounts-start')) record({ ...(await measureStart(home, access, START_RUNS, 'stop')), id: 'accounts-start', label: `start to the first answer, ${about}` })
  node = await startNode(home)
  let next = 0
  let current = owner
  const take = (): Owner => (current = owners[next++ % owners.length] as Owner)
  if (isSelected('accounts-memory')) {
    // A request reads its headers first, then its path.
    const calls = await load(node, { path: () => `${current.username}/access-info`, headers: () => ({ authorization: take().token }) }, CONNECTIONS, seconds)
    const called = Math.min(calls.answers, ACCOUNTS)
    const after = (await measureMemory(node, 'after')).figure ?? 0
    record({ id: 'accounts-memory', label: `memory for each account called, ${about}`, figure: ((after - before) * 1000) / called, unit: 'KB', failures: calls.failures })
  }
  if (isSelected('accounts-login')) {
    const body = (): string => JSON.stringify({ username: take().username, password: PASSWORD, appId: 'bench-app' })
    const logins = await load(node, { verb: 'POST', path: () => `${current.username}/auth/login`, body, headers: () => ({ origin: node.url.slice(0, -1) }) }, 2, seconds)
    record({ id: 'accounts-login', label: `auth.login, ${about}`, figure: logins.answers / logins.seconds, unit: 'req/s', ...measuredLatency(logins) })
  }
  await node.stop()
}
