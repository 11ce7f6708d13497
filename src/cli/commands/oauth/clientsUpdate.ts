import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { flag } from '../../framework/option.js'
import { CLIENT_JSON, clientArgument, clientLines, idOf } from './client.js'
import type { ParamsOf } from '../../client/nodeClient.js'
import { clientOf, clientOptions } from './fields.js'

/** `coffer oauth clients update`. */
export const update = command({
  path: ['oauth', 'clients', 'update'],
  summary: 'Update an OAuth client',
  description:
    'Fields that are not given stay as they are. --redirect-uri, --scope and --grant-type replace the previous values; --cmc-offer adds an offer, changes its URL, or removes it: name=. The id cannot be changed. To add a secret, use rotate-secret.',
  arguments: { client: clientArgument },
  options: { ...clientOptions, public: flag('Remove the secret and the keys') },
  examples: [
    { type: 'coffer oauth clients update heart-lab --redirect-uri https://lab.example/new', description: 'change the redirect URI' },
    { type: 'coffer oauth clients update heart-lab --cmc-offer study=', description: 'remove an offer' },
  ],
  json: CLIENT_JSON,
  offline: true,
  async run({ out, connect, terminal }, { client: id, public: isPublic, ...options }) {
    if (isPublic && options.jwks !== undefined) throw usageError('--public and --jwks cannot be combined')
    const changes = await clientOf<ParamsOf<'oauth.clients.update'>['client']>(terminal, options)
    const client = isPublic ? { ...changes, public: true as const } : changes
    if (Object.keys(client).length === 0) throw usageError('Nothing to change: no option given', 'See: coffer oauth clients update --help')
    const handler = await connect()
    const answer = await handler.call('oauth.clients.update', { clientId: id, client }, {})
    await out.result(answer, {
      id,
      print: () => {
        const changed = answer.client
        out.done(`Client ${idOf(changed)} updated.`)
        for (const line of clientLines(changed, out.time)) out.note(line)
      },
    })
  },
})
