import * as z from 'zod'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Result } from '../../call/method.js'
import { writableShape } from './holder.js'
import { isLarge, pointsOf, prepared, type ReadPoints } from './prepare.js'
import { FlatJson, writing, writingOverHttp } from './schema.js'
import { storePoints } from './store.js'

/** Route that adds points. See docs/interface/series.md#writing. */
export const add = method({
  id: 'series.add',
  summary: 'Adds points to the series of an event; those of the same time are replaced.',
  http: { verb: 'POST', path: '/events/:id/series', ...writingOverHttp },
  caller: anyAccess,
  freeForm: { points: true },
  ...writing,
  input: z.object({ id: z.string().describe('Id of the series event.'), data: FlatJson.describe('The points in flatJSON.') }),
  run(call, { id, data }) {
    const write = (read?: ReadPoints): Promise<Result> => writeWithinQuota(call, (t) => {
      storePoints(call, t, id, pointsOf(data, writableShape(call, t, id), read))
      return { status: 'ok' }
    })
    return isLarge(data) ? prepared(call, id, data).then(write) : write()
  },
})
