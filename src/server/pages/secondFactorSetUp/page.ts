/** Page of the second factor of the signed-in owner: set up, replace, switch off. */
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { Failure } from '../../../store/model/failure.js'
import type { Enrolment } from '../../../store/model/mfa.js'
import { activate } from '../../api/mfa/activate.js'
import { challenge } from '../../api/mfa/challenge.js'
import { confirm } from '../../api/mfa/confirm.js'
import { deactivate } from '../../api/mfa/deactivate.js'
import { codeIn } from '../codeField.js'
import { consolePage } from '../console/consolePage.js'
import { linkTo } from '../links.js'
import type { Answer, Page, OwnVisit, OwnFormVisit } from '../page.js'
import { problemOf, tooSoonToSend, type Problem } from '../problem.js'
import { callAsOwner, callPending } from '../session.js'
import { dropPending, rememberPending, pendingIn, pendingToken } from './pending.js'
import { codesView, offView, overview, PATH, pendingView, startView } from './views.js'
import { setUpWords } from './words.js'

export const secondFactorSetUpPage: Page = consolePage({
  path: PATH,
  section: 'settings',
  isOfPerson: true,
  show: (visit) => {
    const pending = pendingIn(visit)
    return pending === undefined ? stateView(visit, visit.query.get('do')) : pendingView(visit, pending)
  },
  submit(submission) {
    const action = submission.form.get('do') ?? ''
    return Object.hasOwn(actions, action) ? (actions[action]?.(submission) ?? reload(submission)) : reload(submission)
  },
})

const enrolmentOf = ({ node, session }: OwnVisit): Enrolment | undefined => readEnrolment(node.store.db, session.account.prefix)

const reload = (visit: OwnVisit, more: Record<string, string> = {}): Answer => ({ redirect: linkTo(visit, PATH, more) })

/** Renders the page for the state of the account; `action` is what the owner has chosen to do; null for nothing. */
function stateView(visit: OwnVisit, action: string | null, problem?: Problem, form?: URLSearchParams): Answer {
  const enrolment = enrolmentOf(visit)
  if (enrolment === undefined || action === 'replace') return startView(visit, enrolment, problem, form)
  return action === 'off' ? offView(visit, enrolment, problem) : overview(visit, enrolment, problem)
}

const actions: Readonly<Record<string, (submission: OwnFormVisit) => Promise<Answer> | Answer>> = {
  async begin(submission) {
    const { form } = submission
    const method = form.get('method') ?? ''
    const phone = method === 'sms' ? { phone: phoneIn(form) } : {}
    try {
      const stepUp = enrolmentOf(submission) === undefined ? {} : stepUpIn(form)
      const { mfaToken } = await callAsOwner(submission, submission.session, activate, { method, ...phone, ...stepUp })
      rememberPending(submission.cookies, String(mfaToken))
      return reload(submission)
    } catch (error) {
      return stateView(submission, 'replace', problemIn(submission, error), form)
    }
  },

  async confirm(submission) {
    const { session, cookies } = submission
    try {
      const { recoveryCodes } = await callPending(submission, session.loaded, pendingToken(cookies), confirm, { code: codeIn(submission.form) })
      dropPending(cookies)
      return codesView(submission, recoveryCodes as string[])
    } catch (error) {
      return stillPending(submission, error, 'code')
    }
  },

  async resend(submission) {
    try {
      await callPending(submission, submission.session.loaded, pendingToken(submission.cookies), challenge, {})
      return reload(submission, { done: 'sent' })
    } catch (error) {
      return stillPending(submission, error, 'resend')
    }
  },

  cancel(submission) {
    const pending = pendingIn(submission)
    if (pending !== undefined) submission.node.mfaSessions.end(pending)
    dropPending(submission.cookies)
    return reload(submission)
  },

  async off(submission) {
    const requiresStepUp = submission.node.config.get('services.mfa.stepUp.required')
    try {
      await callAsOwner(submission, submission.session, deactivate, requiresStepUp ? stepUpIn(submission.form) : {})
    } catch (error) {
      return stateView(submission, 'off', problemIn(submission, error))
    }
    return reload(submission, { done: 'off' })
  },
}

/** Renders the page after a refusal: the enrolment is still pending, or has ended. */
function stillPending(submission: OwnFormVisit, error: unknown, form: 'code' | 'resend'): Answer {
  const problem = problemIn(submission, error, form)
  const pending = pendingIn(submission)
  if (pending !== undefined) return pendingView(submission, pending, problem, form)
  dropPending(submission.cookies)
  return stateView(submission, null, problem)
}

/** Returns the phone number of a form without separators, with `+` for a leading `00`. */
const phoneIn = (form: URLSearchParams): string => (form.get('phone') ?? '').replace(/[\s().-]/g, '').replace(/^00/, '+')

/** Returns the password and the code that prove the identity again, without empty fields. */
function stepUpIn(form: URLSearchParams): { password?: string; code?: string } {
  const password = form.get('password') ?? ''
  const code = codeIn(form)
  return { ...(password === '' ? {} : { password }), ...(code === '' ? {} : { code }) }
}

function problemIn(submission: OwnFormVisit, error: unknown, form?: 'code' | 'resend'): Problem {
  const { wrong, notOffered } = setUpWords[submission.language]
  const idOf = ({ data }: Failure): unknown => (typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined)
  return problemOf(submission, error, {
    ...(form === 'resend' ? { 'too-many-attempts': (failure: Failure) => tooSoonToSend(submission, failure) } : {}),
    'invalid-step-up': () => ({ text: wrong.proof, field: 'password', status: 403 }),
    'invalid-parameters-format': (failure) => {
      const [text, field] = formats(wrong)[String(idOf(failure))] ?? [wrong.code, 'code']
      return { text, field, status: 400 }
    },
    'invalid-operation': (failure) => (idOf(failure) === 'mfa-sms-provider-error' ? wrong.notSent : wrong.meanwhile),
    forbidden: wrong.ended,
    'unavailable-method': notOffered,
  })
}

/** Maps ids of parameter errors to their text and field. */
const formats = (wrong: (typeof setUpWords)['en']['wrong']): Partial<Record<string, [string, string]>> => ({
  'invalid-mfa-method': [wrong.method, 'method'],
  'invalid-mfa-content': [wrong.phone, 'phone'],
  'step-up-required': [wrong.noProof, 'password'],
})
