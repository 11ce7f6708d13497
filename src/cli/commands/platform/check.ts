import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer platform check`. */
export const check = command({
  path: ['platform', 'check'],
  summary: 'Check the index of unique values against the accounts',
  description:
    'Usernames, e-mail addresses and other unique values are stored in an index beside the accounts. Each entry must match the account that uses the value. Exits with 13 if one does not. Accounts without a username are listed by id. coffer store check covers everything else as well.',
  examples: [{ type: 'coffer platform check', description: 'check the index' }],
  json: '{"checks":[{"title","infos","errors"}],"unnamed":["id"]}',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect('unlimited')
    const answer = await client.call('system.checkPlatformIntegrity', {}, {})
    const errors = answer.checks.flatMap(({ errors: messages }) => (Array.isArray(messages) ? messages.map(textOf) : []))
    const unnamed = Array.isArray(answer.unnamed) ? answer.unnamed.map(textOf) : []
    await out.result(answer, {
      print: async () => {
        for (const id of unnamed) await out.line(`Account ${id} has no name`)
        if (unnamed.length > 0) out.note(`Rename it: ${commandFor('users', 'rename', unnamed[0] ?? '', 'new-name')}   Delete it: ${commandFor('users', 'delete', unnamed[0] ?? '')}`)
        for (const error of errors) await out.line(error)
        if (errors.length === 0) return out.done('The index matches the accounts')
        await out.line(`${counted(errors.length, 'entry', 'entries')} without a match`)
        out.note(`Check everything: ${commandFor('store', 'check')}   Repair: ${commandFor('store', 'repair', '--dry-run')}`)
      },
    })
    return errors.length === 0 ? undefined : 13
  },
})
