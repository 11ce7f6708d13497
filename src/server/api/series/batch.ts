import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { isJsonObject } from '../../../store/model/json.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { writableShape } from './holder.js'
import { isLarge, pointsOf, prepared, type ReadPoints } from './prepare.js'
import { writing, writingOverHttp } from './schema.js'
import { storePoints } from './store.js'

/** Route that adds points to several series, atomically. See docs/interface/series.md#writing. */
export const batch = method({
  id: 'series.batch',
  summary: 'Adds points to several series, all or none.',
  http: { verb: 'POST', path: '/series/batch', ...writingOverHttp },
  caller: anyAccess,
  freeForm: { points: true },
  ...writing,
  input: z.object({
    data: z.unknown().meta({
      type: 'object',
      required: ['format', 'data'],
      properties: {
        format: { type: 'string', enum: ['seriesBatch'], description: 'Format of the batch.' },
        data: {
          type: 'array',
          items: {
            type: 'object',
            required: ['eventId', 'data'],
            properties: {
              eventId: { type: 'string', description: 'Id of the series event.' },
              data: { type: 'object', description: 'Its points in flatJSON, as in series.add.' },
            },
          },
          description: 'The series with their points; all or none are stored.',
        },
      },
    }).describe('Several series with their points.'),
  }),
  async run(call, { data }) {
    const entries = entriesOf(data)
    const read = new Map<number, ReadPoints | undefined>()
    for (const [index, { eventId, data: points }] of entries.entries()) {
      if (isLarge(points)) read.set(index, await prepared(call, eventId, points))
    }
    return writeWithinQuota(call, (t) => {
      // A refused entry rolls back the entries before it.
      for (const [index, { eventId, data: points }] of entries.entries()) {
        const shape = writableShape(call, t, eventId)
        storePoints(call, t, eventId, atEntry(index, () => pointsOf(points, shape, read.get(index))))
      }
      return { status: 'ok' }
    })
  },
})

interface Entry {
  eventId: string
  data: unknown
}

function entriesOf(body: unknown): Entry[] {
  const { format, data } = recordOf(body, 'The body must be an object with format and data.')
  if (format !== 'seriesBatch') throw refused('The format of a batch must be "seriesBatch".')
  if (!Array.isArray(data)) throw refused('The data of a batch must be a list of entries.')
  return (data as readonly unknown[]).map((one, entry) => {
    const { eventId, data: points } = recordOf(one, 'An entry must be an object with eventId and data.', { entry })
    if (typeof eventId !== 'string') throw refused('The eventId of an entry must be the id of an event.', { entry })
    return { eventId, data: points }
  })
}

const refused = (message: string, where?: object): Failure => new Failure('invalid-request-structure', message, where)

function recordOf(value: unknown, message: string, where?: object): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw refused(message, where)
  return value
}

/** Adds the number of the entry to failures. */
function atEntry<T>(entry: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const where = typeof error.data === 'object' ? error.data : {}
    throw new Failure(error.id, `Entry ${entry}: ${error.message}`, { entry, ...where })
  }
}
