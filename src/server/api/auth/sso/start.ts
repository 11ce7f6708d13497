import * as z from 'zod'
import { browser } from '../../../call/callers.js'
import { platformMethod } from '../../../call/method.js'
import { browsing, redirectWithCookie, unknownProvider, plainAnswer } from './answers.js'
import { stateCookie } from './state.js'
import { callbackOf, thirdPartiesOf } from './wiring.js'

/** Return value of the page: up to 2048 characters of a urlencoded form, in which `+` is a space. */
const RETURN = /^[\w*.+%=& -]{1,2048}$/

/** Route that redirects to an identity provider. See docs/interface/sso.md#flow. */
export const ssoStart = platformMethod({
  id: 'auth.ssoStart',
  requiresSetting: 'sso.enabled',
  summary: 'Redirects a person to an identity provider, to sign in there.',
  http: { verb: 'GET', path: '/auth/sso/:provider/start' },
  caller: browser,
  input: z.looseObject({
    provider: z.string().describe('Id of the identity provider, as in the setting sso.providers.'),
    ssoReturn: z.unknown().optional().meta({ type: 'string' }).describe('URL-encoded form of 1 to 2048 characters that comes back in the fragment of the landing page.'),
  }),
  output: () => z.object({}),
  protocol: {
    ...browsing,
    answers: {
      302: { description: 'To the identity provider.' },
      400: { description: 'ssoReturn is too long, or no such text.', type: 'text/plain' },
      404: { description: 'Unknown identity provider.', type: 'text/plain' },
      500: { description: 'The identity provider could not be reached.', type: 'text/plain' },
    },
  },
  notInBatch: true,
  fails: [],
  async run({ node }, { provider: id, ssoReturn }) {
    const thirdParties = thirdPartiesOf(node)
    const provider = thirdParties?.providers.get(id)
    if (thirdParties === undefined || provider === undefined) return unknownProvider()
    if (ssoReturn !== undefined && !(typeof ssoReturn === 'string' && RETURN.test(ssoReturn))) {
      return plainAnswer(400, 'ssoReturn has up to 2048 characters of a urlencoded form.')
    }
    const { begin } = await import('./provider.js')
    const { url, ...begun } = await begin(provider, callbackOf(thirdParties, id))
    return redirectWithCookie(url, stateCookie(node, thirdParties, { provider: id, ...begun, ...(ssoReturn === undefined ? {} : { ssoReturn }) }))
  },
})
