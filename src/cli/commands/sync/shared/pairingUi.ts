/** User interface of a pairing on the terminal: a full-screen view with single keys, or line by line. */
import type { Context } from '../../../command.js'
import type { Pairing } from './pairingFeed.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import { interruption, type Interruption } from '../../../client/interruption.js'
import { confirmWords } from './consent.js'
import { firstSync, type NewPeer } from './firstSync.js'
import { showProgress } from './progress.js'

/** An open offer, as shown while it waits for another node. */
export interface ShownOffer {
  /** Expiry, in seconds. */
  expires: number
  /** Link for a QR code; absent when its code is printed already. */
  link?: string
  /** True to show the code from the start. */
  isCodeShown?: boolean
}

export interface PairingUi {
  /** True for a full-screen view: nothing else may be written until it is closed. */
  readonly isScreen: boolean
  /** Cancellation by the person: Ctrl-C, or a key of the view. */
  readonly leave: Pick<Interruption, 'or'>
  /** Shows that the offer is open, and its QR code on request. */
  offered(offer: ShownOffer): void
  /** Shows that this node connects to the other one. */
  calling(): void
  /**
   * Asks the person to compare the words.
   * @param over rejects when the pairing has failed; the question is then withdrawn
   * @throws CommandError 130 on no
   */
  compare(pairing: Pairing, over: Promise<never>): Promise<void>
  /** Shows that the other side has not confirmed yet. */
  confirming(pairing: Pairing): void
  /**
   * Shows the first sync until both nodes are in sync or the person leaves; returns a function that prints the result.
   */
  firstSync(client: NodeClient, about: NewPeer): Promise<(out: Context['out']) => void>
  /** Restores the terminal; may be called again. */
  close(): Promise<void>
}

/** Creates the line-by-line interface, for terminals without a full-screen view and pairings without comparison. */
export function linePairingUi(context: Context, risks: readonly string[]): PairingUi {
  const { out, terminal } = context
  const leave = interruption()
  return {
    isScreen: false,
    leave,
    offered: () => undefined,
    calling: () => out.note('Connecting to the other node …'),
    compare: (pairing, over) => confirmWords(context, pairing, risks, over),
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
export async function writeFirstSync(out: Context['out'], client: NodeClient, ui: PairingUi, about: NewPeer, print: () => void): Promise<void> {
  if (ui.isScreen) {
    const writeEnd = await ui.firstSync(client, about)
    await ui.close()
    print()
    return writeEnd(out)
  }
  print()
  const writeEnd = await ui.firstSync(client, about)
  writeEnd(out)
}
