/** What clients send of series, and what they get (data supplement 10). Points are read by store/model/flatJson.ts. */
import { z } from 'zod'
import { Failure } from '../../store/model/failure.js'

/** Documents what readFlatJson reads: checking each cell here as well would double the cost of a call. */
export const FlatJson = z.unknown().meta({
  type: 'object',
  required: ['format', 'fields', 'points'],
  properties: {
    format: { type: 'string', enum: ['flatJSON'] },
    fields: { type: 'array', items: { type: 'string' } },
    points: { type: 'array', items: { type: 'array' } },
  },
})

export const Stored = z.object({ status: z.literal('ok') })

/** What a call without a token is refused with when it writes: 400. */
export const noTokenToWrite = (): Failure => new Failure('missing-header', 'The header "Authorization" is missing.')

/** And when it reads: 401. */
export const noTokenToRead = (): Failure =>
  new Failure('missing-header', 'The header "Authorization" is missing.', undefined, 'absent')
