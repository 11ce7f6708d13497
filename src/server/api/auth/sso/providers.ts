import * as z from 'zod'
import { Failure } from '../../../../store/model/failure.js'
import { anybody } from '../../../call/callers.js'
import { platformMethod } from '../../../call/method.js'
import { labelOf, thirdPartiesOf } from './wiring.js'

/** Route that lists identity providers. See docs/interface/sso.md#flow. */
export const ssoProviders = platformMethod({
  id: 'auth.ssoProviders',
  requiresSetting: 'sso.enabled',
  summary: 'Lists the identity providers, for the buttons of a sign-in page.',
  http: { verb: 'GET', path: '/auth/sso/providers' },
  caller: anybody,
  input: z.looseObject({}),
  output: () => z.object({
    providers: z.array(z.object({
      id: z.string().describe('Id for the path of auth.ssoStart.'),
      label: z.string().describe('Text for the sign-in button.'),
    })).describe('The identity providers, in the order of the settings.'),
  }),
  fails: ['unknown-resource'],
  run({ node }) {
    const thirdParties = thirdPartiesOf(node)
    if (thirdParties === undefined) throw new Failure('unknown-resource', 'Sign-in with identity providers is disabled.')
    return { providers: [...thirdParties.providers].map(([id, provider]) => ({ id, label: labelOf(id, provider) })) }
  },
})
