import { command } from '../../command.js'
import { listOf, textOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sso providers`. */
export const providers = command({
  path: ['sso', 'providers'],
  summary: 'List the third parties by which people sign in, with what each must know',
  description:
    'Those of the setting sso.providers, an object such as {"google":{"issuer":"https://accounts.google.com","clientId":"…","clientSecret":"…"}}: coffer config set sso.providers --from <file>, then sso.enabled. Each is told the redirect URI of this node where the node is registered as its client, and gives the id and the secret. People find a button for each on the page for signing in.',
  examples: [
    { type: 'coffer sso providers', says: 'what to tell each of them' },
    { type: 'coffer sso providers --json', says: 'for programs' },
  ],
  json: '{"enabled","lacks","landing","providers":[{"id","label","issuer","clientId","redirectUri"}]}; lacks says why nobody can sign in by them, or is null',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('sso.providers', {}, {})
    const found = listOf(answer['providers'])
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: ({ id }) => textOf(id) },
        { title: 'LABEL', cell: ({ label }) => textOf(label), shrinks: true },
        { title: 'ISSUER', cell: ({ issuer }) => textOf(issuer), drops: true },
        { title: 'REDIRECT URI', cell: ({ redirectUri }) => textOf(redirectUri) || '—' },
      ],
      rows: found,
      id: ({ id }) => textOf(id),
      count: counted(found.length, 'third party', 'third parties'),
    })
    if (answer['enabled'] !== true) out.note(`Nobody signs in by them: ${commandFor('config', 'set', 'sso.enabled', 'true')}`)
    else if (answer['lacks'] !== null) out.warn(`Nobody can sign in by them: ${textOf(answer['lacks'])}`)
  },
})
