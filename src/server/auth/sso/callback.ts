import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { pageAddress, PAGES_APP } from '../../apiEndpoint.js'
import { platformMethod, type PlatformCall } from '../../method.js'
import type { Node } from '../../node.js'
import { pageLink } from '../../pageLink.js'
import type { Provider } from '../../settings/sso.js'
import { browsing, ledOn, noThirdParty } from './answers.js'
import { accountOf, type Refusal } from './link.js'
import type { Person } from './provider.js'
import { signedIn, type SignedIn } from './session.js'
import { noStateCookie, stateIn, type State } from './state.js'
import { sealedTold, type Told } from './told.js'
import { callbackOf, THIRD_PARTY_PAGE, thirdPartiesOf, type ThirdParties } from './wiring.js'

/** Specification, "Third-party sign-in"; accounts supplement 14. */
export const ssoCallback = platformMethod({
  id: 'auth.ssoCallback',
  switchedBy: 'sso.enabled',
  summary: 'Signs a person in who comes back from a third party.',
  http: { verb: 'GET', path: '/auth/sso/:provider/callback' },
  input: z.looseObject({ provider: z.string() }),
  output: z.object({}),
  protocol: {
    ...browsing,
    answers: {
      302: { description: 'To the page of sso.landingPageURL, with what came of it in the fragment: ssoStatus, ssoUser and ssoKey or ssoMfaToken and ssoMfaMethod; or ssoError.' },
      404: { description: 'There is no such third party.', type: 'text/plain' },
    },
  },
  alone: true,
  fails: [],
  async run(call, { provider: id, ...brought }) {
    const { node } = call
    const thirdParties = thirdPartiesOf(node)
    const provider = thirdParties?.providers.get(id)
    if (thirdParties === undefined || provider === undefined) return noThirdParty()
    const state = stateIn(node, call.cookie, id)
    const came = await outcomeOf(call, { id, provider, thirdParties, state, brought })
    const outcome = typeof came === 'string' ? { ssoError: came } : came
    const told: Told = { ...outcome, ...(state?.ssoReturn === undefined ? {} : { ssoReturn: state.ssoReturn }) }
    return ledOn(landingOf(node, thirdParties, told), noStateCookie(thirdParties))
  },
})

/** Where the browser goes: scripts of another page read the fragment; the node's own page needs none. */
const landingOf = (node: Node, { landing }: ThirdParties, told: Told): string =>
  landing === null
    ? pageLink(pageAddress(node, THIRD_PARTY_PAGE), { came: sealedTold(node, told) })
    : `${landing}#${new URLSearchParams({ ...told }).toString()}`

interface ComingBack {
  id: string
  provider: Provider
  thirdParties: ThirdParties
  state: State | undefined
  brought: Readonly<Record<string, unknown>>
}

/** What came of it. Whatever the third party or the browser brought wrongly is one and the same failure. */
async function outcomeOf(call: PlatformCall, back: ComingBack): Promise<SignedIn | Refusal> {
  const { node, origin } = call
  const { id, thirdParties } = back
  const failed = (cause: unknown): 'sso-failed' => {
    node.log.warn('nobody was signed in through a third party', { provider: id, ip: origin.ip, cause: causeOf(cause) })
    return 'sso-failed'
  }
  const person = await personOf(back).catch(failed)
  if (typeof person === 'string') return person
  const loaded = await accountOf(node, id, person)
  if (loaded === 'sso-failed') return failed('the third party asserts no verified address')
  if (typeof loaded === 'string') return loaded
  try {
    return await signedIn(node, origin, loaded, thirdParties.landing === null ? PAGES_APP : `sso-${id}`)
  } catch (error) {
    // Such as a second factor that is not offered, or too many logins that wait for theirs.
    if (error instanceof Failure) return failed(error)
    throw error
  }
}

async function personOf({ id, provider, thirdParties, state, brought }: ComingBack): Promise<Person> {
  if (state === undefined) throw new Error('the browser brought no state that is good')
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(brought)) for (const each of [value].flat()) parameters.append(name, String(each))
  const { whoSignedIn } = await import('./provider.js')
  return whoSignedIn(provider, callbackOf(thirdParties, id), parameters, state)
}

/** A cause for the log: the words of libraries name no secrets, what third parties wrote is not told. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return error.message + code
}
