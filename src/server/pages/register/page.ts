/**
 * Registration page. Where addresses are verified first, it asks for the address, then for the mailed code, then for
 * the rest; the proof is kept encrypted in a cookie meanwhile.
 */
import { Failure } from '../../../store/model/failure.js'
import { createUser } from '../../register/createUser.js'
import { provesEmails } from '../../register/emailProof.js'
import { afterSignIn, linkTo } from '../links.js'
import type { Answer, Page, FormVisit } from '../page.js'
import { problemWith } from '../problem.js'
import { callNode, rememberSession } from '../session.js'
import { commonWords } from '../words.js'
import { parametersOf } from './fields.js'
import { accountForm, PATH, STEP } from './form.js'
import { provingIn, type Proving } from './pendingProof.js'
import { formProblem, refusalProblem } from './problems.js'
import { addressForm, checkCode, codeForm, sendCode } from './proving.js'
import { registerWords } from './words.js'

type Proved = Extract<Proving, { state: 'proved' }>

export const registerPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  show(visit) {
    if (visit.session !== undefined) return { redirect: afterSignIn(visit) }
    if (!provesEmails(visit.node)) return accountForm({ visit })
    const proving = provingIn(visit.cookies)
    if (proving === undefined) return addressForm(visit)
    return proving.state === 'sent' ? codeForm(visit, proving.email) : accountForm({ visit, proved: proving.email })
  },
  take(sent) {
    if (!provesEmails(sent.node)) return register(sent)
    const step = sent.form.get(STEP)
    const email = (sent.form.get('email') ?? '').trim()
    if (step === 'send') return sendCode(sent, email, false)
    if (step === 'other') {
      sent.cookies.remove('register')
      return { redirect: linkTo(sent, PATH) }
    }
    const proving = provingIn(sent.cookies)
    // Another address may have been verified since this form was shown, or the cookie may be gone.
    if (proving?.email !== email) return addressForm(sent, problemWith(commonWords[sent.language].wrongForm), email)
    if (step === 'check') return checkCode(sent, email)
    if (step === 'again') return sendCode(sent, email, true)
    return proving.state === 'proved' ? register(sent, proving) : codeForm(sent, email)
  },
}

async function register(sent: FormVisit, proved?: Proved): Promise<Answer> {
  const { form, node, cookies, language } = sent
  const parameters = parametersOf(sent, proved)
  const refused = (problem: ReturnType<typeof refusalProblem>): Answer => accountForm({ visit: sent, problem, form, proved: proved?.email })
  const problem = formProblem(sent, parameters)
  if (problem !== undefined) return refused(problem)
  try {
    const { username, token } = await callNode(sent, createUser, parameters)
    cookies.remove('register')
    const loaded = await node.accounts.find(String(username))
    if (loaded === undefined) throw new Failure('unexpected-error')
    rememberSession(sent, loaded.account.prefix, String(token))
  } catch (error) {
    if (error instanceof Failure && error.id === 'forbidden' && proved !== undefined) {
      cookies.remove('register')
      return addressForm(sent, problemWith(registerWords[language].proofOver), proved.email)
    }
    return refused(refusalProblem(sent, error))
  }
  return { redirect: afterSignIn(sent) }
}
