import { processExists } from '../../../store/engine/processExists.js'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { duration } from '../../framework/option.js'

const WAIT_S = 35
const LOOK_EVERY_MS = 50
/** The node only says that it heard. */
const PATIENCE_MS = 10_000

/** `coffer stop`. */
export const stop = command({
  path: ['stop'],
  summary: 'Stop the running node',
  description: 'Lets the node finish open requests, and returns when its process has ended.',
  options: { within: duration('How long to wait for it', { placeholder: 'duration' }) },
  examples: [{ type: 'coffer stop', says: 'stop the node of the default home' }],
  json: '{"event":"stopped","pid"}',
  reach: 'machine',
  offline: false,
  async run({ out, connect }, { within = WAIT_S }) {
    const client = await connect(PATIENCE_MS)
    const { pid } = await client.call('node.stop', {}, {})
    if (typeof pid !== 'number') throw new CommandError('The node did not say which process it is.')
    for (let waited = 0; processExists(pid); waited += LOOK_EVERY_MS) {
      if (waited > within * 1000) {
        throw new CommandError(`The node (process ${pid}) is still finishing requests.`, {
          exit: 8,
          hint: `Wait longer with --within, or end it at once: kill -9 ${pid}. Acknowledged changes are safe.`,
        })
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    await out.result({ event: 'stopped', pid }, { id: String(pid), print: () => out.done('Stopped') })
  },
})
