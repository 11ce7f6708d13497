/** Issues that need attention, from a snapshot of the node. */
import type { Peer } from '../../commands/sync/shared/peer.js'
import { ago, clock, counted, when } from '../../terminal/output/format.js'
import { peerName, peersOf, type PeerId, type Attention, type StatusSnapshot } from './snapshot.js'

/** Action of the retry key. */
export type Retry = { do: 'sync'; user: string; peer: string; name: string } | { do: 'activate'; user: string; id: string; name: string }

export interface Need {
  what: string
  which: string
  about: string
  /** Words of the next command, without `coffer`. */
  next?: readonly string[]
  retry?: Retry
}

const KEY_SHOWN = 6
const DAY_S = 86_400

/** Lists the issues, most urgent first; `now` in seconds. */
export function needsOf(seen: StatusSnapshot, now: number): Need[] {
  const peers = peersOf(seen)
  const { damage = null, stoppedWebhooks = [], repaired = [] } = seen.attention
  return [
    ...(seen.problem === undefined ? [] : [{ what: 'No answer', which: '', about: seen.problem }]),
    ...diskNeeds(seen.status.state),
    ...damageNeeds(damage, now),
    ...peers.filter(({ state }) => state === 'refused').map((peer) => refusedNeed(peer, peers)),
    ...seen.requests.map(requestNeed),
    ...stoppedWebhooks.map((webhook) => webhookNeed(webhook, now)),
    ...repaired.map(repairedNeed),
    ...peers.filter(({ refused }) => refused > 0).map((peer) => rejectedNeed(peer, peers)),
  ]
}

function diskNeeds(state: StatusSnapshot['status']['state']): Need[] {
  if (state === 'full') return [{ what: 'Disk is full', which: '', about: 'writes resume when there is free space' }]
  if (state === 'read-only') return [{ what: 'Disk has failed', which: '', about: 'restart the node once it is fixed', next: ['doctor', 'disk'] }]
  return []
}

function damageNeeds(damage: Attention['damage'], now: number): Need[] {
  if (damage === null) return []
  const which = `${counted(damage.found, 'problem')}, ${ago(damage.at, now)}`
  return [{ what: 'Store is damaged', which, about: 'coffer store check', next: ['store', 'check'] }]
}

/** Returns the retry action of a peer. */
export const syncRetry = (peer: PeerId & Pick<Peer, 'id'>, peers: readonly PeerId[]): Retry => ({
  do: 'sync',
  user: peer.user,
  peer: peer.id,
  name: peerName(peer, peers),
})

function refusedNeed(peer: Peer, peers: readonly PeerId[]): Need {
  const about = peer.reason ?? 'the peer is refused'
  return { what: 'Sync refused', which: peerName(peer, peers), about, next: ['sync', 'status'], retry: syncRetry(peer, peers) }
}

function rejectedNeed(peer: Peer, peers: readonly PeerId[]): Need {
  const what = `${counted(peer.refused, 'item')} refused`
  return { what, which: `from ${peerName(peer, peers)}`, about: 'coffer sync conflicts', next: ['sync', 'conflicts'] }
}

function requestNeed(request: StatusSnapshot['requests'][number]): Need {
  const next = ['requests', 'show', request.key.slice(0, KEY_SHOWN)]
  return { what: 'App requests access', which: request.requestingAppId, about: `coffer ${next.join(' ')}`, next }
}

function webhookNeed({ user, id, host: name, failed, since }: Attention['stoppedWebhooks'][number], now: number): Need {
  const about = failed === 0 ? 'its access had ended' : `failed ${counted(failed, 'time')}${since === null ? '' : ` since ${instant(since, now)}`}`
  const next = ['webhooks', 'activate', id, '--user', user]
  return { what: 'Webhook stopped', which: `${name} of ${user}`, about, next, retry: { do: 'activate', user, id, name } }
}

/** Formats a time as `14:10`, or as the day if longer ago. */
const instant = (time: number, now: number): string => (now - time < DAY_S ? clock(time).slice(0, 5) : when(time).slice(0, 10))

function repairedNeed({ user, names, places }: Attention['repaired'][number]): Need {
  const what = names > 0 ? `${counted(names, 'name')} changed` : `${counted(places, 'stream')} moved`
  return { what: `${what} by sync`, which: user, about: 'coffer sync conflicts', next: ['sync', 'conflicts', '--user', user] }
}
