/** One run: nodes, random operations, reconnection, and the problems afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { findTombstone } from '../../../src/store/streams/tombstones.js'
import { changeIn, type CommittedEntry } from '../../../src/store/engine/journal.js'
import { RECOVERED } from '../../../src/store/model/recovered.js'
import type { Direction } from '../../../src/store/replication/peers.js'
import type { ItemRef } from '../../../src/sync/wire/entry.js'
import { parseChange } from '../../../src/sync/crdt/parseChange.js'
import type { Session } from '../../../src/sync/session/types.js'
import { readItem } from '../../../src/sync/digest/readItem.js'
import { createReconciler } from '../../../src/sync/digest/reconcile.js'
import { createStateKeeper } from '../../../src/sync/digest/stateKeeper.js'
import { faultsOfStore } from '../../support/store/check.js'
import { dice } from '../merge/copies.js'
import { faultsOfTree, viewOf, type View } from './inspect.js'
import { Oracle } from './oracle.js'
import { SHARED, shareLine, watchShare, type ShareWatch } from './share.js'
import { call, step, type Work } from './steps.js'
import { openNetwork, type Machine, type Roll, type Wiring, type Network } from './network.js'

export interface Outcome {
  problems: string[]
  story: string[]
  work: Work
}

const STEPS = Number(process.env['STEPS'] ?? 120)
const RECONNECT_MS = Number(process.env['HEALING'] ?? 20_000)
const DIRECTIONS: readonly Direction[] = ['both', 'send', 'receive']

/** Returns lines between nodes: a row, a star, a ring, or a mesh. */
function topology(roll: Roll, size: number): [number, number][] {
  const kind = roll(4)
  const lines: [number, number][] = []
  for (let i = 1; i < size; i++) {
    if (kind === 3) for (let j = 0; j < i; j++) lines.push([j, i])
    else lines.push([kind === 1 ? 0 : i - 1, i])
  }
  if (kind === 2 && size > 2) lines.push([0, size - 1])
  return lines
}

export async function run(seed: number): Promise<Outcome> {
  const roll = dice(seed)
  const story: string[] = []
  const problems: string[] = []
  const size = 3 + roll(3)
  const deletesStreams = roll(4) > 0
  const restores = roll(3) > 0
  const lines: Wiring[] = topology(roll, size).map((ends) => ({ ends }))
  // One more node, of another owner, with whom one node shares a stream.
  const share = roll(3) > 0 ? shareLine(roll(size), size, DIRECTIONS[roll(3)] as Direction) : undefined
  if (share !== undefined) lines.push(share)
  const guest = share === undefined ? {} : { guest: size }
  const oracle = new Oracle(guest.guest)
  const work: Work = { roll, oracle, deletesStreams, files: new Map(), refused: new Map(), story, counts: { calls: 0, ids: 0 }, ...guest }
  story.push(`${size} nodes ${JSON.stringify(lines)}`)

  let shareWatch: ShareWatch | undefined

  function onCommit(machine: Machine, entries: readonly CommittedEntry[]): void {
    shareWatch?.committed(machine, entries)
    for (const { kind, action, id, origin, bytes } of entries) {
      if (kind !== 'stream' || origin !== undefined || machine.account === undefined) continue
      const { db, prefix } = machine.account
      if (action === 'delete') oracle.streamDeleted(machine.index, id, findTombstone(db, prefix, id)?.roots ?? [])
      if (action !== 'create') continue
      const { hash, deps } = parseChange(changeIn(bytes))
      if (deps.length === 0) oracle.streamCreated(machine.index, id, hash)
      if (id === RECOVERED && machine.index !== guest.guest) {
        story.push(`n${machine.index} makes recovered`)
        setImmediate(() => problems.push(...earlyRecovery(machine, oracle)))
      }
    }
  }

  const network = await openNetwork({ roll, size: size + (share === undefined ? 0 : 1), lines, onCommit })
  try {
    if (share !== undefined) {
      shareWatch = watchShare(network.machines, share)
      await makeShared(network, share)
    }
    for (let n = 0; n < STEPS; n++) await performRandom(network, work, restores)
    problems.push(...(await reconnect(network, work, shareWatch)))
    if (problems.length === 0) problems.push(...(await checkContent(network, work)))
    problems.push(...(shareWatch?.arrivals ?? []), ...network.faults)
    for (const { index, exchange, account, logged } of network.machines) {
      const { sound } = await exchange.verify(account)
      if (!sound) problems.push(`n${index}: the state was not that of the items`)
      for (const text of logged) if (text.includes('warn') || text.includes('error')) story.push(`n${index} logged ${text}`)
    }
    await Promise.all(network.lines.map((line) => network.disconnect(line)))
    for (const { exchange, node, home, index } of network.machines) {
      await exchange.stop()
      await node.close()
      for (const fault of await faultsOfStore(home)) problems.push(`n${index}: store check: ${JSON.stringify(fault)}`)
    }
  } finally {
    await network.end().catch(() => {})
  }
  return { problems, story, work }
}

/** Creates the shared stream, on the guest too when it receives nothing. */
async function makeShared({ machines }: Network, { ends: [host, guest], scopes }: Wiring): Promise<void> {
  const mine = scopes?.[0]
  const makers = mine?.is === 'share' && mine.direction === 'receive' ? [host, guest] : [host]
  for (const maker of makers) await call(machines[maker] as Machine, 'streams.create', { id: SHARED, name: SHARED })
}

/** Performs a random operation. */
async function performRandom(network: Network, work: Work, restores: boolean): Promise<void> {
  const { roll, oracle, story } = work
  const { machines, lines, clock } = network
  clock.now = Math.round((clock.now + (roll(3) === 0 ? roll(3) : roll(4) / 1000)) * 1000) / 1000
  const machine = machines[roll(machines.length)] as Machine
  const line = lines[roll(lines.length)] as Network['lines'][number]
  const what = roll(100)
  if (what < 64) await step(work, machine)
  else if (what < 66) {
    const end = roll(2) === 0 ? 0 : 1
    const method = roll(3) > 0 ? 'pause' : 'resume'
    story.push(`n${line.ends[end]} method ${method} ${line.ends.join('-')}`)
    await network[method](line, end)
  } else if (what < 80) {
    const options = { ...(roll(2) === 0 ? { frames: 1 + roll(30) } : {}), slowness: roll(3) === 0 ? roll(8) : 0 }
    story.push(`connect ${line.ends.join('-')} ${JSON.stringify(options)}`)
    await network.connect(line, options)
  } else if (what < 86) {
    story.push(`disconnect ${line.ends.join('-')}`)
    await network.disconnect(line)
  } else if (what < 91) await sleep(roll(40))
  else if (what < 94) {
    story.push(`crash n${machine.index}`)
    await network.crash(machine)
  } else if (what < 96) {
    await network.disconnect(line)
    story.push(`rewind n${machine.index}`)
    await network.rewind(machine, roll)
  } else if (what < 98) {
    story.push(`copy n${machine.index}`)
    await network.takeCopy(machine, oracle.now)
  } else if (restores && machine.copy !== undefined) {
    story.push(`restore n${machine.index}`)
    await network.restore(machine)
    oracle.restored(machine.index, machine.copy.at)
  }
}

/** Connects all nodes and waits until all are in sync at the same time. */
async function reconnect(network: Network, work: Work, shareWatch?: ShareWatch): Promise<string[]> {
  const { story, guest } = work
  story.push('heal')
  const until = Date.now() + RECONNECT_MS
  for (const line of network.lines) await network.disconnect(line)
  for (const line of network.lines) {
    for (const end of [0, 1] as const) await network.resume(line, end)
    await network.connect(line)
  }
  for (;;) {
    const before = network.machines.map(({ account }) => account.sequence).join()
    const sessions = network.lines.flatMap(({ open }) => open?.sessions ?? [])
    const shareSessions = new Set(network.lines.filter(({ scopes }) => scopes !== undefined).flatMap(({ open }) => open?.sessions ?? []))
    if (sessions.length < 2 * network.lines.length) return ['a session ended during reconnection', ...network.faults]
    const found = await Promise.race([
      Promise.all(sessions.map((one) => one.compare())),
      sleep(Math.max(1, until - Date.now())).then(() => [] as string[]),
    ])
    const isStill = before === network.machines.map(({ account }) => account.sequence).join()
    const behind = sessions.filter((_, i) => found[i] !== 'in-sync')
    const lostFiles = behind.length === 0 ? 0 : countLostFiles(network, work)
    const unexplained = behind.filter((one) => !lacksOnly(one, lostFiles))
    const isEven = unexplained.length === 0 || (unexplained.every((one) => shareSessions.has(one)) && (await shareWatch?.refusesForGood()) === true)
    if (isStill && found.length > 0 && isEven && (await areSame(network, guest))) {
      if (shareWatch === undefined || (await shareWatch.faults()).length === 0) return []
    }
    if (Date.now() > until) {
      const statuses = sessions.map(statusOf).join('\n')
      const ofShare = shareWatch === undefined ? [] : [...(await shareWatch.faults()), ...(await shareWatch.recordedDifferences())]
      return [`the nodes do not converge: ${statuses}`, ...(await differences(network, guest)), ...(await unequalItems(network)), ...ofShare]
    }
    await sleep(20)
  }
}

/** Counts files that no node has any more: the node that received them was restored to an earlier state before it had sent them. */
function countLostFiles({ machines }: Network, { oracle, files }: Work): number {
  const lost = [...files].filter(
    ([name, digest]) =>
      oracle.fate(`file ${name}`) === 'either' &&
      machines.every(({ node, account }) => !node.store.blobs.isPresent(account.prefix, digest)),
  )
  return new Set(lost.map(([, digest]) => digest)).size
}

/** Returns true for a session that is behind only for files that both nodes lack, at most `count`. */
function lacksOnly(session: Session, count: number): boolean {
  const { filesPending, filesPendingThere, filesMissing, filesMissingThere } = session.status()
  const missing = Math.max(filesMissing, filesMissingThere)
  return filesPending === 0 && filesPendingThere === 0 && missing > 0 && missing <= count
}

const statusOf = (session: Session): string => JSON.stringify(session.status())

const areSame = async (network: Network, guest?: number): Promise<boolean> => (await differences(network, guest)).length === 0

/** Returns the differences between nodes of the account; the guest's other content is ignored. */
async function differences({ machines }: Network, guest?: number): Promise<string[]> {
  const [first, ...others] = await Promise.all(machines.filter(({ index }) => index !== guest).map(viewOf))
  return others.flatMap((other, i) => compare(first as View, other, `n0 and n${i + 1}`))
}

/** Returns the items that two connected nodes have in different states. */
async function unequalItems({ machines, lines }: Network): Promise<string[]> {
  const faults: string[] = []
  for (const { ends, scopes } of lines) {
    if (scopes !== undefined) continue
    const [a, b] = await Promise.all(
      ends.map(async (index) => {
        const { node, account } = machines[index] as Machine
        const keeper = createStateKeeper({ store: node.store, log: { warn: () => {} } })
        return { node, account, reconciler: createReconciler(await keeper.of(account)) }
      }),
    )
    if (a === undefined || b === undefined) continue
    const messages = [{ to: b, from: a, body: await a.reconciler.start() }]
    const items = new Map<string, ItemRef>()
    for (let next = messages.shift(); next !== undefined; next = messages.shift()) {
      const { to, from, body } = next
      const { replies, differing } = await to.reconciler.receive(body)
      for (const item of differing) items.set(`${item.kind} ${item.id}`, item)
      for (const reply of replies) messages.push({ to: from, from: to, body: reply })
    }
    for (const [name, item] of items) {
      const [x, y] = await Promise.all([a, b].map(async ({ node, account }) => inspect(await readItem(node.store, account, item), { depth: 6 })))
      faults.push(`n${ends[0]} and n${ends[1]} hold ${name} otherwise:\n${x}\n${y}`)
    }
  }
  return faults
}

function compare(a: View, b: View, pair: string): string[] {
  const faults: string[] = []
  for (const key of new Set([...a.results.keys(), ...b.results.keys()])) {
    if (a.results.get(key) !== b.results.get(key)) faults.push(`${pair} differ in ${key}:\n  ${a.results.get(key)}\n  ${b.results.get(key)}`)
  }
  for (const key of new Set([...a.files.keys(), ...b.files.keys()])) {
    if (a.files.get(key) !== b.files.get(key)) faults.push(`${pair} have file ${key} otherwise: ${a.files.get(key)}, ${b.files.get(key)}`)
  }
  return faults
}

/** Checks the content of one node, equal on all, against the oracle. */
async function checkContent({ machines }: Network, { oracle, files }: Work): Promise<string[]> {
  const view = await viewOf(machines[0] as Machine)
  const faults = faultsOfTree(view.streams)
  const expectFates = (kind: string, isThere: (id: string) => boolean, here: Iterable<string>): void => {
    for (const item of oracle.items(kind)) {
      const fate = oracle.fate(item)
      const found = isThere(item.slice(kind.length + 1))
      if (fate === 'there' && !found) faults.push(`${item} is lost`)
      if (fate === 'gone' && found) faults.push(`${item} is back`)
    }
    for (const id of here) if (!oracle.items(kind).includes(`${kind} ${id}`)) faults.push(`${kind} ${id} was never created`)
  }
  expectFates('event', (id) => view.events.has(id), view.events.keys())
  expectFates('access', (id) => view.accesses.has(id), view.accesses)
  for (const id of new Set([...oracle.streams(), ...view.streams.keys()])) {
    if (id === RECOVERED) continue
    const fate = oracle.fateOfStream(id)
    if (fate === 'there' && !view.streams.has(id)) faults.push(`stream ${id} is lost`)
    if (fate === 'gone' && view.streams.has(id)) faults.push(`stream ${id} is back`)
  }
  for (const item of oracle.items('point')) {
    const id = item.slice('point '.length)
    if (oracle.fate(item) === 'there' && view.events.has(id.split(' ')[0] as string) && !view.points.has(id)) faults.push(`${item} is lost`)
  }
  for (const item of oracle.items('file')) {
    const id = item.slice('file '.length)
    if (!view.events.has(id.split(' ')[0] as string) || oracle.fate(item) === 'either') continue
    const found = view.files.get(id)
    if (oracle.fate(item) === 'gone' && found !== undefined) faults.push(`${item} is back`)
    if (oracle.fate(item) === 'there' && found !== files.get(id)) faults.push(`${item} is ${found}`)
  }
  return faults
}

/** Returns events shown as recovered although none of their streams was deleted: they arrived before their streams. */
function earlyRecovery({ account, index }: Machine, oracle: Oracle): string[] {
  const faults: string[] = []
  for (const [stream, events] of account.mergeState.unplacedEvents) {
    if (!oracle.wasDeleted(stream)) faults.push(`n${index} recovers ${[...events].join()} from ${stream}, which was not deleted`)
  }
  return faults
}
