import { renderUnicodeCompact } from 'uqr'
import { Failure } from '../../../store/model/failure.js'
import { command, type Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { askLine } from '../../terminal/input/confirm.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { NodeClient, ResultOf } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { printRecoveryCodes, secretToOption } from './recoveryCodes.js'

const MAX_TRIES = 3

/** `coffer mfa enable`. */
export const enable = command({
  path: ['mfa', 'enable'],
  summary: 'Set up a second factor',
  description:
    'Shows a QR code for an authenticator app, prompts for the code that the app shows, and prints ten recovery codes, only once. With --phone, codes are sent by text message if the node supports it. An existing factor is replaced.\n\nWithout a terminal, and with --json, only the first step is done: it returns an MFA token, and coffer mfa confirm does the second step. In between, the pending factor is in the memory of the running node.',
  options: {
    user: userOption,
    phone: text('Send codes by text message to this number, such as +41791234567', { placeholder: 'number' }),
    secretTo: secretToOption,
  },
  examples: [
    { type: 'coffer mfa enable --user ana-lovelace', description: 'use an authenticator app' },
    { type: 'coffer mfa enable --user ana-lovelace --secret-to recovery.txt', description: 'save the recovery codes to a file' },
    { type: 'coffer mfa enable --user ana-lovelace --json', description: 'the first step, for scripts' },
  ],
  json: '{"mfaToken","method","otpauthUri","secret"}, the result of mfa.activate',
  offline: true,
  async run(context, { user: given, phone, secretTo }) {
    const { out, connect, terminal, commandFor } = context
    const client = await connect()
    const { user } = await accountOf(client, given)
    const isInteractive = terminal.mayAsk && !out.json && !out.quiet
    if (!isInteractive && client.kind === 'offline') {
      throw new CommandError('Setting up a second factor in two steps needs a running node.', {
        exit: 7,
        hint: `Start it: ${commandFor('start')}`,
      })
    }
    const activation = await client.call('mfa.activate', phone === undefined ? {} : { method: 'sms', phone }, { user })
    if (isInteractive) {
      printSecret(context, activation)
      await printRecoveryCodes(out, { user, secretTo }, () => promptForCode(context, client, user, activation.mfaToken))
      return
    }
    await out.result(activation, {
      id: activation.mfaToken,
      print: async () => {
        for (const [name, value] of Object.entries(activation)) await out.line(`${name}=${value ?? ''}`)
        out.note(`  Next: ${commandFor('mfa', 'confirm', '<code>', '--user', user, '--token-file', '<file with the mfaToken>')}`)
      },
    })
  },
})

/** Prints the QR code and its secret. */
function printSecret({ out }: Context, activation: Readonly<Record<string, unknown>>): void {
  const uri = textOf(activation['otpauthUri'])
  if (uri === '') return out.note('A code was sent by text message.')
  out.note('Scan this with an authenticator app, or type the secret into it:')
  for (const line of renderUnicodeCompact(uri, { border: 2 }).split('\n')) out.note(`  ${line}`)
  out.note(`  ${textOf(activation['secret'])}`)
}

/** Prompts for the code, and again a few times if it is wrong. */
async function promptForCode(
  { terminal, out }: Context,
  client: NodeClient,
  username: string,
  mfaToken: string,
): Promise<ResultOf<'users.confirmMfa'>> {
  for (let tries = 1; ; tries++) {
    const code = await askLine(terminal, 'Code: ')
    try {
      return await client.call('users.confirmMfa', { username, mfaToken, code: code.trim() }, {})
    } catch (error) {
      const isWrongCode = error instanceof Failure && error.id === 'invalid-parameters-format'
      if (!isWrongCode || tries === MAX_TRIES) throw error
      const isWellFormed = recordOf(error.data)['id'] === 'invalid-mfa-code'
      out.warn(isWellFormed ? 'Wrong code. The app may already show a new one.' : 'A code has 4 to 10 digits.')
    }
  }
}
