import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { coreOfHolder, ownCoreUrl } from '../../platform/cores/wrongCore.js'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'

/**
 * Finds the core of an account (docs/interface/registration.md#look-ups). Responds to any e-mail address, so that it does not
 * reveal known ones.
 */
export const cores = platformMethod({
  id: 'reg.cores',
  summary: 'Finds the core that serves a user name or an e-mail address.',
  http: { verb: 'GET', path: '/reg/cores' },
  caller: anybody,
  input: z
    .object({
      username: z.string().optional().describe('User name; either this or email.'),
      email: z.string().optional().describe('E-mail address; either this or username.'),
    })
    .refine(({ username, email }) => (username === undefined) !== (email === undefined), {
      error: 'Either username or email, not both.',
    }),
  output: () => z.object({ core: z.object({ url: z.string().describe('URL of the core.') }).describe('The core that serves the account.') }),
  fails: ['invalid-parameters-format', 'unknown-resource'],
  async run({ node }, { username, email }) {
    if (username !== undefined) {
      const holder = await node.registry.lookUp({ field: 'username', value: username.toLowerCase() })
      if (holder === undefined) throw new Failure('unknown-resource', `Unknown user "${username}".`)
      return { core: { url: coreOfHolder(node, holder).url } }
    }
    const holder = node.registry.isShared ? await node.registry.lookUp({ field: 'email', value: email ?? '' }) : undefined
    return { core: { url: holder === undefined ? ownCoreUrl(node) : coreOfHolder(node, holder).url } }
  },
})
