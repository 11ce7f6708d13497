/** Comparison of the words of a pairing on both screens. */
import type { Context } from '../../../command.js'
import type { Pairing } from './pairingFeed.js'
import { CommandError } from '../../../framework/exit.js'
import { confirm, riskOption } from '../../../terminal/input/confirm.js'

const RISK = 'unconfirmed-peer'
const FLAG = `--accept-risk=${RISK}`

/** The option `--accept-risk` of commands that pair. */
export const pairingRiskOption = riskOption(RISK, 'pair without comparing words')

export const isAccepted = (risks: readonly string[]): boolean => risks.includes(RISK)

/**
 * Checks that someone can confirm the pairing.
 * @throws CommandError 2
 */
export function assertAnswerable({ terminal }: Context, risks: readonly string[]): void {
  if (isAccepted(risks) || terminal.mayAsk) return
  throw new CommandError(`The words cannot be compared without a terminal; ${FLAG} is missing`, {
    exit: 2,
    missingOption: FLAG,
    hint: 'With it, only the secret in the link protects the pairing: do not show the link to anyone else.',
  })
}

/** Returns the words of a pairing: `amber · canoe · violin`. */
export const wordsIn = (pairing: Pairing): string =>
  Array.isArray(pairing.words) ? pairing.words.map(String).join(' · ') : ''

/**
 * Asks whether both screens show the same words.
 * @param over rejects when the pairing has failed; the question is then withdrawn
 * @throws CommandError 130 when the person answers no
 */
export async function confirmWords(
  { terminal, out }: Context,
  pairing: Pairing,
  risks: readonly string[],
  over: Promise<never>,
): Promise<void> {
  over.catch(() => undefined)
  const words = wordsIn(pairing)
  const name = pairing.peerName ?? ''
  if (isAccepted(risks)) return out.note(`Connected to ${name}; the words are ${words}`)
  await confirm(terminal, `Connected to ${name}.  Do both screens show   ${words}   ?`, false, FLAG, over)
}
