/** Text of a pairing offer on the terminal: command with the link, warnings, and a QR code where there is room for one. */
import type { Context } from '../../../command.js'
import type { ResultOf } from '../../../client/nodeClient.js'
import { quotedWord, shellWord } from '../../../framework/shell.js'
import { fittingQrCode, smallestQrCode, type QrCode } from '../../../terminal/output/qrCode.js'
import { columnsOf } from '../../../terminal/output/text.js'

interface OfferTextOptions {
  user: string
  /** True for a share. */
  share: boolean
  /** `--qr`. */
  qr: boolean
  noWait: boolean
  /** True when a screen follows, which shows the code on request. */
  isScreen: boolean
}

/** Prints an offer that is announced in the local network, with the code that the other person types. */
export async function writeNearbyOffer({ out, remote }: Context, answer: ResultOf<'sync.offer'>, code: string, about: Pick<OfferTextOptions, 'share' | 'user'>): Promise<void> {
  out.note('Run on the other node, in the same network:')
  await out.line(`coffer sync accept${accountOptions(about)} --nearby`)
  out.note('It prompts for this code, which is valid for one node and 10 minutes:')
  await out.line(`    ${code}`)
  if (remote !== undefined || !answer.isLocal) return writeReach(out, answer)
  // The other node replaces a loopback address by the one that the announcement came from.
  if (answer.isExposed) return
  out.warn('This node accepts connections from this machine only.')
  out.note('  For other machines: coffer config set http.ip 0.0.0.0, then coffer restart')
}

function writeReach(out: Context['out'], answer: ResultOf<'sync.offer'>): void {
  const [warning, ...hints] = reachNotes(answer)
  if (warning !== undefined) out.warn(warning)
  for (const hint of hints) out.note(hint)
}

const INDENT = 2
/** Columns of the mark before warnings. */
const MARK = 2
/** Rows of the screen below the text while words are compared, including that of the cursor. */
const SCREEN_ROWS = 6

/**
 * Prints an offer. On a terminal a QR code is printed above the rest if all of it fits, so that nothing scrolls away.
 * Returns true when the code is printed.
 */
export async function writeOfferText({ out, terminal }: Context, answer: ResultOf<'sync.offer'>, options: OfferTextOptions): Promise<boolean> {
  const { link } = answer
  const { outIsTerminal, width, streams } = terminal
  const rows = outIsTerminal ? (streams.stdout.rows ?? Infinity) : Infinity
  const command = acceptCommand(link, options)
  const reach = reachNotes(answer)
  const validity = options.noWait
    ? 'The link is valid for one node and 10 minutes. Anyone who has it can pair: keep it secret.'
    : 'The link is valid for one node and 10 minutes.'
  const columns = outIsTerminal ? width - INDENT : Infinity
  const used = [RUN, command, CODE_NOTE, validity, ...reach].reduce((sum, text) => sum + Math.max(1, Math.ceil((columnsOf(text) + MARK) / width)), 0)
  const above = outIsTerminal ? fittingQrCode(link, { columns, rows: rows - used - SCREEN_ROWS }) : undefined
  if (above !== undefined) await writeCode(above)
  out.note(RUN)
  await out.line(command)
  out.note(validity)
  writeReach(out, answer)
  if (above !== undefined) return true
  if (!options.qr || options.isScreen) return false
  const below = fittingQrCode(link, { columns, rows: rows - 2 })
  if (below === undefined) out.note(tooSmall(link))
  else await writeCode(below)
  return below !== undefined

  async function writeCode({ lines }: QrCode): Promise<void> {
    for (const line of lines) await out.line(`${' '.repeat(INDENT)}${line}`)
    out.note(CODE_NOTE)
  }
}

/** Notes on an address that only this machine can reach: the warning and its remedy. Empty for other addresses. */
function reachNotes({ isLocal, address }: Pick<ResultOf<'sync.offer'>, 'isLocal' | 'address'>): string[] {
  if (!isLocal) return []
  return [
    `${address} is only reachable from this machine.`,
    '  For other machines: --address <url>, or the setting dnsLess.publicUrl',
  ]
}

/**
 * Returns the command for the other node. The link comes last and in quotes: a line break that copying from a narrow
 * terminal adds is then within the link, where it is ignored.
 */
const acceptCommand = (link: string, about: OfferTextOptions): string => `coffer sync accept${accountOptions(about)} ${quotedWord(link)}`

/** Returns the options that name the account; none for a share, where it has a username that is not known here. */
const accountOptions = ({ share, user }: Pick<OfferTextOptions, 'share' | 'user'>): string => (share ? '' : ` --user ${shellWord(user)} --create`)

/** Describes the terminal that the QR code of a link needs. */
export function tooSmall(link: string): string {
  const { columns, rows } = smallestQrCode(link)
  return `The QR code needs a terminal of ${columns + INDENT} columns and ${rows + 2} lines.`
}

const RUN = 'Run on the other node:'
/** The scheme of links belongs to no program of phones. */
const CODE_NOTE = 'The QR code contains the link: a camera app shows it as text, to be sent to the other node.'
