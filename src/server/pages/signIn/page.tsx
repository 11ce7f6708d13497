/** @jsxImportSource hono/jsx */
/** Sign-in page: user name or e-mail address, and password. A second factor is asked for on the next page. */
import { coreOfHolder, failureOfAbsent, WrongCore } from '../../platform/cores/wrongCore.js'
import { Failure } from '../../../store/model/failure.js'
import type { MfaMethod } from '../../../store/model/mfa.js'
import { PAGES_APP } from '../../config/apiEndpoint.js'
import { login } from '../../api/auth/login.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { CONSENT_PAGE } from '../../api/oauth/issuer.js'
import { relocationFailure } from '../../dispatch/relocation.js'
import { ForApp } from '../authorize/app.js'
import { nameIn, NameField } from '../accountName.js'
import { Form, PasswordField } from '../layout.js'
import { afterSignIn, linkTo } from '../links.js'
import { otherCorePage } from '../otherCore/otherCore.js'
import type { Answer, Page, FormVisit, Visit } from '../page.js'
import { headersOfProblem, problemOf, type Problem } from '../problem.js'
import { isSignedIn } from '../oauthConsent/freshLogin.js'
import { callAccount, rememberSession } from '../session.js'
import { rememberPendingLogin } from '../step.js'
import { ThirdPartyButtons } from '../thirdParty/buttons.js'
import { signInWords } from './words.js'

const PATH = '/sign-in'

export const signInPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  show: (visit) => (isSignedIn(visit) ? { redirect: afterSignIn(visit) } : formOf(visit)),
  async submit(submission) {
    try {
      return await signIn(submission)
    } catch (error) {
      if (error instanceof WrongCore) return otherCorePage(submission, { url: error.coreUrl, path: PATH, name: nameIn(submission.form, 'name') })
      const words = signInWords[submission.language]
      const texts = {
        'invalid-credentials': words.wrong,
        'unknown-user': words.wrong,
        UNKNOWN_EMAIL: words.noAddress,
        'mfa-method-inactive': words.notOffered,
      }
      return formOf(submission, problemOf(submission, error, texts), nameIn(submission.form, 'name'))
    }
  },
}

function formOf(visit: Visit, problem?: Problem, name = visit.query.get('username') ?? ''): Answer {
  const words = signInWords[visit.language]
  const body = (
    <>
      <ForApp visit={visit} />
      <Form visit={visit} path={PATH} problem={problem}>
        <NameField name="name" label={words.name} value={name} problem={problem} isFirst={name === ''} />
        <PasswordField
          visit={visit}
          name="password"
          label={words.password}
          problem={problem}
          isFirst={name !== ''}
          more={{ maxlength: '1000' }}
        />
        <div class="buttons">
          <button>{words.button}</button>
        </div>
      </Form>
      <ThirdPartyButtons visit={visit} />
      {visit.flow.oauth === undefined ? (
        ''
      ) : (
        <Form visit={visit} path={CONSENT_PAGE}>
          <div class="buttons">
            <button class="second" name="do" value="refuse">
              {words.refuse}
            </button>
          </div>
        </Form>
      )}
      <p class="small">
        <a href={linkTo(visit, '/reset-password')}>{words.forgotten}</a>
      </p>
      <p class="small">
        <a href={linkTo(visit, '/register')}>{words.register}</a>
      </p>
    </>
  )
  return { title: words.title, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}

async function signIn(submission: FormVisit): Promise<Answer> {
  const loaded = await accountNamed(submission, nameIn(submission.form, 'name'))
  const { username } = loaded.user
  const password = submission.form.get('password') ?? ''
  const answer = await callAccount(submission, loaded, login, { username, password, appId: PAGES_APP })
  if (typeof answer['mfaToken'] === 'string') {
    const method = answer['mfaMethod'] as MfaMethod
    rememberPendingLogin(submission.cookies, { account: loaded.account.prefix, mfaToken: answer['mfaToken'], method })
    return { redirect: linkTo(submission, '/second-factor') }
  }
  rememberSession(submission, loaded.account.prefix, String(answer['token']))
  return { redirect: afterSignIn(submission) }
}

/**
 * Loads the account of a user name or an e-mail address.
 * @throws Failure `unknown-user`; `UNKNOWN_EMAIL` where address lookups are public; `user-account-relocated`; `wrong-core`
 */
async function accountNamed({ node }: Visit, name: string): Promise<LoadedAccount> {
  const username = name.includes('@') ? await usernameOfAddress(node, name) : name
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) {
    const absent = await failureOfAbsent(node, { field: 'username', value: username }, username)
    throw absent.id === 'unknown-resource' ? new Failure('unknown-user') : absent
  }
  const { relocated } = loaded.user
  if (relocated !== undefined) throw relocationFailure(node, username, relocated, { username, path: '/', query: '' })
  return loaded
}

async function usernameOfAddress(node: Visit['node'], address: string): Promise<string> {
  const holder = await node.registry.lookUp({ field: 'email', value: address })
  if (holder?.username !== undefined) return holder.username
  if (holder !== undefined) throw new WrongCore(coreOfHolder(node, holder).url)
  throw new Failure(node.config.get('account.lookUpByEmail') ? 'UNKNOWN_EMAIL' : 'unknown-user')
}
