/** Who attends a pairing at the terminal: on a screen that single keys drive, or line by line. */
import type { Context } from '../command.js'
import type { Record_ } from '../client/answer.js'
import type { NodeClient } from '../client/nodeClient.js'
import { interruption, type Interruption } from '../client/interruption.js'
import { askSame } from './consent.js'
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
  /** Shows the first sync until both are in sync or the person leaves; answers what is to be told of it. */
  firstSync(client: NodeClient, about: NewPeer): Promise<(out: Context['out']) => void>
  /** Gives the terminal back; can be called again. */
  close(): Promise<void>
}

/** The person who attends line by line, where no screen is drawn or nobody is to compare words. */
export function attendedByLines(context: Context, risks: readonly string[]): Attendant {
  const { out, terminal } = context
  const leave = interruption()
  return {
    isScreen: false,
    leave,
    offered: () => undefined,
    calling: () => out.note('Calling the other node …'),
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

/** Tells of a pairing that was made, then of its first sync: below the progress while that is drawn by lines, after a screen. */
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
