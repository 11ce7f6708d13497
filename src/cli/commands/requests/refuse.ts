import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'

/** `coffer requests refuse`. */
export const refuse = command({
  path: ['requests', 'refuse'],
  summary: 'Refuse an app what it asks for, and tell it so',
  arguments: { key: text('Its key, or the beginning of it', { required: true }) },
  options: { reason: text('What the app is told') },
  examples: [
    { type: 'coffer requests refuse k7f2ab', says: 'without a word' },
    { type: `coffer requests refuse k7f2ab --reason 'ask for less'`, says: 'with one' },
  ],
  json: '{"request":{…}}, as in coffer requests list',
  offline: false,
  async run({ out, connect }, { key, reason }) {
    const client = await connect()
    const answer = await client.call('requests.refuse', { key, ...(reason === undefined ? {} : { message: reason }) }, {})
    const request = recordOf(answer['request'])
    const id = textOf(request['key'])
    await out.result(answer, { id, print: () => out.done(`${textOf(request['requestingAppId'])} was refused.`) })
  },
})
