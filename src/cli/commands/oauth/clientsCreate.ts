import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'
import { CLIENT_JSON, clientLines, handOutSecret, idOf, secretToOption } from './client.js'
import { clientOf, clientOptions } from './fields.js'

/** `coffer oauth clients create`. */
export const create = command({
  path: ['oauth', 'clients', 'create'],
  summary: 'Register an application that may ask for access by OAuth',
  description:
    'Its id is --client-id, else the name of its app account, else made from --name. Without --confidential and --jwks it is public: it proves itself by PKCE alone, as apps on phones and in browsers do.\n\nThe secret of --confidential is printed, or written to --secret-to, this once; only a hash is kept. An offer is the capabilityUrl of an open link of its app account, and brings the scope cmc:<name>.',
  options: {
    clientId: text('Its id, 4 to 64 characters of A-Z a-z 0-9 . ~ -', { placeholder: 'id' }),
    ...clientOptions,
    public: flag('Without a secret, as it is without --confidential'),
    confidential: flag('With a secret'),
    secretTo: secretToOption,
  },
  examples: [
    { type: "coffer oauth clients create --name 'Heart Lab' --redirect-uri https://lab.example/cb", says: 'an app' },
    {
      type: "coffer oauth clients create --name 'Heart Lab' --redirect-uri https://lab.example/cb --confidential --secret-to ./secret",
      says: 'a server, its secret in a file',
    },
    {
      type: 'coffer oauth clients create --user heart-lab --redirect-uri https://lab.example/cb --cmc-offer study=https://token@lab.example/heart-lab/',
      says: 'with an offer of its account',
    },
  ],
  json: `${CLIENT_JSON.slice(0, -1)},"client_secret"}; "secretTo" in place of the secret with --secret-to`,
  offline: true,
  async run({ out, connect, terminal, commandFor }, options) {
    const { clientId, confidential, secretTo } = options
    if (options.public && confidential) throw usageError('--public and --confidential exclude each other')
    if (options.public && options.jwks !== undefined) throw usageError('--public and --jwks exclude each other')
    if (secretTo !== undefined && !confidential) throw usageError('--secret-to is for clients with a secret: --confidential is missing')
    const client = await clientOf(terminal, options)
    if (client['redirectUris'] === undefined) throw usageError('--redirect-uri <uri> is missing', 'See: coffer oauth clients create --help')
    if (clientId !== undefined) client['clientId'] = clientId
    if (client['clientId'] === undefined && client['clientName'] === undefined && client['username'] === undefined) {
      throw usageError('--name <name> is missing, or --client-id or --user', 'See: coffer oauth clients create --help')
    }
    const handler = await connect()
    await handOutSecret(out, terminal, {
      secretTo,
      ask: () => handler.call('oauth.clients.create', { client: confidential ? { ...client, confidential } : client }, {}),
      print(made) {
        out.done(`Client ${idOf(made)} registered. PKCE: S256, always.`)
        for (const line of clientLines(made)) out.note(line)
        if (confidential && secretTo === undefined) {
          out.note(`  The secret is shown now only. Lost it? ${commandFor('oauth', 'clients', 'rotate-secret', idOf(made))}`)
        }
      },
    })
  },
})
