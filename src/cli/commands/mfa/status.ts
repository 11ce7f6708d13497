import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { factorWord } from '../../terminal/output/format.js'

/** `coffer mfa status`. */
export const status = command({
  path: ['mfa', 'status'],
  summary: 'Show the second factor of an account',
  options: { user: userOption },
  examples: [{ type: 'coffer mfa status --user ana-lovelace', description: 'show the factor and since when it is active' }],
  json: '{"username","mfa":{"method","content","totp"} or null,"methods":[methods that the node offers]}',
  offline: true,
  async run({ out, connect, commandFor }, { user: username }) {
    const client = await connect()
    const { user } = await accountOf(client, username)
    const answer = await client.call('users.mfa', { username: user }, {})
    const { mfa, methods } = answer
    await out.result(answer, {
      id: factorWord(mfa?.method),
      print: async () => {
        await out.line(`Second factor  ${factorWord(mfa?.method)}`)
        const since = mfa?.totp?.confirmedAt
        const phone = mfa?.content['phone']
        if (since !== undefined) await out.line(`Since          ${out.time(since / 1000)}`)
        if (phone !== undefined && phone !== '') await out.line(`Phone          ${phone}`)
        if (mfa !== null && !methods.includes(mfa.method)) out.warn('This node no longer offers this method.')
        if (mfa === null && methods.length > 0) out.note(`Set one up: ${commandFor('mfa', 'enable', '--user', user)}`)
      },
    })
  },
})
