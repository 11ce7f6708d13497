import { command } from '../../command.js'
import type { Context } from '../../command.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { readSecret, willPrompt } from '../../terminal/input/secret.js'
import { flag, inputFile, list, text } from '../../framework/option.js'
import { usageError } from '../../framework/exit.js'
import { promptForAccount, passwordRequirement } from './newAccount.js'

/** `coffer users create`. */
export const create = command({
  path: ['users', 'create'],
  summary: 'Create an account',
  description:
    'Creates an account and prints its API endpoint: a URL that contains an access token, shown only once. Anyone who has it can do everything in the account.\n\nThe password is read from a prompt, stdin or a file; it is never the value of an option. On a terminal, the name and the address are checked before the password is asked for, missing ones are asked for too, and a refused answer can be given again.',
  arguments: { username: text('5 to 60 lowercase letters, digits and dashes') },
  options: {
    email: text('E-mail address', { placeholder: 'address' }),
    language: text('Two-letter language code', { placeholder: 'code' }),
    invitation: text('Invitation token to use; not needed by the operator', { placeholder: 'token' }),
    field: list('Configured account field, as name=value', { placeholder: 'name=value' }),
    passwordStdin: flag('Read the password from stdin', { stdin: 'always' }),
    passwordFile: inputFile('Read the password from a file'),
  },
  examples: [
    { type: 'coffer users create', description: 'prompt for the name, the address and a password' },
    { type: 'coffer users create ana-lovelace --email ana@example.org', description: 'prompt for a password' },
    { type: 'pwgen -s 24 1 | coffer users create ana-lovelace --email ana@example.org --password-stdin', description: 'for scripts' },
  ],
  json: '{"user":{"username","id",…},"apiEndpoint":"http://<token>@…/<username>/"}',
  offline: true,
  async run(context, options) {
    const { out, connect, terminal } = context
    const { language, invitation } = options
    const more = {
      ...fieldsOf(options.field),
      ...(language === undefined ? {} : { language }),
      ...(invitation === undefined ? {} : { invitationToken: invitation }),
    }
    const source = { stdin: options.passwordStdin, file: options.passwordFile, missing: '--password-stdin' }
    const isAsked = willPrompt(terminal, source)
    if (options.username === undefined && !isAsked) throw usageError('<username> is missing', 'For example: coffer users create ana-lovelace --email ana@example.org\nSee: coffer users create --help')
    // Without prompts, nothing is opened before the password is read.
    const typed = isAsked ? undefined : await readSecret(terminal, { ...source, prompt: `Password for ${options.username}`, twice: true })
    const client = await connect()
    const account: Readonly<Record<string, string>> = isAsked ? await promptForAccount(terminal, client, { ...given(options), ...more }) : { ...given(options), ...more }
    const password = typed ?? (await promptForPassword(context, client, account))
    const answer = await client.call('users.create', { ...account, username: account['username'] ?? '', password }, {})
    const { username } = answer.user
    await out.result(answer, {
      id: username,
      print: async () => {
        out.done(`Account ${username} created. The line below contains its token and is shown only once:`)
        await out.line(answer.apiEndpoint)
      },
    })
  },
})

const given = ({ username, email }: { username: string | undefined; email: string | undefined }): Record<string, string> => ({
  ...(username === undefined ? {} : { username }),
  ...(email === undefined ? {} : { email }),
})

async function promptForPassword({ terminal }: Context, client: NodeClient, account: Readonly<Record<string, string>>): Promise<string> {
  const { password: rules } = await client.call('users.check', { account }, {})
  return readSecret(terminal, {
    prompt: `Password for ${account['username'] ?? ''}`,
    missing: '--password-stdin',
    twice: true,
    requirement: passwordRequirement(rules),
    accept: async (password) => void (await client.call('users.check', { account: { ...account, password } }, {})),
  })
}

function fieldsOf(pairs: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageError(`--field takes name=value, not ${JSON.stringify(pair)}`)
    fields[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return fields
}
