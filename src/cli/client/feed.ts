/** What a running node tells while it goes on, for commands that follow it until Ctrl-C. */
import { CommandError } from '../framework/exit.js'
import type { ExitCode } from '../framework/exit.js'
import type { Output } from '../terminal/output/out.js'
import { recordOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { Authority, NodeClient } from './nodeClient.js'
import { interruption } from './interruption.js'

/** The lines of a feed of the node. @throws CommandError 7 when the door is that of a closed store. */
export function feedOf(client: NodeClient, method: string, as: Authority): AsyncIterator<unknown> {
  const lines = client.lines?.(method, {}, as)[Symbol.asyncIterator]()
  if (lines === undefined) throw new CommandError('Only a running node can be followed.', { exit: 7 })
  return lines
}

/** The node that was followed has ended. */
export const nodeStopped = (): CommandError =>
  new CommandError('The node has stopped.', { exit: 7, hint: ['See', 'status'] })

/**
 * Hands over what a node tells, one at a time, until `each` answers `enough`, or until Ctrl-C: then it answers 130.
 * @throws CommandError 7 when the node ends.
 */
export async function followFeed(
  { client, out, as }: { client: NodeClient; out: Output; as: Authority },
  method: string,
  each: (described: Record_) => Promise<'enough' | void>,
): Promise<ExitCode | void> {
  const lines = feedOf(client, method, as)
  const ctrlC = interruption()
  out.note('Following; stop with Ctrl-C')
  for (;;) {
    const line = await ctrlC.or(lines.next())
    if (line === 'interrupted') return 130
    if (line.done === true) throw nodeStopped()
    const done = await ctrlC.or(each(recordOf(line.value)))
    if (done === 'interrupted') return 130
    if (done === 'enough') return undefined
  }
}
