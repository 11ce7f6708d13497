/** @jsxImportSource hono/jsx */
/** Second step of a login: a code of the second factor, or a recovery code that removes the factor. */
import { Failure } from '../../../store/model/failure.js'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { challenge } from '../../api/mfa/challenge.js'
import { offeredMethods } from '../../api/mfa/offer.js'
import { verify } from '../../api/mfa/verify.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { CodeField, codeIn } from '../codeField.js'
import { ForApp } from '../authorize/app.js'
import { Form, ProblemBox } from '../layout.js'
import { afterSignIn, linkTo } from '../links.js'
import type { Answer, Page, FormVisit, PageContent, Visit } from '../page.js'
import { headersOfProblem, problemOf, tooSoonToSend, type Problem } from '../problem.js'
import { accountAt, callPending, rememberSession } from '../session.js'
import { stepIn, type PendingLogin } from '../step.js'
import { recoveryForm, useRecoveryCode } from './recovery.js'
import { secondFactorWords } from './words.js'

const PATH = '/second-factor'

/** A pending step with its account. */
interface PendingStep {
  step: PendingLogin
  loaded: LoadedAccount
}

export const secondFactorPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  async show(visit) {
    const pendingStep = await pendingStepIn(visit)
    if (pendingStep === undefined) return redirectAway(visit)
    if (visit.query.get('with') === 'recovery') return recoveryForm(visit, PATH, pendingStep)
    const { step, loaded } = pendingStep
    if (offeredMethods(visit.node.config).length === 0) return endedPage(visit, 'off')
    return isLive(visit, step, loaded) ? codePage(visit, pendingStep) : endedPage(visit, 'ended')
  },
  async submit(submission) {
    const pendingStep = await pendingStepIn(submission)
    if (pendingStep === undefined) return redirectAway(submission)
    if (submission.form.get('do') === 'recover') return recoverAccount(submission, pendingStep)
    try {
      return submission.form.get('do') === 'resend' ? await sendAgain(submission, pendingStep) : await check(submission, pendingStep)
    } catch (error) {
      return rejectedStep(submission, pendingStep, error)
    }
  },
}

/** Redirects when no step is pending. */
const redirectAway = (visit: Visit): Answer => ({
  redirect: visit.session === undefined ? linkTo(visit, '/sign-in') : afterSignIn(visit),
})

async function pendingStepIn(visit: Visit): Promise<PendingStep | undefined> {
  const step = stepIn(visit.cookies)
  const loaded = step === undefined ? undefined : await accountAt(visit.node, step.account)
  return step === undefined || loaded === undefined ? undefined : { step, loaded }
}

/** Checks that the login of a step is still pending, for the method of the step. */
function isLive({ node }: Visit, { mfaToken, method }: PendingLogin, { account: { prefix } }: LoadedAccount): boolean {
  const pending = node.mfaSessions.find(mfaToken, prefix)
  return pending?.kind === 'login' && readEnrolment(node.store.db, prefix)?.method === method
}

async function check(submission: FormVisit, { step, loaded }: PendingStep): Promise<Answer> {
  const { token } = await callPending(submission, loaded, step.mfaToken, verify, { code: codeIn(submission.form) })
  submission.cookies.remove('step')
  rememberSession(submission, step.account, String(token))
  return { redirect: afterSignIn(submission) }
}

async function sendAgain(submission: FormVisit, { step, loaded }: PendingStep): Promise<Answer> {
  await callPending(submission, loaded, step.mfaToken, challenge, {})
  return { redirect: linkTo(submission, PATH, { sent: 'yes' }) }
}

function rejectedStep(submission: FormVisit, pendingStep: PendingStep, error: unknown): Answer {
  const id = error instanceof Failure ? error.id : undefined
  if (id === 'unavailable-method') return endedPage(submission, 'off')
  // The whole login failed: its session has ended, or the password is no longer valid.
  if (id === 'forbidden' || id === 'invalid-credentials') return endedPage(submission, 'ended')
  const words = secondFactorWords[submission.language]
  const isResent = submission.form.get('do') === 'resend'
  const problem = problemOf(submission, error, {
    'invalid-parameters-format': () => ({ text: words.wrong, field: 'code', status: 400 }),
    'invalid-operation': words.notSent,
    ...(isResent ? { 'too-many-attempts': (failure) => tooSoonToSend(submission, failure) } : {}),
  })
  return codePage(submission, pendingStep, problem, isResent ? 'resend' : 'code')
}

async function recoverAccount(submission: FormVisit, pendingStep: PendingStep): Promise<Answer> {
  const answer = await useRecoveryCode(submission, PATH, pendingStep)
  return answer === 'gone' ? endedPage(submission, 'gone') : answer
}

/** Renders the page of a login that has ended, with the way back to its start. */
function endedPage(visit: Visit, why: 'ended' | 'off' | 'gone'): PageContent {
  const words = secondFactorWords[visit.language]
  visit.cookies.remove('step')
  const problem = { text: words[why], status: 403 }
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      <p class="buttons">
        <a class="button" href={linkTo(visit, '/sign-in')}>
          {words.button}
        </a>
      </p>
    </>
  )
  return { title: words.title, body, status: problem.status }
}

/** Renders the form for the code; `form` names the form of the page that a problem is about. */
function codePage(visit: Visit, { step, loaded }: PendingStep, problem?: Problem, form: 'code' | 'resend' = 'code'): PageContent {
  const words = secondFactorWords[visit.language]
  const isSent = problem === undefined && visit.query.get('sent') === 'yes' && step.method === 'sms'
  const body = (
    <>
      <p class="soft name">
        {words.account}: <strong>{loaded.user.username}</strong>
      </p>
      {isSent ? (
        <div class="done" role="status">
          <p>{words.sent}</p>
        </div>
      ) : null}
      <ForApp visit={visit} />
      <Form visit={visit} path={PATH} problem={form === 'code' ? problem : undefined}>
        <CodeField label={words.code} hint={step.method === 'sms' ? words.byPhone : words.byApp} problem={problem} isFirst />
        <div class="buttons">
          <button>{words.button}</button>
        </div>
      </Form>
      {step.method !== 'sms' ? null : (
        <Form visit={visit} path={PATH} problem={form === 'resend' ? problem : undefined}>
          <input type="hidden" name="do" value="resend" />
          <div class="buttons">
            <button class="second">{words.again}</button>
          </div>
        </Form>
      )}
      <p class="small">
        <a href={linkTo(visit, PATH, { with: 'recovery' })}>{words.lost}</a>
      </p>
      <p class="small">
        <a href={linkTo(visit, '/sign-in')}>{words.otherAccount}</a>
      </p>
    </>
  )
  return { title: words.title, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}
