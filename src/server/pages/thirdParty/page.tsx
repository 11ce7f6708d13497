/** @jsxImportSource hono/jsx */
/** The way to a third party and back, for people who sign in by one on the node's own pages. */
import type { MfaMethod } from '../../../store/model/mfa.js'
import { readTold, type Told } from '../../auth/sso/told.js'
import { THIRD_PARTY_PAGE, thirdPartiesOf } from '../../auth/sso/wiring.js'
import { retrieve } from '../../sharedSecrets/retrieve.js'
import { afterSignIn, callsRoot, linkTo } from '../links.js'
import type { Answer, Flow, Page, Visit } from '../page.js'
import { ProblemBox } from '../layout.js'
import { problemWith } from '../problem.js'
import { callAccount, keepSession } from '../session.js'
import { keepStep } from '../step.js'
import { backFrom, canBeKept, keepAway } from './away.js'
import { thirdPartyWords } from './words.js'

export const thirdPartyPage: Page = {
  path: THIRD_PARTY_PAGE,
  isBeforeSignIn: true,
  async show(visit) {
    const { query, flow, node, cookies } = visit
    const by = query.get('by') ?? ''
    if (thirdPartiesOf(node)?.providers.has(by) === true && canBeKept(flow)) {
      return { redirect: `${callsRoot(node)}/auth/sso/${by}/start?ssoReturn=${keepAway(cookies, flow)}` }
    }
    const sealed = query.get('came') ?? ''
    // No address of the page that is shown repeats it.
    query.delete('came')
    const told = readTold(node, sealed)
    // What only looks whether something is there uses nothing up.
    if (told === undefined || visit.isHead) return { redirect: linkTo(visit, '/sign-in') }
    const before = backFrom(cookies, told.ssoReturn)
    if (before === undefined) return notSignedIn(visit, flow, 'elsewhere')
    return signedIn({ ...visit, flow: before }, told)
  },
}

/** Signs in whoever comes back, or asks for the second factor. */
async function signedIn(visit: Visit, told: Told): Promise<Answer> {
  if ('ssoError' in told) return notSignedIn(visit, visit.flow, told.ssoError)
  const loaded = await visit.node.accounts.find(told.ssoUser)
  if (loaded === undefined) return notSignedIn(visit, visit.flow, 'sso-failed')
  const { prefix } = loaded.account
  if (told.ssoStatus === 'mfa') {
    keepStep(visit.cookies, { account: prefix, mfaToken: told.ssoMfaToken, method: told.ssoMfaMethod as MfaMethod })
    return { redirect: linkTo(visit, '/second-factor') }
  }
  const { secret } = await callAccount(visit, loaded, retrieve, { key: told.ssoKey })
  keepSession(visit, prefix, String((secret as Record<string, unknown>)['token']))
  return { redirect: afterSignIn(visit) }
}

function notSignedIn(visit: Visit, flow: Flow, why: 'elsewhere' | 'sso-failed' | 'email-not-verified' | 'no-account'): Answer {
  const words = thirdPartyWords[visit.language]
  const body = (
    <>
      <ProblemBox visit={visit} problem={problemWith(words[why])} />
      <p class="buttons">
        <a class="button" href={linkTo({ node: visit.node, flow }, '/sign-in')}>
          {words.back}
        </a>
      </p>
    </>
  )
  return { title: words.title, body, status: 403 }
}
