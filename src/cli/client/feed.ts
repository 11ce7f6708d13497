/** Follows the messages of a running node, for commands that run until Ctrl-C. */
import { CommandError } from '../framework/exit.js'
import type { ExitCode } from '../framework/exit.js'
import type { Output } from '../terminal/output/out.js'
import { recordOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { Authority, NodeClient } from './nodeClient.js'
import { interruption } from './interruption.js'

/**
 * Opens a message feed of the node.
 * @throws CommandError 7 for a closed store
 */
export function feedOf(client: NodeClient, method: string, as: Authority): AsyncIterator<unknown> {
  const lines = client.lines?.(method, {}, as)[Symbol.asyncIterator]()
  if (lines === undefined) throw new CommandError('Only a running node can be followed.', { exit: 7 })
  return lines
}

/** Creates the error for a followed node that has stopped. */
export const nodeStopped = (): CommandError =>
  new CommandError('The node has stopped.', { exit: 7, hint: ['See', 'status'] })

/**
 * Passes messages to `each`, one at a time, until it returns `enough`, or until Ctrl-C: then returns 130.
 * @throws CommandError 7 when the node stops
 */
export async function followFeed(
  { client, out, as }: { client: NodeClient; out: Output; as: Authority },
  method: string,
  each: (message: Record_) => Promise<'enough' | void>,
): Promise<ExitCode | void> {
  const lines = feedOf(client, method, as)
  const ctrlC = interruption()
  out.note('Following; press Ctrl-C to stop')
  for (;;) {
    const line = await ctrlC.or(lines.next())
    if (line === 'interrupted') return 130
    if (line.done === true) throw nodeStopped()
    const done = await ctrlC.or(each(recordOf(line.value)))
    if (done === 'interrupted') return 130
    if (done === 'enough') return undefined
  }
}
