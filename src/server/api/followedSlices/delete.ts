import * as z from 'zod'
import { removeSlice } from '../../../store/accounts/followedSlices.js'
import { writeAccount } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { sliceAt } from './rules.js'

/** The method followedSlices.delete (docs/interface/followed-slices.md#rules). */
export const remove = method({
  id: 'followedSlices.delete',
  summary: 'Deletes a followed slice.',
  http: { verb: 'DELETE', path: '/followed-slices/:id' },
  caller: personalOnly,
  input: z.strictObject({ id: z.string().describe('Id of the followed slice.'), auth: z.string().optional() }),
  output: () => z.object({ followedSliceDeletion: z.object({ id: z.string().describe('Id of the slice.') }).describe('The deleted slice.') }),
  synchronous: true,
  fails: ['invalid-parameters-format', 'unknown-resource'],
  run(call, { id }) {
    const { seal } = call.node.store
    return writeAccount(call, (t) => {
      removeSlice(t, seal, sliceAt(t, seal, id))
      return { followedSliceDeletion: { id } }
    })
  },
})
