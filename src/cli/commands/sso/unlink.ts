import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { accountOf, userArgument } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sso unlink`. */
export const unlink = command({
  path: ['sso', 'unlink'],
  summary: 'Unlink an account from identity providers',
  description:
    'The next login through the provider links it again if the e-mail address there is still a verified address of the account. Open sessions stay; end them with coffer sessions end.',
  arguments: { username: userArgument },
  options: { provider: text('Only this provider', { placeholder: 'id' }) },
  examples: [
    { type: 'coffer sso unlink ana-lovelace --provider google', description: 'unlink from one provider' },
    { type: 'coffer sso unlink ana-lovelace', description: 'unlink from all providers' },
  ],
  json: '{"identities":[…]}, the links that were removed, as in coffer sso list',
  offline: true,
  async run({ out, connect, commandFor }, { username: given, provider }) {
    const client = await connect()
    const { user: username } = await accountOf(client, given)
    const answer = await client.call('sso.unlink', { username, ...(provider === undefined ? {} : { provider }) }, {})
    const ended = answer.identities
    if (ended.length === 0) {
      const where = provider === undefined ? 'no provider' : JSON.stringify(provider)
      throw new CommandError(`${username} is linked to ${provider === undefined ? where : `no identity at ${where}`}.`, { exit: 5, hint: `List links: ${commandFor('sso', 'list')}` })
    }
    await out.result(answer, {
      id: ended.map((identity) => identity.provider).join('\n'),
      print: () => {
        out.done(`${counted(ended.length, 'link')} of ${username} removed`)
        out.note(`Open sessions stay. List them: ${commandFor('sessions', 'list', '--user', username)}`)
      },
    })
  },
})
