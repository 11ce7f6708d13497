import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { duration, flag, text } from '../../framework/option.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import { when } from '../../terminal/output/format.js'

/** `coffer users relocate`. */
export const relocate = command({
  path: ['users', 'relocate'],
  summary: 'Tell callers of an account that it has moved',
  description:
    'Every call to the account is answered with its new address, for as long as the setting account.relocationMaxAge or --for says; afterwards as if the account were unknown. Nothing is copied or deleted: move the data first, and delete the account here once nobody asks for it.\n\nThe username stays taken until then.',
  arguments: { username: text('The account', { required: true, names: 'user' }) },
  options: {
    to: text('The new address of the account, without token', { placeholder: 'address' }),
    for: duration('How long callers are told'),
    cancel: flag('The account is here after all'),
  },
  examples: [
    { type: 'coffer users relocate ana-lovelace --to https://new.example.org/ana-lovelace/', says: 'tell callers' },
    { type: 'coffer users relocate ana-lovelace --cancel', says: 'serve the account again' },
  ],
  json: '{"user":{"username","relocated":{"url","until"}}}',
  offline: true,
  async run({ out, connect, commandFor }, options) {
    const { username, to, cancel } = options
    if (cancel === (to !== undefined)) throw usageError('Say either --to or --cancel', 'See: coffer users relocate --help')
    if (cancel && options.for !== undefined) throw usageError('--for goes with --to', 'See: coffer users relocate --help')
    const client = await connect()
    if (cancel) {
      const answer = await client.call('users.cancelRelocation', { username }, {})
      return out.result(answer, { id: username, print: () => out.done(`${username} is served here`) })
    }
    const params = { username, url: to, ...(options.for === undefined ? {} : { seconds: options.for }) }
    const answer = await client.call('users.relocate', params, {})
    const { url, until } = recordOf(recordOf(answer['user'])['relocated'])
    await out.result(answer, {
      id: username,
      print: () => {
        out.done(`Callers of ${username} are told ${textOf(url)} until ${when(numberOf(until) ?? 0)}`)
        out.note(`Take it back: ${commandFor('users', 'relocate', username, '--cancel')}`)
      },
    })
  },
})
