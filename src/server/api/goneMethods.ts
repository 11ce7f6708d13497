/** Removed methods, which always answer 410 (docs/interface/conventions.md#removed-methods). */
import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { noCaller } from '../call/callers.js'
import { openMethod, platformMethod, type Method, type Verb } from '../call/method.js'

const refuse = (): never => {
  throw new Failure('removed-method')
}

const common = { input: z.unknown(), output: () => z.object({}), notInBatch: true as const, fails: ['removed-method' as const] }

const ofAccount = (id: string, verb: Verb, path: string): Method<unknown> =>
  openMethod({ ...common, id, summary: 'Removed.', http: { verb, path }, caller: noCaller, run: refuse })

const ofNode = (id: string, verb: Verb, path: string): Method<unknown> =>
  platformMethod({ ...common, id, summary: 'Removed.', http: { verb, path }, caller: noCaller, run: refuse })

export const goneMethods: Method<unknown>[] = [
  ofAccount('events.start', 'POST', '/events/start'),
  ofAccount('events.stop', 'POST', '/events/stop'),
  ofAccount('auth.whoAmI', 'GET', '/auth/who-am-i'),
  ofNode('reg.username.check', 'POST', '/reg/username/check'),
  ofNode('reg.email.check', 'POST', '/reg/email/check'),
]
