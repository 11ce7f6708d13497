import * as z from 'zod'
import { putSlice } from '../../../store/accounts/followedSlices.js'
import { WebAddress } from '../../../store/model/webAddress.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { assertAccessFree, assertNameFree, SliceView } from './rules.js'

const text = z.string().min(1)

/** The method followedSlices.create (docs/interface/followed-slices.md#rules). */
export const create = method({
  id: 'followedSlices.create',
  summary: 'Adds a followed slice: an access to another account.',
  http: { verb: 'POST', path: '/followed-slices', status: 201 },
  caller: personalOnly,
  input: z.strictObject({
    name: text.describe('Name, unique in the account.'),
    url: WebAddress.describe('Address of the other account.'),
    accessToken: text.describe('Token of an access of the other account.'),
  }),
  output: () => z.object({ followedSlice: SliceView.describe('The created slice.') }),
  synchronous: true,
  fails: ['invalid-parameters-format', 'item-already-exists', 'user-intervention-required'],
  run(call, { name, url, accessToken }) {
    const { newId, store } = call.node
    const slice = { id: newId(), name, url, accessToken }
    return writeWithinQuota(call, (t) => {
      assertNameFree(t, store.seal, slice.id, name)
      assertAccessFree(t, store.seal, slice)
      putSlice(t, store.seal, slice)
      return { followedSlice: slice }
    })
  },
})
