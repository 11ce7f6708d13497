/** @jsxImportSource hono/jsx */
/** E-mail verification before registration: requests a code, and checks it. */
import { Failure } from '../../../store/model/failure.js'
import { emailChallenge, emailChallengeVerify } from '../../api/register/emailChallenge.js'
import { asTyped } from '../accountName.js'
import { ForApp } from '../authorize/app.js'
import { Field, Form } from '../layout.js'
import { linkTo } from '../links.js'
import type { Answer, FormVisit, PageContent, Visit } from '../page.js'
import { headersOfProblem, problemOf, type Problem } from '../problem.js'
import { callNode } from '../session.js'
import { OtherAddress, PATH, STEP } from './form.js'
import { rememberVerification } from './pendingProof.js'
import { registerWords } from './words.js'

/** Renders the form for the address that a code is sent to. */
export function addressForm(visit: Visit, problem?: Problem, email = ''): PageContent {
  const words = registerWords[visit.language]
  const body = (
    <>
      <ForApp visit={visit} />
      <p>{words.addressFirst}</p>
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name={STEP} value="send" />
        <Field
          name="email"
          type="email"
          label={words.email}
          value={email}
          problem={problem}
          isFirst
          more={{ ...asTyped, autocomplete: 'email', maxlength: '300' }}
        />
        <div class="buttons">
          <button>{words.sendCode}</button>
        </div>
      </Form>
      <p class="small">
        <a href={linkTo(visit, '/sign-in')}>{words.haveOne}</a>
      </p>
    </>
  )
  return { title: words.title, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}

/** Renders the form for a code that was sent; `refusal` is the problem of sending another. */
export function codeForm(visit: Visit, email: string, problem?: Problem, refusal?: Problem): PageContent {
  const words = registerWords[visit.language]
  const minutes = Math.max(1, Math.round(visit.node.config.get('account.emailVerification.registrationCodeMaxAgeMs') / 60_000))
  const body = (
    <>
      <p role="status">
        {words.codeSent} <strong class="name">{email}</strong>.
      </p>
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name={STEP} value="check" />
        <input type="hidden" name="email" value={email} />
        <Field
          name="code"
          label={words.code}
          hint={words.codeHint(minutes)}
          problem={problem}
          isFirst
          more={{ autocomplete: 'one-time-code', autocapitalize: 'characters', spellcheck: 'false', maxlength: '32' }}
        />
        <div class="buttons">
          <button>{words.checkCode}</button>
        </div>
      </Form>
      <Form visit={visit} path={PATH} problem={refusal}>
        <input type="hidden" name={STEP} value="again" />
        <input type="hidden" name="email" value={email} />
        <div class="buttons">
          <button class="second">{words.sendAgain}</button>
        </div>
      </Form>
      <OtherAddress visit={visit} />
    </>
  )
  const wrong = problem ?? refusal
  return { title: words.title, body, status: wrong?.status ?? 200, headers: headersOfProblem(wrong) }
}

/** Requests a code for an address. `isAgain`: a code was sent before. */
export async function sendCode(submission: FormVisit, email: string, isAgain: boolean): Promise<Answer> {
  const words = registerWords[submission.language]
  try {
    await callNode(submission, emailChallenge, { email, language: submission.language })
  } catch (error) {
    const problem = problemOf(submission, error, {
      'item-already-exists': () => ({ text: words.emailTaken, field: 'email', status: 409 }),
      'invalid-parameters-format': () => ({ text: words.emailInvalid, field: 'email', status: 400 }),
      'unexpected-error': words.mailFailed,
    })
    const { waitSeconds } = problem
    // A code sent shortly before is still valid.
    const isRecent = isCooldown(error) && waitSeconds !== undefined
    if (isAgain || isRecent) {
      rememberVerification(submission, { state: 'sent', email })
      return codeForm(submission, email, undefined, isRecent ? { ...problem, text: words.sentRecently(waitSeconds) } : problem)
    }
    return addressForm(submission, problem, email)
  }
  rememberVerification(submission, { state: 'sent', email })
  return { redirect: linkTo(submission, PATH) }
}

const isCooldown = (error: unknown): boolean => error instanceof Failure && dataOf(error).reason === 'cooldown'

const dataOf = ({ data }: Failure): { reason?: string; attemptsRemaining?: number } =>
  typeof data === 'object' && data !== null ? data : {}

/** Exchanges a code for the proof of its address. */
export async function checkCode(submission: FormVisit, email: string): Promise<Answer> {
  const words = registerWords[submission.language]
  const wrong = (text: string, status = 401): Problem => ({ text, field: 'code', status })
  try {
    const { emailProof } = await callNode(submission, emailChallengeVerify, { email, code: (submission.form.get('code') ?? '').trim() })
    rememberVerification(submission, { state: 'proved', email, proof: String(emailProof) })
    return { redirect: linkTo(submission, PATH) }
  } catch (error) {
    const problem = problemOf(submission, error, {
      'invalid-parameters-format': () => wrong(words.missing(words.code), 400),
      'invalid-access-token': (failure) => {
        const { attemptsRemaining = 0 } = dataOf(failure)
        return wrong(attemptsRemaining > 0 ? words.wrongCode(attemptsRemaining) : words.overCode)
      },
      'too-many-attempts': () => wrong(words.spentCode, 429),
    })
    return codeForm(submission, email, problem)
  }
}
