/** Page of the second factor of the signed-in owner: set up, replace, switch off. */
import { readEnrolment } from '../../../store/accounts/mfa.js'
import { Failure } from '../../../store/model/failure.js'
import type { Enrolment } from '../../../store/model/mfa.js'
import { activate } from '../../mfa/activate.js'
import { challenge } from '../../mfa/challenge.js'
import { confirm } from '../../mfa/confirm.js'
import { deactivate } from '../../mfa/deactivate.js'
import { codeIn } from '../codeField.js'
import { linkTo } from '../links.js'
import { ownerPage, type Answer, type Page, type FormVisit } from '../page.js'
import { problemOf, tooSoonToSend, type Problem } from '../problem.js'
import { callAsOwner, callPending } from '../session.js'
import { dropPending, rememberPending, pendingIn, pendingToken } from './pending.js'
import { codesView, offView, overview, PATH, pendingView, startView, type OwnVisit } from './views.js'
import { setUpWords } from './words.js'

type OwnSent = OwnVisit & FormVisit

export const secondFactorSetUpPage: Page = ownerPage({
  path: PATH,
  owner: 'mfa',
  show: (visit) => {
    const pending = pendingIn(visit)
    return pending === undefined ? stateView(visit, visit.query.get('do')) : pendingView(visit, pending)
  },
  take(sent) {
    const input = sent.form.get('do') ?? ''
    return Object.hasOwn(deeds, input) ? (deeds[input]?.(sent) ?? toItself(sent)) : toItself(sent)
  },
})

const enrolmentOf = ({ node, session }: OwnVisit): Enrolment | undefined => readEnrolment(node.store.db, session.account.prefix)

const toItself = (visit: OwnVisit, more: Record<string, string> = {}): Answer => ({ redirect: linkTo(visit, PATH, more) })

/** Renders the page for the state of the account; `input` is the action that the owner has chosen. */
function stateView(visit: OwnVisit, input: string | null, problem?: Problem, given?: URLSearchParams): Answer {
  const enrolment = enrolmentOf(visit)
  if (enrolment === undefined || input === 'replace') return startView(visit, enrolment, problem, given)
  return input === 'off' ? offView(visit, enrolment, problem) : overview(visit, enrolment, problem)
}

const deeds: Readonly<Record<string, (sent: OwnSent) => Promise<Answer> | Answer>> = {
  async begin(sent) {
    const { form } = sent
    const method = form.get('method') ?? ''
    const phone = method === 'sms' ? { phone: phoneIn(form) } : {}
    try {
      const stepUp = enrolmentOf(sent) === undefined ? {} : stepUpIn(form)
      const { mfaToken } = await callAsOwner(sent, sent.session, activate, { method, ...phone, ...stepUp })
      rememberPending(sent.cookies, String(mfaToken))
      return toItself(sent)
    } catch (error) {
      return stateView(sent, 'replace', problemIn(sent, error), form)
    }
  },

  async confirm(sent) {
    const { session, cookies } = sent
    try {
      const { recoveryCodes } = await callPending(sent, session.loaded, pendingToken(cookies), confirm, { code: codeIn(sent.form) })
      dropPending(cookies)
      return codesView(sent, recoveryCodes as string[])
    } catch (error) {
      return stillPending(sent, error, 'code')
    }
  },

  async resend(sent) {
    try {
      await callPending(sent, sent.session.loaded, pendingToken(sent.cookies), challenge, {})
      return toItself(sent, { done: 'sent' })
    } catch (error) {
      return stillPending(sent, error, 'resend')
    }
  },

  cancel(sent) {
    const pending = pendingIn(sent)
    if (pending !== undefined) sent.node.mfaSessions.end(pending)
    dropPending(sent.cookies)
    return toItself(sent)
  },

  async off(sent) {
    const isAsked = sent.node.config.get('services.mfa.stepUp.required')
    try {
      await callAsOwner(sent, sent.session, deactivate, isAsked ? stepUpIn(sent.form) : {})
    } catch (error) {
      return stateView(sent, 'off', problemIn(sent, error))
    }
    return toItself(sent, { done: 'off' })
  },
}

/** Renders the page after a refusal: the enrolment is still pending, or has ended. */
function stillPending(sent: OwnSent, error: unknown, form: 'code' | 'resend'): Answer {
  const problem = problemIn(sent, error, form)
  const pending = pendingIn(sent)
  if (pending !== undefined) return pendingView(sent, pending, problem, form)
  dropPending(sent.cookies)
  return stateView(sent, null, problem)
}

/** Returns the phone number of a form without separators, with `+` for a leading `00`. */
const phoneIn = (form: URLSearchParams): string => (form.get('phone') ?? '').replace(/[\s().-]/g, '').replace(/^00/, '+')

/** Returns the password and the code that prove the identity again, without empty fields. */
function stepUpIn(form: URLSearchParams): { password?: string; code?: string } {
  const password = form.get('password') ?? ''
  const code = codeIn(form)
  return { ...(password === '' ? {} : { password }), ...(code === '' ? {} : { code }) }
}

function problemIn(sent: OwnSent, error: unknown, form?: 'code' | 'resend'): Problem {
  const { wrong, notOffered } = setUpWords[sent.language]
  const idOf = ({ data }: Failure): unknown => (typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined)
  return problemOf(sent, error, {
    ...(form === 'resend' ? { 'too-many-attempts': (failure: Failure) => tooSoonToSend(sent, failure) } : {}),
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
