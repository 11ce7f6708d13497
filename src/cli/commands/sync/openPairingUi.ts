/** Chooses the user interface of a pairing. */
import type { Context } from '../../command.js'
import { linePairingUi, type PairingUi } from './shared/pairingUi.js'
import { isAccepted } from './shared/consent.js'

/** Uses a screen if one is possible and words are to be compared, else prints lines. */
export async function openPairingUi(context: Context, risks: readonly string[]): Promise<PairingUi> {
  const { terminal, out } = context
  if (!terminal.mayShowScreens || out.json || out.quiet || isAccepted(risks)) return linePairingUi(context, risks)
  const { pairingScreen } = await import('../../screens/pairing/pairingScreen.js')
  return pairingScreen(context)
}
