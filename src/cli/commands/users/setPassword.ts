import { command } from '../../command.js'
import { readSecret } from '../../terminal/input/secret.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer users set-password`. */
export const setPassword = command({
  path: ['users', 'set-password'],
  summary: 'Set the password of an account',
  description:
    'For an owner who lost the password. All sessions of the account end; accesses of apps stay. The password rules of the node apply, except the minimum age.\n\nThe password is read from a prompt, stdin or a file; it is never the value of an option.',
  arguments: { username: text('Username of the account', { required: true, names: 'user' }) },
  options: {
    keepSessions: flag('Keep open sessions'),
    passwordStdin: flag('Read the password from stdin'),
    passwordFile: text('Read the password from a file', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer users set-password ana-lovelace', description: 'prompt for the new password' },
    { type: 'pwgen -s 24 1 | coffer users set-password ana-lovelace --password-stdin', description: 'for scripts' },
  ],
  json: '{"user":{"username"},"sessionsEnded"}',
  offline: true,
  async run({ out, connect, terminal }, { username, keepSessions, passwordStdin, passwordFile }) {
    const client = await connect()
    // An unknown account is reported before the prompt.
    await client.call('users.show', { username }, {})
    const password = await readSecret(terminal, {
      prompt: `New password for ${username}`,
      missing: '--password-stdin',
      stdin: passwordStdin,
      file: passwordFile,
      twice: true,
    })
    const answer = await client.call('users.setPassword', { username, password, keepSessions }, {})
    const { sessionsEnded: ended } = answer
    const endedText = ended === 0 ? '' : `; ${counted(ended, 'session')} ended`
    await out.result(answer, { id: username, print: () => out.done(`Password of ${username} set${endedText}`) })
  },
})
