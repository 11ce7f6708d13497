import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { accountOf, userArgument } from '../../client/user.js'
import { duration, flag, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'

/** `coffer users relocate`. */
export const relocate = command({
  path: ['users', 'relocate'],
  summary: 'Redirect callers of an account to another server',
  description:
    'Every call to the account is answered with its new URL, for the time set by account.relocationMaxAge or --for; afterwards the account is reported as unknown. Nothing is copied or deleted: move the data first, and delete the account here once clients have switched.\n\nThe username stays reserved until then.',
  arguments: { username: userArgument },
  options: {
    to: text('New URL of the account, without a token', { placeholder: 'address' }),
    for: duration('How long callers are redirected'),
    cancel: flag('Stop redirecting, and serve the account here again'),
  },
  examples: [
    { type: 'coffer users relocate ana-lovelace --to https://new.example.org/ana-lovelace/', description: 'redirect callers' },
    { type: 'coffer users relocate ana-lovelace --cancel', description: 'serve the account here again' },
  ],
  json: '{"user":{"username","relocated":{"url","until"}}}',
  offline: true,
  async run({ out, connect, commandFor }, options) {
    const { to, cancel } = options
    if (cancel === (to !== undefined)) throw usageError('Either --to or --cancel is required', 'See: coffer users relocate --help')
    if (cancel && options.for !== undefined) throw usageError('--for requires --to', 'See: coffer users relocate --help')
    const client = await connect()
    const { user: username } = await accountOf(client, options.username)
    if (to === undefined) {
      const answer = await client.call('users.cancelRelocation', { username }, {})
      return out.result(answer, { id: username, print: () => out.done(`${username} is served here again`) })
    }
    const params = { username, url: to, ...(options.for === undefined ? {} : { seconds: options.for }) }
    const answer = await client.call('users.relocate', params, {})
    const { url, until } = answer.user.relocated
    await out.result(answer, {
      id: username,
      print: () => {
        out.done(`Callers of ${username} are redirected to ${url} until ${when(until)}`)
        out.note(`Undo: ${commandFor('users', 'relocate', username, '--cancel')}`)
      },
    })
  },
})
