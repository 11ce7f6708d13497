/** How the person at the terminal attends a pairing. */
import type { Context } from '../../command.js'
import { attendedByLines, type Attendant } from '../../sync/attendant.js'
import { isAccepted } from '../../sync/consent.js'

/** By a screen where there can be one and somebody is to compare words, else line by line. */
export async function attendantOf(context: Context, risks: readonly string[]): Promise<Attendant> {
  const { terminal, out } = context
  if (!terminal.mayShowScreens || out.json || out.quiet || isAccepted(risks)) return attendedByLines(context, risks)
  const { pairingScreen } = await import('../../screens/pairing/pairingScreen.js')
  return pairingScreen(context)
}
