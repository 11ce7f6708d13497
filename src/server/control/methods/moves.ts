/** Operator methods that redirect callers of a moved account (relocation.ts). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { newAddress } from '../../dispatch/relocation.js'
import { operatorMethod } from '../operatorMethod.js'
import { Relocated, UserView } from './accountReading.js'
import { changeUser, loadedOf, OfAccount } from './loaded.js'

const { username } = UserView.shape

const relocate = operatorMethod({
  id: 'users.relocate',
  summary: 'Redirects callers of an account to another server.',
  input: z.strictObject({
    ...OfAccount,
    url: z.string().describe('New address of the account, without a token.'),
    seconds: z.number().positive().optional().describe('Duration of the redirect; default: account.relocationMaxAge of the settings.'),
  }),
  output: () => z.object({ user: z.object({ username, relocated: Relocated.describe('The redirect.') }).describe('The account.') }),
  fails: ['unknown-user', 'invalid-operation'],
  async run({ node }, { url: input, seconds, ...of }) {
    const loaded = await loadedOf(node, of)
    const url = newAddress(input)
    if (url === apiEndpoint(node, loaded.user.username)) {
      throw new Failure('invalid-operation', 'This is the address of the account on this node. Pass its new address.')
    }
    const until = node.clock.now() + (seconds ?? node.config.get('account.relocationMaxAge') / 1000)
    const user = await changeUser(loaded, (former) => ({ ...former, relocated: { url, until } }))
    return { user: { username: user.username, relocated: { url, until } } }
  },
})

const cancelRelocation = operatorMethod({
  id: 'users.cancelRelocation',
  summary: 'Serves an account here again.',
  input: z.strictObject(OfAccount),
  output: () => z.object({ user: z.object({ username, relocated: z.null().describe('Always null.') }).describe('The account.') }),
  fails: ['unknown-user'],
  async run({ node }, input) {
    const loaded = await loadedOf(node, input)
    const user = await changeUser(loaded, ({ relocated: _, ...rest }) => rest)
    return { user: { username: user.username, relocated: null } }
  },
})

export const moveMethods = [relocate, cancelRelocation] as const
