import { command } from '../../command.js'
import { text } from '../../framework/option.js'

/** `coffer requests refuse`. */
export const refuse = command({
  path: ['requests', 'refuse'],
  summary: 'Refuse the request of an app, and notify it',
  arguments: { key: text('Key of the request, or the start of it', { required: true, names: 'request' }) },
  options: { reason: text('Reason, sent to the app') },
  examples: [
    { type: 'coffer requests refuse k7f2ab', description: 'refuse without a reason' },
    { type: `coffer requests refuse k7f2ab --reason 'ask for less'`, description: 'refuse with a reason' },
  ],
  json: '{"request":{…}}, as in coffer requests list',
  offline: false,
  async run({ out, connect }, { key, reason }) {
    const client = await connect()
    const answer = await client.call('requests.refuse', { key, ...(reason === undefined ? {} : { message: reason }) }, {})
    const { request } = answer
    const id = request.key
    await out.result(answer, { id, print: () => out.done(`Refused the request of ${request.requestingAppId}.`) })
  },
})
