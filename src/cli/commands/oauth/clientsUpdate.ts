import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { recordOf } from '../../client/answer.js'
import { flag } from '../../framework/option.js'
import { CLIENT_JSON, clientArgument, clientLines, idOf } from './client.js'
import { clientOf, clientOptions } from './fields.js'

/** `coffer oauth clients update`. */
export const update = command({
  path: ['oauth', 'clients', 'update'],
  summary: 'Change what an OAuth client may do',
  description:
    'What is not named stays. --redirect-uri, --scope and --grant-type replace what was there; --cmc-offer adds one offer, changes its address, or takes it away: name=. The id stays for good. A client gets a secret by rotate-secret.',
  arguments: { client: clientArgument },
  options: { ...clientOptions, public: flag('Take secret and keys away') },
  examples: [
    { type: 'coffer oauth clients update heart-lab --redirect-uri https://lab.example/new', says: 'led back elsewhere' },
    { type: 'coffer oauth clients update heart-lab --cmc-offer study=', says: 'may not ask for this offer any more' },
  ],
  json: CLIENT_JSON,
  offline: true,
  async run({ out, connect, terminal }, { client: id, public: isPublic, ...options }) {
    if (isPublic && options.jwks !== undefined) throw usageError('--public and --jwks exclude each other')
    const given = await clientOf(terminal, options)
    const client = isPublic ? { ...given, public: true } : given
    if (Object.keys(client).length === 0) throw usageError('There is nothing to change', 'See: coffer oauth clients update --help')
    const handler = await connect()
    const answer = await handler.call('oauth.clients.update', { clientId: id, client }, {})
    await out.result(answer, {
      id,
      print: () => {
        const changed = recordOf(answer['client'])
        out.done(`Client ${idOf(changed)} changed.`)
        for (const line of clientLines(changed)) out.note(line)
      },
    })
  },
})
