/** @jsxImportSource hono/jsx */
/**
 * Sets a new password by a mailed link. The token moves to a cookie at once, so that no address contains it. Opening the
 * link does not consume it, because mail scanners open links too.
 */
import { Failure } from '../../../store/model/failure.js'
import { PAGES_APP } from '../../config/apiEndpoint.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { isResetToken, resetPassword } from '../../api/account/resetPassword.js'
import { passwordAges } from '../../auth/password.js'
import { nameIn, NameField, presentAccount } from '../accountName.js'
import { Form } from '../layout.js'
import { linkTo } from '../links.js'
import { NewPasswordFields, PASSWORD, passwordIn, passwordProblem } from '../newPassword/fields.js'
import type { Answer, Page, FormVisit, PageContent, Visit } from '../page.js'
import type { Flow } from '../flow.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { callAccount } from '../session.js'
import { commonWords } from '../words.js'
import { rememberReset, resetIn, type Reset } from './pendingReset.js'
import { resetPasswordWords } from './words.js'

const PATH = '/reset-password/new'
const MAX_TOKEN_LENGTH = 200

type Linked = Extract<Reset, { state: 'linked' }>

export const chooseResetPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  async show(visit) {
    const stored = resetIn(visit.cookies)
    const token = visit.query.get('resetToken')
    if (token !== null) {
      const username = nameIn(visit.query, 'username')
      // The flow comes from the page that requested the mail; the link does not contain it.
      const flow = { ...stored?.flow, ...visit.flow }
      rememberReset(visit.cookies, { state: 'linked', flow, username, token: token.slice(0, MAX_TOKEN_LENGTH) })
      return { redirect: linkTo({ ...visit, flow }, PATH) }
    }
    const visitWithFlow = continuing(visit, stored)
    if (stored?.state === 'done') return donePage(visitWithFlow, stored.username)
    if (stored?.state !== 'linked') return invalidLink(visitWithFlow)
    if (stored.username === '') return formOf(visitWithFlow, stored)
    const loaded = await accountOf(visitWithFlow, stored)
    if (loaded === undefined) return invalidLink(visitWithFlow)
    const early = earlyProblem(visitWithFlow, loaded)
    return early === undefined ? formOf(visitWithFlow, stored) : tooEarly(visitWithFlow, early)
  },
  async submit(visit) {
    const stored = resetIn(visit.cookies)
    const submission = continuing(visit, stored)
    if (stored?.state !== 'linked') return { ...invalidLink(submission), status: 400 }
    const username = nameIn(submission.form, 'username')
    // The link of another account may have been opened since this form was shown.
    if (stored.username !== '' && username !== stored.username) {
      return formOf(submission, stored, problemWith(commonWords[submission.language].wrongForm))
    }
    const problem = passwordProblem(submission)
    if (problem !== undefined) return formOf(submission, stored, problem, username)
    const linked = { ...stored, username }
    const loaded = await accountOf(submission, linked)
    if (loaded === undefined) return { ...invalidLink(submission), status: 401 }
    const early = earlyProblem(submission, loaded)
    if (early !== undefined) return tooEarly(submission, early)
    return setPassword(submission, loaded, linked)
  },
}

/** Returns the visit with the flow from before the mail was requested. */
const continuing = <V extends Visit>(visit: V, stored: { flow: Flow } | undefined): V => ({
  ...visit,
  flow: { ...stored?.flow, ...visit.flow },
})

/** Loads the account of a link with a live token; undefined when the token is expired, used or unknown. */
async function accountOf({ node }: Visit, { username, token }: Linked): Promise<LoadedAccount | undefined> {
  const loaded = await presentAccount(node, username)
  if (loaded === undefined) return undefined
  const { db, prefix } = loaded.account
  return isResetToken(db, prefix, token, node.clock.now()) ? loaded : undefined
}

/** Returns the problem of a password that cannot be changed yet; undefined when it can be. */
function earlyProblem({ node, language }: Visit, { user }: LoadedAccount): Problem | undefined {
  const { canBeChanged = 0 } = passwordAges(node.config, user)
  if (canBeChanged <= node.clock.now()) return undefined
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(new Date(canBeChanged * 1000))
  return problemWith(resetPasswordWords[language].early(date))
}

function formOf(visit: Visit, stored: Linked, problem?: Problem, username = stored.username): PageContent {
  const words = resetPasswordWords[visit.language]
  const isKnown = stored.username !== ''
  const body = (
    <Form visit={visit} path={PATH} problem={problem}>
      <NameField name="username" label={words.username} value={username} problem={problem} isFirst={!isKnown} isFixed={isKnown} />
      <NewPasswordFields visit={visit} problem={problem} isFirst={isKnown} />
      <p class="small soft">{words.ends}</p>
      <div class="buttons">
        <button>{words.button}</button>
      </div>
    </Form>
  )
  return { title: words.title, body, status: problem?.status ?? 200 }
}

/** Sets the password. A password that violates the rules does not consume the link: the form is shown again. */
async function setPassword(submission: FormVisit, loaded: LoadedAccount, linked: Linked): Promise<Answer> {
  const { flow, username, token } = linked
  const params = { appId: PAGES_APP, resetToken: token, newPassword: passwordIn(submission.form) }
  try {
    await callAccount(submission, loaded, resetPassword, params)
  } catch (error) {
    const words = resetPasswordWords[submission.language]
    const count = submission.node.config.get('auth.passwordPreventReuseHistoryLength')
    const reused = (): Problem => problemWith(words.reused(count), PASSWORD)
    const problem = problemOf(submission, error, { 'invalid-access-token': words.over, 'invalid-operation': reused })
    return error instanceof Failure && error.id === 'invalid-operation' ? formOf(submission, linked, problem, username) : invalidLink(submission, problem)
  }
  rememberReset(submission.cookies, { state: 'done', flow, username })
  return { redirect: linkTo(submission, PATH) }
}

/** Renders the page of an invalid link, with the reason and the next step. */
function invalidLink(visit: Visit, problem?: Problem, title = resetPasswordWords[visit.language].overTitle): PageContent {
  const words = resetPasswordWords[visit.language]
  const body = (
    <>
      <p role="alert">{problem?.text ?? words.over}</p>
      <div class="buttons">
        <a class="button" href={linkTo(visit, '/reset-password')}>
          {words.another}
        </a>
        <a class="button second" href={linkTo(visit, '/sign-in')}>
          {words.signIn}
        </a>
      </div>
    </>
  )
  return { title, body, status: problem?.status ?? 200 }
}

const tooEarly = (visit: Visit, problem: Problem): PageContent => invalidLink(visit, problem, resetPasswordWords[visit.language].title)

function donePage(visit: Visit, username: string): PageContent {
  const words = resetPasswordWords[visit.language]
  const body = (
    <>
      <p class="done" role="status">
        {words.done}
      </p>
      <div class="buttons">
        <a class="button" href={linkTo(visit, '/sign-in', { username })}>
          {words.signIn}
        </a>
      </div>
    </>
  )
  return { title: words.doneTitle, body }
}
