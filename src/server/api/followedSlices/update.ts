import * as z from 'zod'
import { putSlice } from '../../../store/accounts/followedSlices.js'
import { writeAccount } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { assertNameFree, sliceAt, SliceView } from './rules.js'

/** Members of an update. The id is accepted, and ignored. */
const SliceUpdate = z.strictObject({
  id: z.string().optional().describe('Id of the slice; ignored.'),
  name: z.string().min(1).optional().describe('New name.'),
})

/** The method followedSlices.update (docs/interface/followed-slices.md#rules). */
export const update = method({
  id: 'followedSlices.update',
  summary: 'Renames a followed slice.',
  http: { verb: 'PUT', path: '/followed-slices/:id', body: 'update' },
  caller: personalOnly,
  input: z.strictObject({ id: z.string().describe('Id of the followed slice.'), update: SliceUpdate.describe('Members to change.') }),
  output: () => z.object({ followedSlice: SliceView.describe('The changed slice.') }),
  synchronous: true,
  fails: ['invalid-parameters-format', 'unknown-resource', 'item-already-exists'],
  run(call, { id, update: { name } }) {
    const { seal } = call.node.store
    return writeAccount(call, (t) => {
      const before = sliceAt(t, seal, id)
      if (name === undefined || name === before.name) return { followedSlice: before }
      assertNameFree(t, seal, id, name)
      const after = { ...before, name }
      putSlice(t, seal, after, before)
      return { followedSlice: after }
    })
  },
})
