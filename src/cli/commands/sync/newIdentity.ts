import { command } from '../../command.js'
import { confirmByName, riskOption } from '../../terminal/input/confirm.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sync new-identity`. */
export const newIdentity = command({
  path: ['sync', 'new-identity'],
  summary: 'Create a new identity for this node and remove its pairings',
  description:
    'A copied home has the identity of the original. If both nodes run, peers cannot tell them apart: they serve one and reject the other, and coffer sync status and coffer doctor report it. Run this command in the copy: it creates a new identity key and removes the pairings here. The other nodes keep serving the original and are not notified. Accounts and their data stay.\n\n' +
    'Then pair the copy again: coffer sync pair.',
  options: { acceptRisk: riskOption('forget-pairings') },
  examples: [
    { type: 'coffer sync new-identity', description: 'prompt for confirmation' },
    { type: 'coffer sync new-identity --accept-risk=forget-pairings', description: 'for scripts' },
  ],
  json: '{"node","fingerprint","forgotten"}; forgotten is the number of pairings',
  offline: false,
  async run({ out, connect, terminal, commandFor }, { acceptRisk }) {
    const client = await connect()
    const warning = 'All pairings of this node will be removed; each one has to be set up again.'
    await confirmByName(terminal, { name: 'new-identity', risk: 'forget-pairings', warning }, acceptRisk)
    const answer = await client.call('sync.renewIdentity', {}, {})
    await out.result(answer, {
      id: answer.node,
      print: () => {
        out.done(`This node has a new identity, ${answer.fingerprint}; ${counted(answer.forgotten, 'pairing')} removed.`)
        out.note(`  Pair again: ${commandFor('sync', 'pair')}`)
      },
    })
  },
})
