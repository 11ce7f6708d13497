import { command } from '../../command.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sso providers`. */
export const providers = command({
  path: ['sso', 'providers'],
  summary: 'List the identity providers for login, and their redirect URIs',
  description:
    'Lists the setting sso.providers, an object such as {"google":{"issuer":"https://accounts.google.com","clientId":"…","clientSecret":"…"}}. Set it with coffer config set sso.providers --from <file>, then set sso.enabled. Register the node as a client at each provider with its redirect URI; the provider issues the client id and secret. The login page shows a button for each provider.',
  examples: [
    { type: 'coffer sso providers', description: 'show the redirect URI for each provider' },
    { type: 'coffer sso providers --json', description: 'for programs' },
  ],
  json: '{"enabled","lacks","landing","providers":[{"id","label","issuer","clientId","redirectUri"}]}; lacks is the reason why login through them is not possible, or null',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('sso.providers', {}, {})
    const found = answer.providers
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'LABEL', cell: ({ label }) => label, shrinks: true },
        { title: 'ISSUER', cell: ({ issuer }) => issuer, shrinks: true, drops: true },
        { title: 'REDIRECT URI', cell: ({ redirectUri }) => redirectUri ?? '—' },
      ],
      rows: found,
      id: ({ id }) => id,
      count: counted(found.length, 'provider'),
    })
    if (!answer.enabled) out.note(`Login through identity providers is off. Turn it on: ${commandFor('config', 'set', 'sso.enabled', 'true')}`)
    else if (answer.lacks !== null) out.warn(`Login through identity providers is not possible: ${answer.lacks}`)
  },
})
