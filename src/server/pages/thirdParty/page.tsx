/** @jsxImportSource hono/jsx */
/** Page that starts and completes a third-party login for the pages of the node. */
import type { Refusal } from '../../api/auth/sso/accountLinking.js'
import { readRedirectResult, type RedirectResult } from '../../api/auth/sso/redirectResult.js'
import { THIRD_PARTY_PAGE, thirdPartiesOf } from '../../api/auth/sso/wiring.js'
import { afterSignIn, linkTo } from '../links.js'
import type { Answer, Page, Visit } from '../page.js'
import type { Flow } from '../flow.js'
import { ProblemBox } from '../layout.js'
import { problemWith } from '../problem.js'
import { rememberSession } from '../session.js'
import { rememberPendingLogin } from '../step.js'
import { resumeFlow, canBeStored, suspendFlow } from './suspendedFlow.js'
import { thirdPartyWords } from './words.js'

export const thirdPartyPage: Page = {
  path: THIRD_PARTY_PAGE,
  isBeforeSignIn: true,
  async show(visit) {
    const { query, flow, node, cookies } = visit
    const thirdParties = thirdPartiesOf(node)
    const by = query.get('by') ?? ''
    if (thirdParties?.providers.has(by) === true && canBeStored(flow)) {
      // Use the base address that the third party redirects back to: the cookie is bound to its host.
      return { redirect: `${thirdParties.base}/auth/sso/${by}/start?ssoReturn=${suspendFlow(cookies, flow)}` }
    }
    const sealed = query.get('came') ?? ''
    // Remove the result from the addresses of the page that follows.
    query.delete('came')
    // HEAD requests do not consume the result.
    if (sealed === '' || visit.isHead) return { redirect: linkTo(visit, '/sign-in') }
    const result = readRedirectResult(node, sealed)
    const resumed = resumeFlow(cookies, result?.mark)
    if (result === undefined || resumed === undefined) return notSignedIn(visit, flow, 'elsewhere')
    return signedIn({ ...visit, flow: resumed }, result.came)
  },
}

/** Logs in the returning person, or asks for the second factor. */
async function signedIn(visit: Visit, signIn: RedirectResult['came']): Promise<Answer> {
  if (typeof signIn === 'string') return notSignedIn(visit, visit.flow, signIn)
  const loaded = await visit.node.accounts.find(signIn.username)
  if (loaded === undefined) return notSignedIn(visit, visit.flow, 'sso-failed')
  const { prefix } = loaded.account
  if ('mfaToken' in signIn) {
    rememberPendingLogin(visit.cookies, { account: prefix, mfaToken: signIn.mfaToken, method: signIn.mfaMethod })
    return { redirect: linkTo(visit, '/second-factor') }
  }
  rememberSession(visit, prefix, signIn.token)
  return { redirect: afterSignIn(visit) }
}

function notSignedIn(visit: Visit, flow: Flow, why: 'elsewhere' | Refusal): Answer {
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
