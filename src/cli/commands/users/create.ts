import { command } from '../../command.js'
import { readSecret } from '../../terminal/input/secret.js'
import { flag, list, text } from '../../framework/option.js'
import { usageError } from '../../framework/exit.js'

/** `coffer users create`. */
export const create = command({
  path: ['users', 'create'],
  summary: 'Create an account',
  description:
    'Creates an account and prints its API endpoint: a URL that contains an access token, shown only once. Anyone who has it can do everything in the account.\n\nThe password is read from a prompt, stdin or a file; it is never the value of an option.',
  arguments: { username: text('5 to 60 lowercase letters, digits and dashes', { required: true }) },
  options: {
    email: text('E-mail address', { placeholder: 'address' }),
    language: text('Two-letter language code', { placeholder: 'code' }),
    invitation: text('Invitation token to use; not needed by the operator', { placeholder: 'token' }),
    field: list('Configured account field, as name=value', { placeholder: 'name=value' }),
    passwordStdin: flag('Read the password from stdin'),
    passwordFile: text('Read the password from a file', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer users create ana-lovelace --email ana@example.org', description: 'prompt for a password' },
    { type: 'pwgen -s 24 1 | coffer users create ana-lovelace --email ana@example.org --password-stdin', description: 'for scripts' },
  ],
  json: '{"user":{"username","id",…},"apiEndpoint":"http://<token>@…/<username>/"}',
  offline: true,
  async run({ out, connect, terminal }, options) {
    const password = await readSecret(terminal, {
      prompt: `Password for ${options.username}`,
      missing: '--password-stdin',
      stdin: options.passwordStdin,
      file: options.passwordFile,
      twice: true,
    })
    const { username, email, language, invitation } = options
    const params = {
      ...{ username, password, ...fieldsOf(options.field) },
      ...(email === undefined ? {} : { email }),
      ...(language === undefined ? {} : { language }),
      ...(invitation === undefined ? {} : { invitationToken: invitation }),
    }
    const client = await connect()
    const answer = await client.call('users.create', params, {})
    await out.result(answer, {
      id: options.username,
      print: async () => {
        out.done(`Account ${options.username} created. The line below contains its token and is shown only once:`)
        await out.line(answer.apiEndpoint)
      },
    })
  },
})

function fieldsOf(pairs: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageError(`--field takes name=value, not ${JSON.stringify(pair)}`)
    fields[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return fields
}
