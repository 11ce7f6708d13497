import { command } from '../../command.js'
import { readSecret } from '../../terminal/input/secret.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'

/** `coffer delegations create-account`. */
export const createAccount = command({
  path: ['delegations', 'create-account'],
  summary: 'Make an account for somebody, and act for it',
  description:
    'Without a password nobody signs in to the account: it is reached through its delegate alone. A password is read from stdin or a file; it is never the value of an option.',
  arguments: { username: text('5 to 60 small letters, digits and dashes', { required: true }) },
  options: {
    email: text('E-mail address', { placeholder: 'address' }),
    language: text('Two-letter code of the language', { placeholder: 'code' }),
    core: text('Id or address of the core to make it on; this one without', { placeholder: 'core' }),
    passwordStdin: flag('Read a password from stdin'),
    passwordFile: text('Read a password from a file', { placeholder: 'file', completes: 'file' }),
    user: userOption,
  },
  examples: [
    { type: 'coffer delegations create-account carla-lovelace --user ana-lovelace', says: 'ana acts for carla' },
    { type: 'pwgen -s 24 1 | coffer delegations create-account carla-lovelace --user ana-lovelace --password-stdin', says: 'with a password' },
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
        out.done(`Account ${username} made; ${user} acts for it`)
        out.note(`  Get the key: ${commandFor('delegations', 'token', username, '--user', user)}`)
      },
    })
  },
})
