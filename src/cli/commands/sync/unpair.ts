import { command } from '../../command.js'
import { confirmByName } from '../../terminal/input/confirm.js'
import { recordOf, textOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { list, text } from '../../framework/option.js'
import { onePeer } from '../../sync/peer.js'

/** `coffer sync unpair`. */
export const unpair = command({
  path: ['sync', 'unpair'],
  summary: 'End a pairing',
  description:
    'Both nodes keep what they have, and exchange nothing any more. The other node is told when it can be reached, else when it calls next. A copy once given cannot be called back: to have it deleted, delete it before you unpair.',
  arguments: { peer: text('Its name or id', { required: true, names: 'peer' }) },
  options: { user: userOption, acceptRisk: list('Say keep-copy to go on without a question', { placeholder: 'risk' }) },
  examples: [
    { type: 'coffer sync unpair phone', says: 'asks you to type the name' },
    { type: 'coffer sync unpair phone --accept-risk=keep-copy', says: 'for scripts' },
  ],
  json: '{"unpaired":{"id","name","notified"}}; notified: whether the other node knows already',
  offline: false,
  async run({ out, connect, terminal }, { peer: word, user, acceptRisk }) {
    const client = await connect()
    const peer = await onePeer(client, word, user)
    const name = textOf(peer['name'])
    const warning = `${name} keeps the copy it has: a copy once given cannot be called back.`
    await confirmByName(terminal, { name, risk: 'keep-copy', warning }, acceptRisk)
    const answer = await client.call('sync.unpair', { username: textOf(peer['user']), peer: textOf(peer['id']) }, {})
    const unpaired = recordOf(answer['unpaired'])
    await out.result(answer, {
      id: textOf(unpaired['id']),
      print: () => {
        out.done(`The pairing with ${name} has ended.`)
        if (unpaired['notified'] !== true) out.note('  It could not be told yet; it learns of it when it calls.')
      },
    })
  },
})
