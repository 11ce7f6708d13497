import { command } from '../../command.js'
import { confirmByName, riskOption } from '../../terminal/input/confirm.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { onePeer } from './shared/peer.js'

/** `coffer sync unpair`. */
export const unpair = command({
  path: ['sync', 'unpair'],
  summary: 'End a pairing',
  description:
    'Both nodes keep their data and stop syncing. The other node is notified immediately if it is reachable, otherwise when it connects next. A copy once given cannot be recalled: to have data deleted there, delete it before you unpair.',
  arguments: { peer: text('Name or id of the peer', { required: true, names: 'peer' }) },
  options: { user: userOption, acceptRisk: riskOption('keep-copy') },
  examples: [
    { type: 'coffer sync unpair phone', description: 'confirm by typing the name' },
    { type: 'coffer sync unpair phone --accept-risk=keep-copy', description: 'for scripts' },
  ],
  json: '{"unpaired":{"id","name","notified"}}; notified is true if the other node was notified',
  offline: false,
  async run({ out, connect, terminal }, { peer: word, user, acceptRisk }) {
    const client = await connect()
    const peer = await onePeer(client, word, user)
    const { name } = peer
    const warning = `${name} keeps its copy: a copy once given cannot be recalled.`
    await confirmByName(terminal, { name, risk: 'keep-copy', warning }, acceptRisk)
    const answer = await client.call('sync.unpair', { username: peer.user, peer: peer.id }, {})
    const { unpaired } = answer
    await out.result(answer, {
      id: unpaired.id,
      print: () => {
        out.done(`Unpaired from ${name}.`)
        if (!unpaired.notified) out.note('  The peer could not be notified yet; it will be when it connects next.')
      },
    })
  },
})
