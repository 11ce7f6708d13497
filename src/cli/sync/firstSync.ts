/** The first sync of a new pairing, for the person who made it. */
import type { Context } from '../command.js'
import { recordOf, textOf } from '../node/answer.js'
import type { Door } from '../node/door.js'
import type { Interruption } from '../node/interruption.js'
import { showProgress } from './progress.js'

const A_DAY_S = 86_400

/** Shows the first sync until both are in step, or until Ctrl-C. Only where somebody looks. */
export async function watchFirst(
  context: Context,
  door: Door,
  { user: username, peer }: { user: string; peer: string },
  ctrlC: Interruption,
): Promise<void> {
  const { out, terminal } = context
  if (!terminal.errIsTerminal) return
  const progress = showProgress(context, door, username)
  const met = door.call('sync.now', { username, peer, seconds: A_DAY_S }, {})
  const answer = await ctrlC.or(met).finally(() => progress.end())
  if (answer === 'interrupted') return out.note('The sync goes on.')
  const [compared] = Array.isArray(answer['peers']) ? answer['peers'].map(recordOf) : []
  if (compared?.['state'] === 'in-step') out.done('Both nodes are in step.')
  else out.warn(`Not in step yet: ${textOf(compared?.['reason']) || textOf(compared?.['state'])}`)
}
