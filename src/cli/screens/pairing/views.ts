/** Builds the lines of the pairing screen; pure. */
import { progressText } from '../../terminal/output/progress.js'
import { cut } from '../../terminal/output/text.js'
import { amount, bytes } from '../../terminal/output/format.js'
import { stateWords, type Peer } from '../../commands/sync/shared/peer.js'
import { line, type Line } from '../line.js'

export type PairingView =
  | { is: 'offered'; expires: number }
  | { is: 'calling' }
  | { is: 'met'; name: string; words: string }
  | { is: 'confirming'; name: string }
  /** `filesOf`: maximum number of pending file bytes so far. */
  | { is: 'syncing'; peer: Peer | undefined; filesOf: number }

/** Returns the lines of a view, `columns` wide; `now` in seconds. */
export function pairingLines(view: PairingView, now: number, columns: number): Line[] {
  return linesOf(view, now).map((parts) => (parts.length === 1 ? line(cut(parts[0]?.text ?? '', columns), parts[0]?.tone) : parts))
}

function linesOf(view: PairingView, now: number): Line[] {
  switch (view.is) {
    case 'offered':
      return [line(`Waiting for the other node, ${minutes(view.expires - now)} left   q withdraws the offer`)]
    case 'calling':
      return [line('Connecting to the other node …'), line('q quit', 'faint')]
    case 'met':
      return [
        line(`Connected to ${view.name}. Do both screens show`),
        line(''),
        line(`    ${view.words}`, 'strong'),
        line(''),
        line('y yes, pair   n no, cancel', 'faint'),
      ]
    case 'confirming':
      return [line(`Waiting for ${view.name} to confirm …`), line('q quit without pairing', 'faint')]
    case 'syncing':
      return [...syncLines(view.peer, view.filesOf), line('q quit; the sync continues', 'faint')]
  }
}

/** Formats the time left: `9:41`. */
function minutes(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

function syncLines(peer: Peer | undefined, filesOf: number): Line[] {
  if (peer === undefined) return [line('Comparing …')]
  const of = (name: 'filesPending' | 'received' | 'behind' | 'sent' | 'ahead'): number => peer[name] ?? 0
  const files = of('filesPending')
  return [
    line(`${peer.name}  ${stateWords(peer)}`, 'strong'),
    ...(of('received') + of('behind') > 0 ? [line(progressText('items ↓', of('received'), of('received') + of('behind'), amount))] : []),
    ...(of('sent') + of('ahead') > 0 ? [line(progressText('items ↑', of('sent'), of('sent') + of('ahead'), amount))] : []),
    ...(filesOf > 0 ? [line(progressText('files ↓', filesOf - files, filesOf, bytes))] : []),
  ]
}
