/** Builds the lines of the pairing screen; pure. */
import { progressText } from '../../terminal/output/progress.js'
import { cut } from '../../terminal/output/text.js'
import { amount, bytes } from '../../terminal/output/format.js'
import { fittingQrCode } from '../../terminal/output/qrCode.js'
import { tooSmall } from '../../commands/sync/shared/offerText.js'
import type { ShownOffer } from '../../commands/sync/shared/pairingUi.js'
import { stateWords, type Peer } from '../../commands/sync/shared/peer.js'
import { line, type Line } from '../line.js'

export type PairingView =
  | ({ is: 'offered' } & ShownOffer)
  | { is: 'calling' }
  | { is: 'met'; name: string; words: string }
  | { is: 'confirming'; name: string }
  /** `filesOf`: maximum number of pending file bytes so far. */
  | { is: 'syncing'; peer: Peer | undefined; filesOf: number }

/** Size of the terminal. */
interface Space {
  columns: number
  rows: number
}

/** Checks whether a view covers the terminal: the QR code, which would push the link out of sight. */
export const isWholeView = (view: PairingView): boolean => view.is === 'offered' && view.link !== undefined && view.isCodeShown === true

/** Returns the lines of a view, for the space of a terminal; `now` in seconds. */
export function pairingLines(view: PairingView, now: number, space: Space): Line[] {
  return linesOf(view, now, space).map((parts) => (parts.length === 1 ? line(cut(parts[0]?.text ?? '', space.columns), parts[0]?.tone) : parts))
}

function linesOf(view: PairingView, now: number, space: Space): Line[] {
  switch (view.is) {
    case 'offered': {
      const left = `${minutes(view.expires - now)} left`
      if (view.link === undefined) return [line(`Waiting for the other node, ${left}   q withdraws the offer`)]
      if (view.isCodeShown !== true) return [line(`Waiting for the other node, ${left}   c QR code   q withdraws the offer`)]
      return [...codeLines(view.link, space), line(`${left}   A camera app shows it as text   c back   q withdraws the offer`)]
    }
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

/** Returns the QR code of a link. One row stays free: ink clears the terminal to draw as many lines as it has rows. */
function codeLines(link: string, { columns, rows }: Space): Line[] {
  const code = fittingQrCode(link, { columns, rows: rows - 2 })
  return code === undefined ? [line(tooSmall(link))] : code.lines.map((text) => line(text))
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
