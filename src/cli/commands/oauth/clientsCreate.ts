import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'
import { CLIENT_JSON, clientLines, printSecretOnce, idOf, secretToOption } from './client.js'
import { clientOf, clientOptions, type ClientInput } from './fields.js'

/** `coffer oauth clients create`. */
export const create = command({
  path: ['oauth', 'clients', 'create'],
  summary: 'Register an OAuth client',
  description:
    'The id is --client-id, else the name of its app account, else derived from --name. Without --confidential and --jwks the client is public: it authenticates only with PKCE, like apps on phones and in browsers.\n\nThe secret of --confidential is printed only once, or written to --secret-to; the node stores only a hash. An offer is the capabilityUrl of an open link of the app account, and adds the scope cmc:<name>.',
  options: {
    clientId: text('Client id, 4 to 64 characters of A-Z a-z 0-9 . ~ -', { placeholder: 'id' }),
    ...clientOptions,
    public: flag('Public client without a secret; the default'),
    confidential: flag('Confidential client with a secret'),
    secretTo: secretToOption,
  },
  examples: [
    { type: "coffer oauth clients create --name 'Heart Lab' --redirect-uri https://lab.example/cb", description: 'register an app' },
    {
      type: "coffer oauth clients create --name 'Heart Lab' --redirect-uri https://lab.example/cb --confidential --secret-to ./secret",
      description: 'register a server, with its secret in a file',
    },
    {
      type: 'coffer oauth clients create --user heart-lab --redirect-uri https://lab.example/cb --cmc-offer study=https://token@lab.example/heart-lab/',
      description: 'register a client with an offer of its account',
    },
  ],
  json: `${CLIENT_JSON.slice(0, -1)},"client_secret"}; "secretTo" in place of the secret with --secret-to`,
  offline: true,
  async run({ out, connect, terminal, commandFor }, options) {
    const { clientId, confidential, secretTo } = options
    if (options.public && confidential) throw usageError('--public and --confidential cannot be combined')
    if (options.public && options.jwks !== undefined) throw usageError('--public and --jwks cannot be combined')
    if (secretTo !== undefined && !confidential) throw usageError('--secret-to requires --confidential')
    const fields = await clientOf<ClientInput>(terminal, options)
    const { redirectUris } = fields
    if (redirectUris === undefined) throw usageError('--redirect-uri <uri> is missing', 'For example: --redirect-uri https://lab.example/cb\nSee: coffer oauth clients create --help')
    const client = { ...fields, redirectUris, ...(clientId === undefined ? {} : { clientId }) }
    if (client.clientId === undefined && client.clientName === undefined && client.username === undefined) {
      throw usageError('--name <name>, --client-id or --user is required', 'For example: --name "Heart Lab"\nSee: coffer oauth clients create --help')
    }
    const handler = await connect()
    await printSecretOnce(out, terminal, {
      secretTo,
      ask: () => handler.call('oauth.clients.create', { client: confidential ? { ...client, confidential } : client }, {}),
      print(created) {
        out.done(`Client ${idOf(created)} registered. PKCE with S256 is required.`)
        for (const line of clientLines(created, out.time)) out.note(line)
        if (confidential && secretTo === undefined) {
          out.note(`  The secret is shown only once. To replace it: ${commandFor('oauth', 'clients', 'rotate-secret', idOf(created))}`)
        }
      },
    })
  },
})
