/** User interface of a pairing on the terminal. */
import type { Context } from '../../command.js'
import { attendedByLines, type Attendant } from './shared/attendant.js'
import { isAccepted } from './shared/consent.js'

/** Uses a screen if one is possible and words are to be compared, else prints lines. */
export async function attendantOf(context: Context, risks: readonly string[]): Promise<Attendant> {
  const { terminal, out } = context
  if (!terminal.mayShowScreens || out.json || out.quiet || isAccepted(risks)) return attendedByLines(context, risks)
  const { pairingScreen } = await import('../../screens/pairing/pairingScreen.js')
  return pairingScreen(context)
}
