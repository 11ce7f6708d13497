import { command } from '../../command.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { accountOf, userArgument } from '../../client/user.js'
import { readSecret, willPrompt } from '../../terminal/input/secret.js'
import { flag, inputFile } from '../../framework/option.js'
import { passwordRequirement } from './newAccount.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer users set-password`. */
export const setPassword = command({
  path: ['users', 'set-password'],
  summary: 'Set the password of an account',
  description:
    'For an owner who lost the password. All sessions of the account end; accesses of apps stay. The password rules of the node apply, except the minimum age.\n\nThe password is read from a prompt, stdin or a file; it is never the value of an option.',
  arguments: { username: userArgument },
  options: {
    keepSessions: flag('Keep open sessions'),
    passwordStdin: flag('Read the password from stdin', { stdin: 'always' }),
    passwordFile: inputFile('Read the password from a file'),
  },
  examples: [
    { type: 'coffer users set-password ana-lovelace', description: 'prompt for the new password' },
    { type: 'pwgen -s 24 1 | coffer users set-password ana-lovelace --password-stdin', description: 'for scripts' },
  ],
  json: '{"user":{"username"},"sessionsEnded"}',
  offline: true,
  async run({ out, connect, terminal }, { username: given, keepSessions, passwordStdin, passwordFile }) {
    const client = await connect()
    const { user: username } = await accountOf(client, given)
    // An unknown account is reported before the prompt.
    await client.call('users.show', { username }, {})
    const source = { stdin: passwordStdin, file: passwordFile }
    const set = (password: string): Promise<ResultOf<'users.setPassword'>> => client.call('users.setPassword', { username, password, keepSessions }, {})
    let changed: ResultOf<'users.setPassword'> | undefined
    const password = await readSecret(terminal, {
      ...source,
      prompt: `New password for ${username}`,
      missing: '--password-stdin',
      twice: true,
      ...(willPrompt(terminal, source) ? { requirement: passwordRequirement((await client.call('users.check', {}, {})).password) } : {}),
      accept: async (typed) => {
        changed = await set(typed)
      },
    })
    const answer = changed ?? (await set(password))
    const { sessionsEnded: ended } = answer
    const endedText = ended === 0 ? '' : `; ${counted(ended, 'session')} ended`
    await out.result(answer, { id: username, print: () => out.done(`Password of ${username} set${endedText}`) })
  },
})
