import { command } from '../../command.js'
import { listOf, textOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer platform check`. */
export const check = command({
  path: ['platform', 'check'],
  summary: 'Compare the names that the platform keeps with the accounts that have them',
  description:
    'User names, e-mail addresses and other values that no two accounts may share are kept beside the accounts. Each must be kept for the account that has it, and for no other. Exits 13 when one is not. Accounts whose names were freed are listed by their ids. coffer store check looks at everything else too.',
  examples: [{ type: 'coffer platform check', says: 'whether the names are right' }],
  json: '{"checks":[{"title","infos","errors"}],"unnamed":["id"]}',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect('unlimited')
    const answer = await client.call('system.checkPlatformIntegrity', {}, {})
    const errors = listOf(answer['checks']).flatMap(({ errors: described }) => (Array.isArray(described) ? described.map(textOf) : []))
    const unnamed = Array.isArray(answer['unnamed']) ? answer['unnamed'].map(textOf) : []
    await out.result(answer, {
      print: async () => {
        for (const id of unnamed) await out.line(`Account ${id} has no name`)
        if (unnamed.length > 0) out.note(`Name it: ${commandFor('users', 'rename', unnamed[0] ?? '', 'new-name')}   Delete it: ${commandFor('users', 'delete', unnamed[0] ?? '')}`)
        for (const error of errors) await out.line(error)
        if (errors.length === 0) return out.done('The names are those of the accounts')
        await out.line(`${counted(errors.length, 'name')} in the wrong place`)
        out.note(`Look at all: ${commandFor('store', 'check')}   Mend: ${commandFor('store', 'repair', '--dry-run')}`)
      },
    })
    return errors.length === 0 ? undefined : 13
  },
})
