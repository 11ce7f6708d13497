import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { listOf, textOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sso unlink`. */
export const unlink = command({
  path: ['sso', 'unlink'],
  summary: 'Part an account from who its user is at third parties',
  description:
    'Whoever signs in there next is linked anew, if the account has still proved the address that they have there. Sessions that are open stay so: coffer sessions end.',
  arguments: { username: text('The account', { required: true, names: 'user' }) },
  options: { provider: text('Only this third party', { placeholder: 'id' }) },
  examples: [
    { type: 'coffer sso unlink ana-lovelace --provider google', says: 'from one' },
    { type: 'coffer sso unlink ana-lovelace', says: 'from all' },
  ],
  json: '{"identities":[…]}, those that were ended, as in coffer sso list',
  offline: true,
  async run({ out, connect, commandFor }, { username, provider }) {
    const client = await connect()
    const answer = await client.call('sso.unlink', { username, ...(provider === undefined ? {} : { provider }) }, {})
    const ended = listOf(answer['identities'])
    if (ended.length === 0) {
      const where = provider === undefined ? 'no third party' : JSON.stringify(provider)
      throw new CommandError(`${username} is linked to ${provider === undefined ? where : `nobody at ${where}`}.`, { exit: 5, hint: `See them: ${commandFor('sso', 'list')}` })
    }
    await out.result(answer, {
      id: ended.map((identity) => textOf(identity['provider'])).join('\n'),
      print: () => {
        out.done(`${counted(ended.length, 'link')} of ${username} ended`)
        out.note(`Sessions that are open stay so: ${commandFor('sessions', 'list', '--user', username)}`)
      },
    })
  },
})
