import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { controlledAccounts } from '../../../store/accesses/delegations.js'
import { Failure } from '../../../store/model/failure.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { isDone, type DelegationDeps } from './delivery.js'
import { controlledNamed, incomplete, OtherUsername, undelivered } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

const Issued = z.object({
  token: z.string().min(1).describe('Token of the controlled account.'),
  apiEndpoint: z.url({ protocol: /^https?$/ }).describe('Address of the controlled account with the token.'),
})

/** See docs/interface/delegations.md#tokens. Forwards the answer of the controlled account. */
export const getToken = method({
  id: 'delegations.getToken',
  summary: 'Gets a token for a controlled account.',
  http: { verb: 'POST', path: '/delegations/controlled/:username/token' },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: OtherUsername,
  output: () => Issued,
  fails: [
    'forbidden',
    'invalid-parameters-format',
    'delegation-not-found',
    'delegation-not-active',
    'delegation-delivery-failed',
  ],
  async run(call: Call<DelegationDeps & CoresDeps>, { username }) {
    const { node, account } = call
    const { relId, status, controlled, controlApiEndpoint } = await controlledNamed(call, username)
    if (status !== 'active' || controlApiEndpoint === undefined) throw new Failure('delegation-not-active')
    const answer = await node.delegations.toAccount(controlled, controlApiEndpoint, 'token')
    if (answer.status === 401 || answer.status === 403) {
      await becomeStale(node, account, relId)
      throw new Failure('delegation-not-active', undefined, { peerStatus: answer.status })
    }
    if (!isDone(answer)) throw undelivered(answer)
    const issued = Issued.safeParse(answer.body)
    if (!issued.success) throw incomplete()
    return issued.data
  },
})

/** Marks the relationship as stale: it ended on the controlled account, but the notification was lost. */
function becomeStale(node: Context, account: Account, relId: string): Promise<void> {
  const { seal } = node.store
  return account.exclusively((write) =>
    write((t) => {
      const mirror = controlledAccounts.find(t, seal, t.account, relId)
      if (mirror?.status === 'active') controlledAccounts.put(t, seal, { ...mirror, status: 'stale' })
    }),
  )
}
