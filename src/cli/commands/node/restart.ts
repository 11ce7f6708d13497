import { loadConfig } from '../../../server/config/config.js'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { textOf } from '../../client/answer.js'
import { runningNode } from '../../client/connect.js'
import { duration } from '../../framework/option.js'

const WAIT_S = 45
const LOOK_EVERY_MS = 50
/** The node only says that it heard. */
const PATIENCE_MS = 10_000

/** `coffer restart`. */
export const restart = command({
  path: ['restart'],
  summary: 'Close the running node and open it again',
  description:
    'The node finishes open requests, closes its store, and is opened again by the same process, with the settings as they are now; returns ' +
    'when it answers. A mistake in the settings is told before anything is stopped. Flags and variables of its coffer start stay. For another ' +
    'version of coffer, stop and start it.',
  options: { within: duration('How long to wait for it', { placeholder: 'duration' }) },
  examples: [{ type: 'coffer restart', says: 'after coffer config set, say' }],
  json: '{"event":"restarted","url","pid"}',
  reach: 'machine',
  offline: false,
  async run({ out, connect, paths, env, commandFor }, { within = WAIT_S }) {
    loadConfig({ file: paths.config, env })
    const client = await connect(PATIENCE_MS)
    const before = await client.call('node.restart', {}, {})
    await client.close()
    const until = performance.now() + within * 1000
    while (performance.now() < until) {
      const status = await statusNow(() => runningNode(paths, PATIENCE_MS))
      if (status !== undefined && status['opened'] !== before['opened']) {
        const { url, pid } = status
        await out.result({ event: 'restarted', url, pid }, { id: textOf(pid), print: () => out.done(`Open again at ${textOf(url)}`) })
        return
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    throw new CommandError('The node does not answer again yet.', {
      exit: 8,
      hint: `It may be finishing requests: ${commandFor('status')}\nOr it has ended: ${commandFor('logs', '--lines', '20')}`,
    })
  },
})

/** What the node says of itself; undefined while it does not answer. */
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
    // Its end cuts the connection.
    if (error instanceof CommandError && error.exit === 7) return undefined
    throw error
  }
}
