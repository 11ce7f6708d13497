import { command } from '../../command.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer cores ack`. */
export const ack = command({
  path: ['cores', 'ack'],
  summary: 'Repeat the acknowledgement of this core',
  description:
    'coffer cores join acknowledges itself. Run this command on the new core if that failed, for example because the platform could not be reached. Until then, the core gets no new accounts.\n\n' +
    'If the platform answers that the token was used already, the earlier acknowledgement arrived: coffer cores show prints the state of the core.',
  examples: [{ type: 'coffer cores ack', description: 'send the acknowledgement again' }],
  json: '{"core","cores":["id"]}; cores are those of the platform',
  reach: 'machine',
  offline: true,
  async run({ out, connect }) {
    const client = await connect()
    const answer = await client.call('cores.ack', {}, {})
    await out.result(answer, { id: answer.core, print: () => out.done(`${answer.core} is in service, on a platform of ${counted(answer.cores.length, 'core')}.`) })
  },
})
