/** Schemas of series parameters and results (docs/interface/series.md). Points are parsed by store/model/flatJson.ts. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import type { TokenHttpRoute, TokenMethod } from '../../call/method.js'

/** Schema for documents; readFlatJson validates: checking each cell here as well would double the cost of a call. */
export const FlatJson = z.unknown().meta({
  type: 'object',
  required: ['format', 'fields', 'points'],
  properties: {
    format: { type: 'string', enum: ['flatJSON'], description: 'Format of the points.' },
    fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of the columns: deltaTime first, then value or the fields of the type.',
    },
    points: {
      type: 'array',
      items: { type: 'array' },
      description: 'One row for each point, in the order of fields; deltaTime in seconds after the time of the event.',
    },
  },
})

const Stored = z.object({ status: z.literal('ok').describe('ok once all points are stored.') })

/** Returns the failure of a write without a token: 400. */
const noTokenToWrite = (): Failure => new Failure('missing-header', 'The header "Authorization" is missing.')

/** Returns the failure of a read without a token: 401. */
export const noTokenToRead = (): Failure =>
  new Failure('missing-header', 'The header "Authorization" is missing.', undefined, 'absent')

/** HTTP transport of methods that write points. */
export const writingOverHttp = {
  source: 'hf',
  jsonOnly: 'invalid-request-structure',
  absentToken: noTokenToWrite,
  body: 'data',
} as const satisfies Partial<TokenHttpRoute>

/** Members shared by methods that write points. */
export const writing = {
  notInBatch: true,
  output: () => Stored,
  fails: [
    'missing-header',
    'unknown-resource',
    'forbidden',
    'invalid-operation',
    'invalid-request-structure',
    'storage-full',
    'user-intervention-required',
  ],
} as const satisfies Partial<TokenMethod>
