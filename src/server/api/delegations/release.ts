import * as z from 'zod'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { callersMarker, delegationControl } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { detach } from './detach.js'
import type { ConsentDeps } from '../consents/service.js'

/** The delegate's account was deleted. Detaches it and keeps no grants. See docs/interface/delegations.md#detaching. */
export const release = method({
  id: 'delegations.release',
  summary: 'Between nodes: the delegate has ended the relationship.',
  http: { verb: 'POST', path: '/delegations/controlled-side/release' },
  caller: delegationControl,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({ ok: z.literal(true).describe('Done.') }),
  fails: ['invalid-access-token'],
  async run(call: Call<ConsentDeps>) {
    const { relId } = callersMarker(call, 'control')
    await writeExclusively(call, (write) => detach(call, write, relId, new Set()))
    return { ok: true }
  },
})
