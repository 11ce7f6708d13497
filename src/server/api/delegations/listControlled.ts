import * as z from 'zod'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { ControlledView, controlledsOf, viewOfControlled } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/** The method delegations.listControlled (docs/interface/delegations.md#life-of-a-delegation). */
export const listControlled = method({
  id: 'delegations.listControlled',
  summary: 'Lists the accounts that this one may act for, or is invited to.',
  http: { verb: 'GET', path: '/delegations/controlled' },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({ controlled: z.array(ControlledView).describe('Accounts that this one may act for, or is invited to.') }),
  fails: ['forbidden'],
  async run(call: Call<CoresDeps>) {
    return { controlled: (await controlledsOf(call)).map(viewOfControlled) }
  },
})
