import * as z from 'zod'
import { pageAddress, PAGES_APP, PAGES_PATH } from '../../../config/apiEndpoint.js'
import { browser } from '../../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../../call/method.js'
import { addQuery } from '../../../base/addQuery.js'
import type { Provider } from '../../../config/settings/sso.js'
import { browsing, redirectWithCookie, unknownProvider } from './answers.js'
import { accountOf, type Refusal } from './accountLinking.js'
import { WrongCore } from '../../../platform/cores/wrongCore.js'
import type { Person } from './provider.js'
import { entered, type SignInResult } from './session.js'
import { noStateCookie, stateIn, type State } from './state.js'
import { fragmentOf, sealRedirectResult } from './redirectResult.js'
import { callbackOf, THIRD_PARTY_PAGE, thirdPartiesOf, type ThirdParties } from './wiring.js'
import type { MfaDeps } from '../../mfa/sessions.js'

/** Route to which identity providers redirect back. See docs/interface/sso.md#flow. */
export const ssoCallback = platformMethod({
  id: 'auth.ssoCallback',
  requiresSetting: 'sso.enabled',
  summary: 'Completes the sign-in of a person who returns from an identity provider.',
  http: { verb: 'GET', path: '/auth/sso/:provider/callback' },
  caller: browser,
  input: z.looseObject({ provider: z.string().describe('Id of the identity provider, as in the setting sso.providers.') }),
  output: () => z.object({}),
  protocol: {
    ...browsing,
    getChanges: true,
    answers: {
      302: { description: 'To the page of sso.landingPageURL, with the result in the fragment: ssoStatus, ssoUser and ssoKey or ssoMfaToken and ssoMfaMethod; or ssoError.' },
      404: { description: 'Unknown identity provider.', type: 'text/plain' },
    },
  },
  notInBatch: true,
  fails: [],
  async run(call: PlatformCall<MfaDeps>, { provider: id, ...brought }) {
    const { node } = call
    const thirdParties = thirdPartiesOf(node)
    const provider = thirdParties?.providers.get(id)
    if (thirdParties === undefined || provider === undefined) return unknownProvider()
    const state = stateIn(node, call.cookie, id)
    const location = await landingOf(call, { id, provider, thirdParties, state, brought })
    return redirectWithCookie(location, noStateCookie(thirdParties))
  },
})

interface ComingBack {
  id: string
  provider: Provider
  thirdParties: ThirdParties
  state: State | undefined
  brought: Readonly<Record<string, unknown>>
}

/** Returns the redirect target. Pages of other origins get the result in the fragment; the node's own page in a sealed parameter. */
async function landingOf(call: PlatformCall<MfaDeps>, back: ComingBack): Promise<string> {
  const { node } = call
  const { thirdParties, state } = back
  const { landing } = thirdParties
  const outcome = await outcomeOf(call, back)
  const mark = state?.ssoReturn
  if ('coreUrl' in outcome && landing === null) return addQuery(`${outcome.coreUrl.slice(0, -1)}${PAGES_PATH}/sign-in`, { ...(outcome.email === undefined ? {} : { username: outcome.email }) })
  if ('coreUrl' in outcome) return `${landing}#${new URLSearchParams({ ssoError: 'wrong-core', coreUrl: outcome.coreUrl, ...(mark === undefined ? {} : { ssoReturn: mark }) }).toString()}`
  if (landing === null) return addQuery(pageAddress(node, THIRD_PARTY_PAGE), { came: sealRedirectResult(node, { came: 'entered' in outcome ? outcome.entered : outcome.refusal, mark }) })
  const fragment = 'refusal' in outcome ? { ssoError: outcome.refusal } : outcome.notified
  return `${landing}#${new URLSearchParams({ ...fragment, ...(mark === undefined ? {} : { ssoReturn: mark }) }).toString()}`
}

type Outcome = { refusal: Refusal } | { coreUrl: string; email: string | undefined } | { entered: SignInResult; notified: Record<string, string> }

/** Returns the result. All errors, of the provider, the browser or the node, give the same failure. */
async function outcomeOf(call: PlatformCall<MfaDeps>, back: ComingBack): Promise<Outcome> {
  const { node, origin } = call
  const { id, thirdParties, provider } = back
  let email: string | undefined
  try {
    const person = await personOf(back)
    email = person.email
    const found = await accountOf(node, origin, { provider: id, issuer: provider.issuer }, person)
    if (found === 'sso-failed') throw new Error('the identity provider asserts no verified address')
    if (typeof found === 'string') return { refusal: found }
    const { landing } = thirdParties
    const outcome = await entered(node, origin, found, landing === null ? PAGES_APP : `sso-${id}`)
    return { entered: outcome, notified: landing === null ? {} : await fragmentOf(node, found.loaded, outcome) }
  } catch (error) {
    if (error instanceof WrongCore) return { coreUrl: error.coreUrl, email }
    node.log.warn('sign-in with an identity provider failed', { provider: id, ip: origin.ip, cause: causeOf(error) })
    return { refusal: 'sso-failed' }
  }
}

async function personOf({ id, provider, thirdParties, state, brought }: ComingBack): Promise<Person> {
  if (state === undefined) throw new Error('the browser sent no valid state cookie')
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(brought)) for (const each of [value].flat()) parameters.append(name, String(each))
  const { completeAuthorization } = await import('./provider.js')
  return completeAuthorization(provider, callbackOf(thirdParties, id), parameters, state)
}

/** Returns the cause for the log: library messages contain no secrets; texts of the provider are left out. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return error.message + code
}
