/**
 * Methods of the interface that this release does not implement: they answer 451 `unavailable-method`, so that clients can
 * distinguish them from mistakes.
 */
import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { noCaller } from '../call/callers.js'
import { platformMethod, type Method, type Verb } from '../call/method.js'

type Route = [id: string, verb: Verb, path: string]

const ofNode: Route[] = [
  // Requires a one-time token instead of the admin key.
  ['system.ackCore', 'POST', '/system/admin/cores/ack'],
]

const common = { summary: 'Not available in this release.', input: z.unknown(), output: z.object({}) }

const refuse = (): never => {
  throw new Failure('unavailable-method', 'This method is not available in this release of coffer.')
}

export const unimplementedMethods: Method<unknown>[] = ofNode.map(([id, verb, path]) =>
  platformMethod({ ...common, id, http: { verb, path }, caller: noCaller, notInBatch: true, fails: ['unavailable-method'], run: refuse }),
)
