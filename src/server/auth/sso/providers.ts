import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { platformMethod } from '../../method.js'
import { labelOf, thirdPartiesOf } from './wiring.js'

/** Specification, "Third-party sign-in"; accounts supplement 14. */
export const ssoProviders = platformMethod({
  id: 'auth.ssoProviders',
  switchedBy: 'sso.enabled',
  summary: 'Lists the third parties by which people sign in, for the buttons of a page.',
  http: { verb: 'GET', path: '/auth/sso/providers' },
  input: z.looseObject({}),
  output: z.object({ providers: z.array(z.object({ id: z.string(), label: z.string() })) }),
  fails: ['unknown-resource'],
  run({ node }) {
    const thirdParties = thirdPartiesOf(node)
    if (thirdParties === undefined) throw new Failure('unknown-resource', 'Nobody signs in through third parties here.')
    return { providers: [...thirdParties.providers].map(([id, provider]) => ({ id, label: labelOf(id, provider) })) }
  },
})
