/** Comparing the words of a pairing: the person at the terminal looks at both screens. */
import type { Context } from '../command.js'
import { usageError } from '../framework/exit.js'
import { confirm } from '../terminal/input/confirm.js'
import { list } from '../framework/option.js'
import { textOf, type Record_ } from '../client/answer.js'

const RISK = 'unconfirmed-peer'
const FLAG = `--accept-risk=${RISK}`

/** `--accept-risk`, for commands that pair. */
export const riskOption = list(`Say ${RISK} to pair without comparing words`, { placeholder: 'risk' })

export const isAccepted = (risks: readonly string[]): boolean => risks.includes(RISK)

/** Refuses to begin what nobody could confirm. @throws CommandError 2 */
export function assertAnswerable({ terminal }: Context, risks: readonly string[]): void {
  if (isAccepted(risks) || terminal.mayAsk) return
  throw usageError(
    `Nobody can compare the words here; ${FLAG} is missing`,
    'With it, the secret of the link vouches for both nodes: let nobody else see the link.',
  )
}

/** `amber · canoe · violin`. */
export const wordsIn = (pairing: Record_): string =>
  Array.isArray(pairing['words']) ? pairing['words'].map(String).join(' · ') : ''

/**
 * Asks whether both screens show the same.
 * @param over rejects when the pairing has come to nothing; nobody need answer then.
 * @throws CommandError 130 on no
 */
export async function askSame(
  { terminal, out }: Context,
  pairing: Record_,
  risks: readonly string[],
  over: Promise<never>,
): Promise<void> {
  over.catch(() => undefined)
  const words = wordsIn(pairing)
  const name = textOf(pairing['peerName'])
  if (isAccepted(risks)) return out.note(`${name} answers; the words are ${words}`)
  await confirm(terminal, `${name} answers.  Do both screens show   ${words}   ?`, false, FLAG, over)
}
