/**
 * Registration page. Where addresses are verified first, it asks for the address, then for the mailed code, then for
 * the other fields; in between, an encrypted cookie holds the state.
 */
import { Failure } from '../../../store/model/failure.js'
import { createUser } from '../../api/register/createUser.js'
import { provesEmails } from '../../api/register/emailProof.js'
import { afterSignIn, linkTo } from '../links.js'
import { otherCoreOf, otherCorePage } from '../otherCore/otherCore.js'
import type { Answer, Page, FormVisit } from '../page.js'
import { problemWith } from '../problem.js'
import { callNode, rememberSession } from '../session.js'
import { commonWords } from '../words.js'
import { parametersOf } from './fields.js'
import { accountForm, PATH, STEP } from './form.js'
import { verificationIn, type EmailVerification } from './pendingProof.js'
import { formProblem, refusalProblem } from './problems.js'
import { addressForm, checkCode, codeForm, sendCode } from './emailVerification.js'
import { registerWords } from './words.js'

type Proved = Extract<EmailVerification, { state: 'proved' }>

export const registerPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  show(visit) {
    if (visit.session !== undefined) return { redirect: afterSignIn(visit) }
    if (!provesEmails(visit.node)) return accountForm({ visit })
    const verification = verificationIn(visit.cookies)
    if (verification === undefined) return addressForm(visit)
    return verification.state === 'sent' ? codeForm(visit, verification.email) : accountForm({ visit, proved: verification.email })
  },
  submit(submission) {
    if (!provesEmails(submission.node)) return register(submission)
    const step = submission.form.get(STEP)
    const email = (submission.form.get('email') ?? '').trim()
    if (step === 'send') return sendCode(submission, email, false)
    if (step === 'other') {
      submission.cookies.remove('register')
      return { redirect: linkTo(submission, PATH) }
    }
    const verification = verificationIn(submission.cookies)
    // Another address may have been verified since this form was shown, or the cookie may be gone.
    if (verification?.email !== email) return addressForm(submission, problemWith(commonWords[submission.language].wrongForm), email)
    if (step === 'check') return checkCode(submission, email)
    if (step === 'again') return sendCode(submission, email, true)
    return verification.state === 'proved' ? register(submission, verification) : codeForm(submission, email)
  },
}

/** Leads to the core on which the account was created, to sign in there. */
async function createdElsewhere(submission: FormVisit, name: string): Promise<Answer> {
  const url = await otherCoreOf(submission, { field: 'username', value: name })
  if (url === undefined) throw new Failure('unexpected-error')
  return otherCorePage(submission, { url, path: '/sign-in', name, isNew: true })
}

async function register(submission: FormVisit, proved?: Proved): Promise<Answer> {
  const { form, node, cookies, language } = submission
  const parameters = parametersOf(submission, proved)
  const rejected = (problem: ReturnType<typeof refusalProblem>): Answer => accountForm({ visit: submission, problem, form, proved: proved?.email })
  const problem = formProblem(submission, parameters)
  if (problem !== undefined) return rejected(problem)
  try {
    const { username, token } = await callNode(submission, createUser, parameters)
    cookies.remove('register')
    const loaded = await node.accounts.find(String(username))
    if (loaded === undefined) return await createdElsewhere(submission, String(username))
    rememberSession(submission, loaded.account.prefix, String(token))
  } catch (error) {
    if (error instanceof Failure && error.id === 'forbidden' && proved !== undefined) {
      cookies.remove('register')
      return addressForm(submission, problemWith(registerWords[language].proofOver), proved.email)
    }
    return rejected(refusalProblem(submission, error))
  }
  return { redirect: afterSignIn(submission) }
}
