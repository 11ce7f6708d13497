import { processExists } from '../../../store/engine/lock.js'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { duration } from '../../framework/option.js'

const WAIT_S = 35
const POLL_MS = 50
/** Time limit in milliseconds for the node to acknowledge the request. */
const ACK_TIMEOUT_MS = 10_000

/** `coffer stop`. */
export const stop = command({
  path: ['stop'],
  summary: 'Stop the running node',
  description: 'Waits until the node has finished open requests and its process has exited.',
  options: { within: duration('How long to wait for the node', { placeholder: 'duration' }) },
  examples: [{ type: 'coffer stop', description: 'stop the node of the default home' }],
  json: '{"event":"stopped","pid"}',
  reach: 'machine',
  offline: false,
  async run({ out, connect }, { within = WAIT_S }) {
    const client = await connect(ACK_TIMEOUT_MS)
    const { pid } = await client.call('node.stop', {}, {})
    if (typeof pid !== 'number') throw new CommandError('The node did not report its process id.')
    for (let waited = 0; processExists(pid); waited += POLL_MS) {
      if (waited > within * 1000) {
        throw new CommandError(`The node (process ${pid}) is still finishing requests.`, {
          exit: 8,
          hint: `Wait longer with --within, or kill it: kill -9 ${pid}. Acknowledged changes are safe.`,
        })
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    await out.result({ event: 'stopped', pid }, { id: String(pid), print: () => out.done('Stopped') })
  },
})
