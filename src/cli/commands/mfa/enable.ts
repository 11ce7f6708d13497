import { renderUnicodeCompact } from 'uqr'
import { Failure } from '../../../store/model/failure.js'
import { command, type Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { askLine } from '../../terminal/input/confirm.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { handOutCodes, secretToOption } from './recoveryCodes.js'

const MAX_TRIES = 3

/** `coffer mfa enable`. */
export const enable = command({
  path: ['mfa', 'enable'],
  summary: 'Set up a second factor',
  description:
    'Shows a QR code for an authenticator app, asks for the code that the app then shows, and prints ten recovery codes, once. With --phone codes come by text message, where the node offers that. A factor that there is already is replaced by the new one.\n\nWhere nobody can be asked, and under --json, the first step alone is done: it answers an MFA token, with which coffer mfa confirm does the second. Between the two, what waits is in the memory of the running node.',
  options: {
    user: userOption,
    phone: text('Codes by text message to this number, such as +41791234567', { placeholder: 'number' }),
    secretTo: secretToOption,
  },
  examples: [
    { type: 'coffer mfa enable --user ana-lovelace', says: 'with an authenticator app' },
    { type: 'coffer mfa enable --user ana-lovelace --secret-to recovery.txt', says: 'keeps the recovery codes in a file' },
    { type: 'coffer mfa enable --user ana-lovelace --json', says: 'the first step, for scripts' },
  ],
  json: '{"mfaToken","method","otpauthUri","secret"}, the result of mfa.activate',
  offline: true,
  async run(context, { user: given, phone, secretTo }) {
    const { out, connect, terminal, commandFor } = context
    const client = await connect()
    const { user } = await accountOf(client, given)
    const isAsked = terminal.mayAsk && !out.json && !out.quiet
    if (!isAsked && client.kind === 'offline') {
      throw new CommandError('A second factor that waits for its code is in the memory of a running node.', {
        exit: 7,
        hint: `Start it: ${commandFor('start')}`,
      })
    }
    const opened = await client.call('mfa.activate', phone === undefined ? {} : { method: 'sms', phone }, { user })
    if (isAsked) {
      showTo(context, opened)
      await handOutCodes(out, { user, secretTo }, () => confirmedBy(context, client, user, textOf(opened['mfaToken'])))
      return
    }
    await out.result(opened, {
      id: textOf(opened['mfaToken']),
      print: async () => {
        for (const [name, value] of Object.entries(opened)) await out.line(`${name}=${textOf(value)}`)
        out.note(`  Next: ${commandFor('mfa', 'confirm', '<code>', '--user', user, '--token-file', '<file with the mfaToken>')}`)
      },
    })
  },
})

/** The QR code and what it says, for the person. */
function showTo({ out }: Context, opened: Readonly<Record<string, unknown>>): void {
  const uri = textOf(opened['otpauthUri'])
  if (uri === '') return out.note('A code is on its way by text message.')
  out.note('Scan this with an authenticator app, or type the secret into it:')
  for (const line of renderUnicodeCompact(uri, { border: 2 }).split('\n')) out.note(`  ${line}`)
  out.note(`  ${textOf(opened['secret'])}`)
}

/** Asks for the code until it is right, a few times. */
async function confirmedBy(
  { terminal, out }: Context,
  client: NodeClient,
  username: string,
  mfaToken: string,
): Promise<Record<string, unknown>> {
  for (let tries = 1; ; tries++) {
    const code = await askLine(terminal, 'Code: ')
    try {
      return await client.call('users.confirmMfa', { username, mfaToken, code: code.trim() }, {})
    } catch (error) {
      const isWrongCode = error instanceof Failure && error.id === 'invalid-parameters-format'
      if (!isWrongCode || tries === MAX_TRIES) throw error
      const isUsed = recordOf(error.data)['id'] === 'invalid-mfa-code'
      out.warn(isUsed ? 'That is not the code; the next one may be shown by now.' : 'A code is 4 to 10 digits.')
    }
  }
}
