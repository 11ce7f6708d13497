/** @jsxImportSource hono/jsx */
/** Views of the page of the second factor, one for each state. */
import type { Child } from 'hono/jsx'
import type { Enrolment, MfaMethod } from '../../../store/model/mfa.js'
import { offeredMethods } from '../../api/mfa/offer.js'
import type { PendingEnrolment } from '../../api/mfa/sessions.js'
import { otpauthUri } from '../../api/mfa/totp.js'
import { CodeField } from '../codeField.js'
import { settingsStyle } from '../console/settings/style.js'
import { Field, Form, PasswordField, ProblemBox } from '../layout.js'
import { afterSignIn, linkTo } from '../links.js'
import type { OwnVisit, PageContent, Visit } from '../page.js'
import { headersOfProblem, type Problem } from '../problem.js'
import { maskedPhone } from './pending.js'
import { QrCode } from './qr.js'
import { setUpWords } from './words.js'

export const PATH = '/second-factor/set-up'

const viewOf = (title: string, body: Child, problem?: Problem): PageContent => ({
  title,
  body: <div class="narrow-form">{body}</div>,
  assets: [settingsStyle],
  status: problem?.status ?? 200,
  headers: headersOfProblem(problem),
})

/** Returns the link to the page that follows this one: the pending OAuth consent or access request, else the overview. */
const nextPage = (visit: Visit): string =>
  visit.flow.oauth === undefined && visit.flow.key === undefined ? linkTo(visit, '/overview') : afterSignIn(visit)

function Links({ visit }: { visit: OwnVisit }) {
  return (
    <p class="small">
      <a href={linkTo(visit, '/settings')}>{setUpWords[visit.language].toSettings}</a>
    </p>
  )
}

/** Renders a notice about the action that was just completed, from the query. */
function Notice({ visit }: { visit: OwnVisit }) {
  const words = setUpWords[visit.language]
  const done = visit.query.get('done')
  const text = done === 'recovered' ? words.isRecovered : done === 'off' ? words.isOff : done === 'sent' ? words.sentAgain : undefined
  if (text === undefined) return <></>
  return (
    <div class="done" role="status">
      <p>{text}</p>
    </div>
  )
}

/** Renders the state of an account that has a factor, and the actions on it. */
export function overview(visit: OwnVisit, { method, content }: Enrolment, problem?: Problem): PageContent {
  const words = setUpWords[visit.language]
  const isOffered = offeredMethods(visit.node.config).length > 0
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      <p>{method === 'sms' ? words.onPhone(maskedPhone(content['phone'])) : words.onApp}</p>
      <p class="soft">{words.codesHint}</p>
      <p class="buttons">
        {isOffered ? (
          <a class="button second" href={linkTo(visit, PATH, { do: 'replace' })}>
            {words.replace}
          </a>
        ) : null}
        <a class="button second" href={linkTo(visit, PATH, { do: 'off' })}>
          {words.off}
        </a>
      </p>
      <Links visit={visit} />
    </>
  )
  return viewOf(words.title, body, problem)
}

interface StepUpProps {
  visit: OwnVisit
  enrolment: Enrolment
  problem?: Problem | undefined
}

/** Renders the fields that prove the identity again: a password, or a code of the authenticator app. */
function StepUp({ visit, enrolment, problem }: StepUpProps) {
  const words = setUpWords[visit.language]
  const hasApp = enrolment.method === 'totp'
  return (
    <>
      {hasApp ? <p>{words.prove}</p> : null}
      <PasswordField visit={visit} name="password" label={words.password} problem={problem} isRequired={!hasApp} more={{ maxlength: '1000' }} />
      {hasApp ? <CodeField label={words.codeOr} problem={problem} isRequired={false} /> : null}
    </>
  )
}

/** Renders the choice of the method. An existing enrolment is replaced; `form` contains the last values. */
export function startView(visit: OwnVisit, enrolment: Enrolment | undefined, problem?: Problem, form?: URLSearchParams): PageContent {
  const words = setUpWords[visit.language]
  const offered = offeredMethods(visit.node.config)
  if (offered.length === 0) return viewOf(words.title, <NotOffered visit={visit} />, problem)
  const chosen = offered.find((method) => method === form?.get('method')) ?? offered[0]
  const body = (
    <>
      {problem === undefined ? <Notice visit={visit} /> : null}
      <p>{enrolment === undefined ? words.none : words.codesHint}</p>
      {enrolment === undefined ? <p class="soft">{words.explanation}</p> : null}
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="do" value="begin" />
        {enrolment === undefined ? null : <StepUp visit={visit} enrolment={enrolment} problem={problem} />}
        <Methods visit={visit} offered={offered} chosen={chosen} />
        {offered.includes('sms') ? (
          <Field
            name="phone"
            label={words.phone}
            type="tel"
            value={form?.get('phone') ?? ''}
            hint={words.phoneHint}
            problem={problem}
            isRequired={offered.length === 1}
            more={{ autocomplete: 'tel', maxlength: '30' }}
          />
        ) : null}
        <div class="buttons">
          <button>{words.begin}</button>
        </div>
      </Form>
      <Links visit={visit} />
    </>
  )
  return viewOf(enrolment === undefined ? words.title : words.replaceTitle, body, problem)
}

function Methods({ visit, offered, chosen }: { visit: OwnVisit; offered: readonly MfaMethod[]; chosen: MfaMethod | undefined }) {
  const words = setUpWords[visit.language]
  if (offered.length === 1) return <input type="hidden" name="method" value={offered[0]} />
  return (
    <fieldset class="apart">
      <legend>{words.method}</legend>
      {offered.map((method) => (
        <label class="tick">
          <input type="radio" name="method" value={method} checked={method === chosen} />
          {method === 'sms' ? words.text : words.app}
        </label>
      ))}
    </fieldset>
  )
}

function NotOffered({ visit }: { visit: OwnVisit }) {
  return (
    <>
      <Notice visit={visit} />
      <p>{setUpWords[visit.language].notOffered}</p>
      <Links visit={visit} />
    </>
  )
}

/** Renders the confirmation of a pending enrolment. `form` names the form of the page that a problem is about. */
export function pendingView(visit: OwnVisit, pending: PendingEnrolment, problem?: Problem, form: 'code' | 'resend' = 'code'): PageContent {
  const words = setUpWords[visit.language]
  const { totp, content } = pending
  const body = (
    <>
      {problem === undefined ? <Notice visit={visit} /> : null}
      {totp === undefined ? <p>{words.textSent(maskedPhone(content['phone']))}</p> : <Key visit={visit} totp={totp} />}
      <Form visit={visit} path={PATH} problem={form === 'code' ? problem : undefined}>
        <input type="hidden" name="do" value="confirm" />
        <CodeField label={totp === undefined ? words.codeOfText : words.codeOfApp} problem={problem} isFirst />
        <div class="buttons">
          <button>{words.confirm}</button>
        </div>
      </Form>
      {totp === undefined ? (
        <Form visit={visit} path={PATH} problem={form === 'resend' ? problem : undefined}>
          <input type="hidden" name="do" value="resend" />
          <p>
            <button class="link">{words.again}</button>
          </p>
        </Form>
      ) : null}
      <Form visit={visit} path={PATH}>
        <input type="hidden" name="do" value="cancel" />
        <p>
          <button class="link">{words.cancel}</button>
        </p>
      </Form>
    </>
  )
  return viewOf(words.title, body, problem)
}

function Key({ visit, totp }: { visit: OwnVisit; totp: NonNullable<PendingEnrolment['totp']> }) {
  const words = setUpWords[visit.language]
  const { digits, periodSeconds } = totp
  const secret = totp.secret.reveal()
  const uri = otpauthUri(visit.node, visit.session.user.username, { secret, digits, periodSeconds })
  return (
    <>
      <p>{words.scan}</p>
      <QrCode text={uri} label={words.qr} />
      <p>{words.key}</p>
      <p class="split">
        <code id="key">{(secret.match(/.{1,4}/g) ?? []).join(' ')}</code>
        <CopyButton visit={visit} of="key" />
      </p>
    </>
  )
}

function CopyButton({ visit, of }: { visit: OwnVisit; of: string }) {
  const words = setUpWords[visit.language]
  return (
    <button type="button" class="second" hidden data-copy={of} data-copied={words.copied}>
      {words.copy}
    </button>
  )
}

/** Renders the recovery codes, which are shown only once. */
export function codesView(visit: OwnVisit, codes: readonly string[]): PageContent {
  const words = setUpWords[visit.language]
  const body = (
    <>
      <div class="done" role="status">
        <p>{words.done}</p>
      </div>
      <h2>{words.codesTitle}</h2>
      <p>{words.codes}</p>
      <ol class="code codes" id="codes">
        {codes.map((code) => (
          <li>{code}</li>
        ))}
      </ol>
      <p>{words.keep}</p>
      <p class="buttons">
        <a class="button" href={nextPage(visit)}>
          {words.goOn}
        </a>
        <CopyButton visit={visit} of="codes" />
      </p>
    </>
  )
  return viewOf(words.doneTitle, body)
}

/** Renders the confirmation before the factor is removed. */
export function offView(visit: OwnVisit, enrolment: Enrolment, problem?: Problem): PageContent {
  const words = setUpWords[visit.language]
  const requiresStepUp = visit.node.config.get('services.mfa.stepUp.required')
  const body = (
    <>
      <p>{words.offText}</p>
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name="do" value="off" />
        {requiresStepUp ? <StepUp visit={visit} enrolment={enrolment} problem={problem} /> : null}
        <div class="buttons">
          <button class="bad">{words.off}</button>
          <a class="button second" href={linkTo(visit, PATH)}>
            {words.cancel}
          </a>
        </div>
      </Form>
    </>
  )
  return viewOf(words.offTitle, body, problem)
}
