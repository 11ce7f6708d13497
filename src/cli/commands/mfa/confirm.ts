import { command } from '../../command.js'
import { readSecret } from '../../terminal/input/secret.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, inputFile, text } from '../../framework/option.js'
import { printRecoveryCodes, secretToOption } from './recoveryCodes.js'

/** `coffer mfa confirm`. */
export const confirm = command({
  path: ['mfa', 'confirm'],
  summary: 'Confirm a second factor with its first code',
  description:
    'Completes coffer mfa enable --json and other non-interactive use. Reads the MFA token of the first step from stdin or a file; the code may be an argument, because it is worthless once used. Prints ten recovery codes, only once.',
  arguments: { code: text('Code shown by the app or received by text message', { required: true }) },
  options: {
    user: userOption,
    tokenStdin: flag('Read the MFA token from stdin', { stdin: 'always' }),
    tokenFile: inputFile('Read the MFA token from a file'),
    secretTo: secretToOption,
  },
  examples: [
    { type: 'coffer mfa confirm 123456 --user ana-lovelace --token-file token.txt', description: 'use the token of coffer mfa enable' },
  ],
  json: '{"recoveryCodes":["…"]}, the result of mfa.confirm; {"secretTo"} with --secret-to',
  offline: false,
  async run({ out, connect, terminal }, { code, user: username, tokenStdin, tokenFile, secretTo }) {
    const source = { prompt: 'MFA token', missing: '--token-stdin', stdin: tokenStdin, file: tokenFile }
    const mfaToken = (await readSecret(terminal, source)).trim()
    const client = await connect()
    const { user } = await accountOf(client, username)
    await printRecoveryCodes(out, { user, secretTo }, () =>
      client.call('users.confirmMfa', { username: user, mfaToken, code }, {}),
    )
  },
})
