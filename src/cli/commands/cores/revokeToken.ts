import { command } from '../../command.js'
import { coreArgument } from './shared/core.js'

/** `coffer cores revoke-token <core>`. */
export const revokeToken = command({
  path: ['cores', 'revoke-token'],
  summary: 'Revoke the join tokens of a core',
  description: 'The bundle of the core can no longer be used to join. The core stays on the list: add it again with coffer cores add, or remove it with coffer cores remove.',
  arguments: { core: coreArgument },
  examples: [{ type: 'coffer cores revoke-token core-b', description: 'make the bundle of core-b unusable' }],
  json: '{"core","revoked"}; revoked is the number of tokens that could still be used',
  offline: true,
  async run({ out, connect }, { core }) {
    const client = await connect()
    const answer = await client.call('cores.revokeTokens', { core }, {})
    await out.result(answer, {
      id: core,
      print: () => out.done(answer.revoked === 0 ? `There was no usable token for ${core}.` : `The bundle of ${core} can no longer be used.`),
    })
  },
})
