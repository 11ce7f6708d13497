/** Issues that need attention, from a snapshot of the node. */
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../../client/answer.js'
import { ago, clock, counted, when } from '../../terminal/output/format.js'
import { peerName, peersOf, type StatusSnapshot } from './snapshot.js'

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
  return [
    ...(seen.problem === undefined ? [] : [{ what: 'No answer', which: '', about: seen.problem }]),
    ...diskNeeds(textOf(seen.status['state'])),
    ...damageNeeds(recordOf(seen.attention['damage']), now),
    ...peers.filter(({ state }) => state === 'refused').map((peer) => refusedNeed(peer, peers)),
    ...seen.requests.map(requestNeed),
    ...listOf(seen.attention['stoppedWebhooks']).map((webhook) => webhookNeed(webhook, now)),
    ...listOf(seen.attention['repaired']).map(repairedNeed),
    ...peers.filter(({ refused }) => (numberOf(refused) ?? 0) > 0).map((peer) => rejectedNeed(peer, peers)),
  ]
}

function diskNeeds(state: string): Need[] {
  if (state === 'full') return [{ what: 'Disk is full', which: '', about: 'writes resume when there is free space' }]
  if (state === 'read-only') return [{ what: 'Disk has failed', which: '', about: 'restart the node once it is fixed', next: ['doctor', 'disk'] }]
  return []
}

function damageNeeds(damage: Record_, now: number): Need[] {
  const [found, at] = [numberOf(damage['found']), numberOf(damage['at'])]
  if (found === undefined) return []
  const which = `${counted(found, 'problem')}${at === undefined ? '' : `, ${ago(at, now)}`}`
  return [{ what: 'Store is damaged', which, about: 'coffer store check', next: ['store', 'check'] }]
}

/** Returns the retry action of a peer. */
export const syncRetry = (peer: Record_, peers: readonly Record_[]): Retry => ({
  do: 'sync',
  user: textOf(peer['user']),
  peer: textOf(peer['id']),
  name: peerName(peer, peers),
})

function refusedNeed(peer: Record_, peers: readonly Record_[]): Need {
  const about = textOf(peer['reason']) || 'the peer is refused'
  return { what: 'Sync refused', which: peerName(peer, peers), about, next: ['sync', 'status'], retry: syncRetry(peer, peers) }
}

function rejectedNeed(peer: Record_, peers: readonly Record_[]): Need {
  const what = `${counted(numberOf(peer['refused']) ?? 0, 'item')} refused`
  return { what, which: `from ${peerName(peer, peers)}`, about: 'coffer sync conflicts', next: ['sync', 'conflicts'] }
}

function requestNeed(request: Record_): Need {
  const next = ['requests', 'show', textOf(request['key']).slice(0, KEY_SHOWN)]
  return { what: 'App requests access', which: textOf(request['requestingAppId']), about: `coffer ${next.join(' ')}`, next }
}

function webhookNeed(webhook: Record_, now: number): Need {
  const [user, id, name] = [textOf(webhook['user']), textOf(webhook['id']), textOf(webhook['host'])]
  const [failed, since] = [numberOf(webhook['failed']) ?? 0, numberOf(webhook['since'])]
  const about = failed === 0 ? 'its access had ended' : `failed ${counted(failed, 'time')}${since === undefined ? '' : ` since ${instant(since, now)}`}`
  const next = ['webhooks', 'activate', id, '--user', user]
  return { what: 'Webhook stopped', which: `${name} of ${user}`, about, next, retry: { do: 'activate', user, id, name } }
}

/** Formats a time as `14:10`, or as the day if longer ago. */
const instant = (time: number, now: number): string => (now - time < DAY_S ? clock(time).slice(0, 5) : when(time).slice(0, 10))

function repairedNeed(account: Record_): Need {
  const [names, places] = [numberOf(account['names']) ?? 0, numberOf(account['places']) ?? 0]
  const what = names > 0 ? `${counted(names, 'name')} changed` : `${counted(places, 'stream')} moved`
  const user = textOf(account['user'])
  return { what: `${what} by sync`, which: user, about: 'coffer sync conflicts', next: ['sync', 'conflicts', '--user', user] }
}
