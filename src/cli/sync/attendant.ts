/** Who attends a pairing at the terminal: on a screen that single keys drive, or line by line. */
import type { Context } from '../command.js'
import type { Record_ } from '../node/answer.js'
import type { Door } from '../node/door.js'
import { interruption, type Interruption } from '../node/interruption.js'
import { askSame, isAccepted } from './consent.js'
import { firstSync, type NewPeer } from './firstSync.js'
import { showProgress } from './progress.js'

export interface Attendant {
  /** Whether nothing else may be written until it is closed. */
  readonly isScreen: boolean
  /** When the person wants no more of it. */
  readonly leave: Pick<Interruption, 'or'>
  /** The offer stands until then, in seconds. */
  offered(expires: number): void
  calling(): void
  /**
   * Has the words compared.
   * @param over rejects when the pairing has come to nothing; nobody need answer then.
   * @throws CommandError 130 on no
   */
  compare(pairing: Record_, over: Promise<never>): Promise<void>
  confirming(pairing: Record_): void
  /** Shows the first sync until both are in step or the person leaves; answers what is to be told of it. */
  firstSync(door: Door, about: NewPeer): Promise<(out: Context['out']) => void>
  /** Gives the terminal back; can be called again. */
  close(): Promise<void>
}

/** A screen where there can be one, and somebody is to compare words. */
export async function attendantOf(context: Context, risks: readonly string[]): Promise<Attendant> {
  const { terminal, out } = context
  if (terminal.mayShowScreens && !out.json && !out.quiet && !isAccepted(risks)) {
    const { pairingScreen } = await import('../screens/pairing/pairingScreen.js')
    return pairingScreen(context)
  }
  return attendedByLines(context, risks)
}

function attendedByLines(context: Context, risks: readonly string[]): Attendant {
  const { out, terminal } = context
  const leave = interruption()
  return {
    isScreen: false,
    leave,
    offered: () => undefined,
    calling: () => out.note('Calling the other node …'),
    compare: (pairing, over) => askSame(context, pairing, risks, over),
    confirming: () => out.note('Waiting for the other side to confirm …'),
    async firstSync(door, about) {
      if (!terminal.errIsTerminal) return () => undefined
      const progress = showProgress(context, door, about.user)
      return firstSync(door, about, leave).finally(() => progress.end())
    },
    close: () => Promise.resolve(),
  }
}

/** Tells of a pairing that was made, then of its first sync: below the progress while that is drawn by lines, after a screen. */
export async function tellFirst(out: Context['out'], door: Door, attendant: Attendant, about: NewPeer, tell: () => void): Promise<void> {
  if (attendant.isScreen) {
    const tellEnd = await attendant.firstSync(door, about)
    await attendant.close()
    tell()
    return tellEnd(out)
  }
  tell()
  const tellEnd = await attendant.firstSync(door, about)
  tellEnd(out)
}
