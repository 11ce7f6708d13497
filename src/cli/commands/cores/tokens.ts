import { command } from '../../command.js'
import { counted } from '../../terminal/output/format.js'
import { TOKEN_JSON } from './shared/core.js'

/** `coffer cores tokens`. */
export const tokens = command({
  path: ['cores', 'tokens'],
  summary: 'List the join tokens of the platform',
  description: 'Each bundle of coffer cores add contains a token that admits its core once. Tokens are listed for a week after their expiry. Their values are not stored.',
  examples: [{ type: 'coffer cores tokens', description: 'list the tokens' }],
  json: `{"tokens":[${TOKEN_JSON}]}; times are seconds since 1970`,
  offline: true,
  async run({ out, connect, now }) {
    const client = await connect()
    const answer = await client.call('cores.tokens', {}, {})
    await out.list(answer, {
      columns: [
        { title: 'CORE', cell: ({ core }) => core },
        { title: 'STATE', cell: ({ state }) => state },
        { title: 'CREATED', time: ({ issuedAt }) => issuedAt },
        { title: 'EXPIRES', time: ({ expiresAt }) => expiresAt },
        { title: 'USED BY', cell: ({ consumerIp }) => consumerIp ?? '—', drops: true },
      ],
      rows: answer.tokens,
      id: ({ core }) => core,
      count: counted(answer.tokens.length, 'token'),
    })
    if (answer.tokens.some(({ state, expiresAt }) => state === 'open' && expiresAt > now())) out.note('Revoke one: coffer cores revoke-token <core>')
  },
})
