import { command } from '../../command.js'
import { text, whole } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { openNote } from './list.js'

/** `coffer invitations create`. */
export const create = command({
  path: ['invitations', 'create'],
  summary: 'Create invitation tokens for registration',
  description:
    'Prints the tokens, one per line. They are shown only once, because the node stores only their hashes. Each token is valid for one account.',
  options: {
    count: whole('Number of tokens', { from: 1, to: 1000 }),
    message: text('A note for yourself, such as the name of the guest', { short: 'm' }),
  },
  examples: [
    { type: "coffer invitations create -m 'for Ana'", description: 'create one' },
    { type: 'coffer invitations create --count 20 -q > tokens.txt', description: 'create twenty, printing only the tokens' },
  ],
  json: '{"invitations":[{"token","id","createdAt","createdBy","description"}],"required"}',
  offline: true,
  async run({ out, connect, commandFor }, { count = 1, message = '' }) {
    const client = await connect()
    const answer = await client.call('invitations.create', { count, message }, {})
    const tokens = answer.invitations.map(({ token }) => token)
    await out.result(answer, {
      id: tokens.join('\n'),
      print: async () => {
        out.done(`${counted(tokens.length, 'invitation')} created, shown only once:`)
        for (const token of tokens) await out.line(token)
        if (!answer.required) out.note(openNote(commandFor))
      },
    })
  },
})
