/** Losses by the deletion of an account, in numbers and names. */
import { get as getAccesses } from '../../../api/accesses/get.js'
import { sessions } from '../../../api/auth/sessions.js'
import { listDelegates } from '../../../api/delegations/listDelegates.js'
import { summary } from '../../../api/streams/summary.js'
import { isPeopleStream } from '../../../../store/model/peopleStreams.js'
import { readAsOwner } from '../../session.js'
import type { ConsoleVisit } from '../consolePage.js'
import { soon } from '../soon.js'
import { loadStreams } from '../streams.js'
import { loadAccount } from './account.js'

export interface Losses {
  /** Number of events in streams of people; undefined when they are not counted yet. */
  events: number | undefined
  streams: number | undefined
  bytes: number
  /** Names of shared accesses. */
  links: string[]
  /** Names of app accesses. */
  apps: string[]
  /** Number of other sessions. */
  sessions: number
  /** Names of paired nodes. */
  devices: string[]
  delegates: number
}

/** Counts what ends with the account of the person. */
export async function lossesOf(visit: ConsoleVisit): Promise<Losses> {
  const { node, person } = visit
  const [{ storageUsed }, { accesses }, { sessions: open }, counts, peers, delegates] = await Promise.all([
    loadAccount(visit),
    readAsOwner(visit, person, getAccesses, {}) as Promise<{ accesses: { type: string; name: string }[] }>,
    readAsOwner(visit, person, sessions, {}) as Promise<{ sessions: { current: boolean }[] }>,
    countsOf(visit),
    node.sync.peers.statuses(person.account),
    delegatesOf(visit),
  ])
  const named = (type: string): string[] => accesses.filter((access) => access.type === type).map(({ name }) => name)
  return {
    ...counts,
    bytes: storageUsed.dbDocuments + storageUsed.attachedFiles,
    links: named('shared'),
    apps: named('app'),
    sessions: open.filter(({ current }) => !current).length,
    devices: peers.map(({ name }) => name),
    delegates,
  }
}

async function countsOf(visit: ConsoleVisit): Promise<Pick<Losses, 'events' | 'streams'>> {
  const [streams, events] = await Promise.all([
    loadStreams(visit, 'all').then(({ ordered }) => ordered.length).catch(() => undefined),
    soon(eventsOf(visit), visit).catch(() => undefined),
  ])
  return { streams, events }
}

async function eventsOf(visit: ConsoleVisit): Promise<number> {
  const { streams } = (await readAsOwner(visit, visit.person, summary, { state: 'all' })) as { streams: { id: string; events: number; trashed: number }[] }
  return streams.filter(({ id }) => isPeopleStream(id)).reduce((sum, { events, trashed }) => sum + events + trashed, 0)
}

async function delegatesOf(visit: ConsoleVisit): Promise<number> {
  if (!visit.node.config.get('delegation.active')) return 0
  const { delegates } = (await readAsOwner(visit, visit.person, listDelegates, {})) as { delegates?: unknown[] }
  return delegates?.length ?? 0
}
