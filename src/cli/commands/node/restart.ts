import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { textOf } from '../../client/answer.js'
import { runningNode } from '../../client/runningNode.js'
import { duration } from '../../framework/option.js'

const WAIT_S = 45
const POLL_MS = 50
/** Time limit in milliseconds for the node to acknowledge the request. */
const ACK_TIMEOUT_MS = 10_000

/** `coffer restart`. */
export const restart = command({
  path: ['restart'],
  summary: 'Restart the running node',
  description:
    'The node finishes open requests, closes its store, and starts again in the same process with the current settings. The command returns ' +
    'when the node answers again. Invalid settings are reported before anything is stopped. Options and variables of its coffer start still apply. To run a ' +
    'different version of coffer, stop and start the node.',
  options: { within: duration('How long to wait for the node', { placeholder: 'duration' }) },
  examples: [{ type: 'coffer restart', description: 'apply settings after coffer config set' }],
  json: '{"event":"restarted","url","pid"}',
  reach: 'machine',
  offline: false,
  async run({ out, connect, paths, env, commandFor }, { within = WAIT_S }) {
    const { loadConfig } = await import('../../../server/config/config.js')
    loadConfig({ file: paths.config, env })
    const client = await connect(ACK_TIMEOUT_MS)
    const before = await client.call('node.restart', {}, {})
    await client.close()
    const until = performance.now() + within * 1000
    while (performance.now() < until) {
      const status = await statusNow(() => runningNode(paths, ACK_TIMEOUT_MS))
      if (status !== undefined && status['opened'] !== before.opened) {
        const { url, pid } = status
        await out.result({ event: 'restarted', url, pid }, { id: textOf(pid), print: () => out.done(`Running again at ${textOf(url)}`) })
        return
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    throw new CommandError('The node is not answering yet.', {
      exit: 8,
      hint: `It may be finishing requests: ${commandFor('status')}\nOr it has exited: ${commandFor('logs', '--lines', '20')}`,
    })
  },
})

/** Returns the status of the node; undefined while it does not answer. */
async function statusNow(open: () => ReturnType<typeof runningNode>): Promise<Record<string, unknown> | undefined> {
  try {
    const client = await open()
    if (client === undefined) return undefined
    try {
      return await client.call('node.status', {}, {})
    } finally {
      await client.close()
    }
  } catch (error) {
    // The connection closes when the node stops.
    if (error instanceof CommandError && error.exit === 7) return undefined
    throw error
  }
}
