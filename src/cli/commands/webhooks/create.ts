import { isWebAddress } from '../../../store/model/webAddress.js'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readObject } from '../../terminal/input/jsonObject.js'
import { authorityOf } from '../../client/access.js'
import { userOption } from '../../client/user.js'
import { list, text } from '../../framework/option.js'
import { messagesOf, printableAddress } from './webhook.js'

/** Name of the scope made from --stream and --type: the message that is sent without scopes. */
const DEFAULT_MESSAGE = 'eventsChanged'

/** `coffer webhooks create`. */
export const create = command({
  path: ['webhooks', 'create'],
  summary: 'Create a webhook that notifies a URL when data changes',
  description:
    'The node sends a POST to the URL after changes: {"messages":["eventsChanged"],"meta":{…}}, without content or credentials; the receiver fetches the data it needs. A webhook belongs to an app or shared access, and ends with it.\n\nBy default every change is reported: eventsChanged, streamsChanged, accessesChanged. --stream and --type limit this to eventsChanged for matching events; a --scope has a name of your own, which is sent instead.',
  arguments: { url: text('URL to notify, http or https', { required: true }) },
  options: {
    access: text('Access that it belongs to, by id or name', { placeholder: 'access', names: 'access', required: true }),
    stream: list('Only events of this stream and those below it', { placeholder: 'id', names: 'stream' }),
    type: list('Only events of this type', { placeholder: 'class/format' }),
    scope: list('Custom scope with the message to send: key={"kind":"events","query":{…}}', { placeholder: 'key=json' }),
    user: userOption,
  },
  examples: [
    { type: `coffer webhooks create https://lab.example.org/changes --access 'Dr Weber'`, description: 'every change' },
    {
      type: `coffer webhooks create https://lab.example.org/changes --access 'Dr Weber' --stream heart --type frequency/bpm`,
      description: 'only heart rates',
    },
    {
      type: `coffer webhooks create https://lab.example.org/changes --access 'Dr Weber' --scope 'tree={"kind":"streams","query":{"streams":["heart"]}}'`,
      description: 'the streams below heart, reported as "tree"',
    },
  ],
  json: '{"webhook":{…}}, the result of webhooks.create',
  offline: true,
  async run({ out, connect, commandFor }, { url, access, stream, type, scope, user }) {
    if (!isWebAddress(url)) {
      throw usageError(`<url> takes a URL that starts with http:// or https://, not ${JSON.stringify(url)}`)
    }
    const scopes = scopesOf(stream, type, scope)
    const client = await connect()
    const as = await authorityOf(client, { user, access })
    const answer = await client.call('webhooks.create', { url, ...(scopes.size === 0 ? {} : { scopes: Object.fromEntries(scopes) }) }, as)
    const { webhook } = answer
    const { id } = webhook
    await out.result(answer, {
      id,
      print: async () => {
        out.note(`${printableAddress(url)} will receive: ${messagesOf(webhook).join(', ')}`)
        out.done('Webhook created. Its id:')
        await out.line(id)
        out.note(`  Test it: ${commandFor('webhooks', 'test', id)}`)
        out.note(`  Follow its calls: ${commandFor('webhooks', 'listen')}`)
      },
    })
  },
})

/** Returns the scopes by message name. @throws CommandError 2 for an invalid scope */
function scopesOf(streams: readonly string[], types: readonly string[], given: readonly string[]): Map<string, unknown> {
  const scopes = new Map<string, unknown>()
  if (streams.length > 0 || types.length > 0) {
    const query = { ...(streams.length === 0 ? {} : { streams }), ...(types.length === 0 ? {} : { types }) }
    scopes.set(DEFAULT_MESSAGE, { kind: 'events', query })
  }
  for (const word of given) {
    const equals = word.indexOf('=')
    if (equals < 1) throw usageError(`--scope takes a name and JSON, such as heart={"query":{"streams":["heart"]}}, not ${JSON.stringify(word)}`)
    const key = word.slice(0, equals)
    if (scopes.has(key)) throw usageError(`There are two scopes named ${key}`)
    scopes.set(key, readObject(`--scope ${key}=`, word.slice(equals + 1)))
  }
  return scopes
}
