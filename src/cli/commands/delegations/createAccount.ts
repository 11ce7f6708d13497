import { command } from '../../command.js'
import { readSecret } from '../../terminal/input/secret.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, inputFile, text } from '../../framework/option.js'

/** `coffer delegations create-account`. */
export const createAccount = command({
  path: ['delegations', 'create-account'],
  summary: 'Create an account for someone else, and act for it',
  description:
    'Without a password, login is not possible: only the delegate can use the account. A password is read from stdin or a file, never from an option.',
  arguments: { username: text('5 to 60 lowercase letters, digits and dashes', { required: true }) },
  options: {
    email: text('E-mail address', { placeholder: 'address' }),
    language: text('Two-letter language code', { placeholder: 'code' }),
    core: text('Id or URL of the core for the account; defaults to this one', { placeholder: 'core' }),
    passwordStdin: flag('Read the password from stdin', { stdin: 'always' }),
    passwordFile: inputFile('Read the password from a file'),
    user: userOption,
  },
  examples: [
    { type: 'coffer delegations create-account carla-lovelace --user ana-lovelace', description: 'ana acts for carla' },
    { type: 'pwgen -s 24 1 | coffer delegations create-account carla-lovelace --user ana-lovelace --password-stdin', description: 'with a password' },
  ],
  json: '{"delegation":{"relId","controlled","status","activatedAt"}}, the result of delegations.createAccount',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { username, email, language, core, passwordStdin, passwordFile, user: given }) {
    const source = { prompt: `Password for ${username}`, missing: '--password-stdin', stdin: passwordStdin, file: passwordFile }
    const password = passwordStdin || passwordFile !== undefined ? { password: await readSecret(terminal, source) } : {}
    const client = await connect()
    const { user } = await accountOf(client, given)
    const params = {
      username,
      ...(email === undefined ? {} : { email }),
      ...(language === undefined ? {} : { language }),
      ...(core === undefined ? {} : { core }),
      ...password,
    }
    const answer = await client.call('delegations.createAccount', params, { user })
    await out.result(answer, {
      id: username,
      print: () => {
        out.done(`Account ${username} created; ${user} acts for it`)
        out.note(`  Get a token: ${commandFor('delegations', 'token', username, '--user', user)}`)
      },
    })
  },
})
