import { command } from '../../command.js'
import { confirmByName } from '../../terminal/input/confirm.js'
import { numberOf, textOf } from '../../client/answer.js'
import { list } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sync new-identity`. */
export const newIdentity = command({
  path: ['sync', 'new-identity'],
  summary: 'Give this node an identity of its own, and forget its pairings',
  description:
    'A home that was copied has the identity of the original. When both run, paired nodes cannot keep them apart: they serve one and refuse the other, and coffer sync status and coffer doctor say so. Run this in the copy: it gets a new identity key, and its pairings are removed here, and the other nodes, which keep serving the original, are not notified. Accounts and their data stay.\n\n' +
    'Then pair the copy again: coffer sync pair.',
  options: { acceptRisk: list('Say forget-pairings to go on without a question', { placeholder: 'risk' }) },
  examples: [
    { type: 'coffer sync new-identity', says: 'asks first' },
    { type: 'coffer sync new-identity --accept-risk=forget-pairings', says: 'for scripts' },
  ],
  json: '{"node","fingerprint","forgotten"}; forgotten: how many pairings',
  offline: false,
  async run({ out, connect, terminal, commandFor }, { acceptRisk }) {
    const client = await connect()
    const warning = 'All pairings of this node are forgotten; each one has to be made again.'
    await confirmByName(terminal, { name: 'new-identity', risk: 'forget-pairings', warning }, acceptRisk)
    const answer = await client.call('sync.renewIdentity', {}, {})
    await out.result(answer, {
      id: textOf(answer['node']),
      print: () => {
        out.done(`This node has a new identity, ${textOf(answer['fingerprint'])}; ${counted(numberOf(answer['forgotten']) ?? 0, 'pairing')} forgotten.`)
        out.note(`  Pair it: ${commandFor('sync', 'pair')}`)
      },
    })
  },
})
