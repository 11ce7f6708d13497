import * as z from 'zod'
import { listSlices } from '../../../store/accounts/followedSlices.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { SliceView } from './rules.js'

/** The method followedSlices.get (docs/interface/followed-slices.md#rules). */
export const get = method({
  id: 'followedSlices.get',
  summary: 'Lists the followed slices by name.',
  http: { verb: 'GET', path: '/followed-slices' },
  caller: personalOnly,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({ followedSlices: z.array(SliceView).describe('The followed slices.') }),
  fails: ['invalid-parameters-format'],
  async run(call) {
    return { followedSlices: await listSlices(call.account, call.node.store.seal) }
  },
})
