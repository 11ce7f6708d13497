import { isSecretSetting, isSettingKey, type SettingKey } from '../../../server/config/settings/settings.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { text } from '../../framework/option.js'
import { langOption, typeOption } from './templateOptions.js'

/** `coffer mail test`. */
export const test = command({
  path: ['mail', 'test'],
  summary: 'Send a test mail and show the SMTP conversation',
  description:
    'Sends a template with sample values, even if mails of this kind are turned off, and prints the conversation with the SMTP server without the login. If it fails, prints the likely cause and the setting to change.\n\nSettings are read when the node starts: after a change, run coffer restart, or run the test while the node is stopped.',
  arguments: { address: text('E-mail address to send to', { required: true }) },
  options: { type: typeOption, lang: langOption },
  examples: [
    { type: 'coffer mail test ana@example.org', description: 'send the welcome mail' },
    { type: 'coffer mail test ana@example.org --type reset-password --lang fr', description: 'send a different mail' },
  ],
  json: '{"sent":true,"conversation":[{"by":"node"|"server","line"}]}; when it fails, the error holds conversation and problem {"cause","setting","response"}',
  offline: true,
  async run(context, { address, type = 'welcome-email', lang = 'en' }) {
    const { out, connect } = context
    const client = await connect()
    const answer = await client.call('mail.test', { type, lang, recipient: address }, {})
    const { conversation } = answer
    const writeAll = async (): Promise<void> => {
      for (const { by, line } of conversation) await out.line(`${by === 'node' ? '→' : '←'} ${line}`)
    }
    if (answer.sent) {
      await out.result(answer, {
        id: address,
        print: async () => {
          await writeAll()
          out.done(`The server accepted the mail for ${address}. Delivery now depends on the servers after it`)
        },
      })
      return
    }
    if (!out.json && !out.quiet) await writeAll()
    const { problem = { cause: '' } } = answer
    throw new CommandError(messageOf(problem), {
      exit: 1,
      hint: hintOf(context, problem),
      ...(out.json ? { data: { conversation, problem } } : {}),
    })
  },
})

type Problem = NonNullable<ResultOf<'mail.test'>['problem']>

function messageOf(problem: Problem): string {
  const response = problem.response ?? ''
  return `The mail was not sent. ${problem.cause}${response === '' ? '' : `\nServer response: ${response}`}`
}

/** Sample values that show the form of a setting. */
const examples: Partial<Record<SettingKey, string>> = {
  'services.email.from.address': 'node@example.org',
  'services.email.smtp.auth.user': 'node@example.org',
  'services.email.smtp.host': 'mail.example.org',
  'services.email.smtp.path': '/usr/sbin/sendmail',
  'services.email.smtp.port': '465',
  'services.email.url': 'https://mail.example.org/send',
}

/** Returns the next command: set the most likely cause, or list the settings. */
function hintOf({ commandFor }: Context, problem: Problem): string {
  const setting = problem.setting ?? ''
  if (!isSettingKey(setting)) return `List the settings: ${commandFor('config', 'list')}`
  const value = (problem.value ?? '') || (examples[setting] ?? '')
  const given = isSecretSetting(setting) ? [] : [value]
  return `${commandFor('config', 'set', setting, ...given)}\nThen restart a running node, and test again: ${commandFor('restart')}`
}
