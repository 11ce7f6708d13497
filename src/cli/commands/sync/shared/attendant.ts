/** The person at the terminal during a pairing: on a full-screen view with single keys, or line by line. */
import type { Context } from '../../../command.js'
import type { Pairing } from './pairingFeed.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import { interruption, type Interruption } from '../../../client/interruption.js'
import { askSame } from './consent.js'
import { firstSync, type NewPeer } from './firstSync.js'
import { showProgress } from './progress.js'

export interface Attendant {
  /** True when nothing else may be written until it is closed. */
  readonly isScreen: boolean
  /** Interruption by the person. */
  readonly leave: Pick<Interruption, 'or'>
  /** Shows that the offer is open until `expires`, in seconds. */
  offered(expires: number): void
  calling(): void
  /**
   * Asks the person to compare the words.
   * @param over rejects when the pairing has failed; the question is then withdrawn
   * @throws CommandError 130 on no
   */
  compare(pairing: Pairing, over: Promise<never>): Promise<void>
  confirming(pairing: Pairing): void
  /**
   * Shows the first sync until both nodes are in sync or the person leaves; returns a function that prints the result.
   */
  firstSync(client: NodeClient, about: NewPeer): Promise<(out: Context['out']) => void>
  /** Restores the terminal; may be called again. */
  close(): Promise<void>
}

/** Creates a line-by-line attendant, for terminals without a full-screen view or pairings without comparison. */
export function attendedByLines(context: Context, risks: readonly string[]): Attendant {
  const { out, terminal } = context
  const leave = interruption()
  return {
    isScreen: false,
    leave,
    offered: () => undefined,
    calling: () => out.note('Connecting to the other node …'),
    compare: (pairing, over) => askSame(context, pairing, risks, over),
    confirming: () => out.note('Waiting for the other side to confirm …'),
    async firstSync(client, about) {
      if (!terminal.errIsTerminal) return () => undefined
      const progress = showProgress(context, client, about.user)
      return firstSync(client, about, leave).finally(() => progress.end())
    },
    close: () => Promise.resolve(),
  }
}

/** Prints a completed pairing, then its first sync: below the progress lines, or after a full-screen view. */
export async function writeFirstSync(out: Context['out'], client: NodeClient, attendant: Attendant, about: NewPeer, print: () => void): Promise<void> {
  if (attendant.isScreen) {
    const writeEnd = await attendant.firstSync(client, about)
    await attendant.close()
    print()
    return writeEnd(out)
  }
  print()
  const writeEnd = await attendant.firstSync(client, about)
  writeEnd(out)
}
