/** @jsxImportSource hono/jsx */
/** The registration form. */
import { isOpen } from '../../api/register/invitations.js'
import { asTyped } from '../accountName.js'
import { ForApp } from '../authorize/app.js'
import { Field, Form } from '../layout.js'
import { linkTo } from '../links.js'
import { NewPasswordFields } from '../newPassword/fields.js'
import type { PageContent, Visit } from '../page.js'
import { headersOfProblem, type Problem } from '../problem.js'
import { emailFieldOf, inputOf, labelOf, requiredFieldsOf } from './fields.js'
import { NewNameField } from './nameField.js'
import { registerWords } from './words.js'

export const PATH = '/register'
/** Name of the field that distinguishes the forms of the page. */
export const STEP = 'step'

const NOTHING = new URLSearchParams()

interface Props {
  visit: Visit
  problem?: Problem | undefined
  /** Values of the last submission. */
  form?: URLSearchParams
  /** The e-mail address verified by a code. */
  proved?: string | undefined
}

/** Renders the form with the last values, except for passwords. */
export function accountForm({ visit, problem, form = NOTHING, proved }: Props): PageContent {
  const words = registerWords[visit.language]
  // Focus the field with the problem; passwords must be entered again.
  const first = problem?.field === 'again' ? 'password' : (problem?.field ?? 'username')
  const value = (name: string): string => (form.get(name) ?? '').trim()
  const body = (
    <>
      <ForApp visit={visit} />
      <Form visit={visit} path={PATH} problem={problem}>
        <input type="hidden" name={STEP} value="register" />
        <NewNameField visit={visit} value={value('username')} problem={problem} isFirst={first === 'username'} />
        <EmailPart visit={visit} problem={problem} form={form} proved={proved} />
        {requiredFieldsOf(visit).map((field) => (
          <Field
            name={inputOf(field.id)}
            label={labelOf(field)}
            value={value(inputOf(field.id))}
            problem={problem}
            isFirst={first === inputOf(field.id)}
            more={{ maxlength: '1000' }}
          />
        ))}
        <NewPasswordFields visit={visit} problem={problem} isFirst={first === 'password'} />
        {isOpen(visit.node) ? null : (
          <Field
            name="invitation"
            label={words.invitation}
            value={value('invitation')}
            hint={words.invitationWhy}
            problem={problem}
            isFirst={first === 'invitation'}
            more={{ ...asTyped, autocomplete: 'off', maxlength: '1000' }}
          />
        )}
        <Terms visit={visit} problem={problem} form={form} />
        <div class="buttons">
          <button>{words.button}</button>
        </div>
      </Form>
      {proved === undefined ? null : <OtherAddress visit={visit} />}
      <p class="small">
        <a href={linkTo(visit, '/sign-in')}>{words.haveOne}</a>
      </p>
    </>
  )
  return { title: words.title, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}

/** Renders the e-mail address: an input, or the verified address. */
function EmailPart({ visit, problem, form = NOTHING, proved }: Props) {
  const words = registerWords[visit.language]
  const field = emailFieldOf(visit)
  if (proved !== undefined) {
    return (
      <>
        <p>
          {words.email}: <strong class="name">{proved}</strong> <span class="tag">{words.proved}</span>
        </p>
        <input type="hidden" name="email" value={proved} />
      </>
    )
  }
  if (field === undefined) return <></>
  return (
    <Field
      name="email"
      type="email"
      label={words.email}
      value={(form.get('email') ?? '').trim()}
      hint={field.isRequiredInValidation ? words.emailWhy : words.emailOptional}
      problem={problem}
      isFirst={problem?.field === 'email'}
      isRequired={field.isRequiredInValidation}
      more={{ ...asTyped, autocomplete: 'email', maxlength: '300' }}
    />
  )
}

/** Renders the terms of use to accept, where there are any: a link, or the text itself. */
function Terms({ visit, problem, form = NOTHING }: Props) {
  const terms = visit.node.config.get('service.terms')
  if (terms === null) return <></>
  const words = registerWords[visit.language]
  const [before, link, after] = words.terms
  const isAddress = /^https?:/.test(terms) && URL.canParse(terms)
  const isWrong = problem?.field === 'terms'
  return (
    <>
      <label class="tick" for="terms">
        <input
          type="checkbox"
          id="terms"
          name="terms"
          value="yes"
          required
          checked={form.get('terms') === 'yes'}
          {...(isWrong ? { 'aria-invalid': 'true', 'aria-describedby': 'problem' } : {})}
        />
        {isAddress ? (
          <span>
            {before}
            <a href={terms} target="_blank" rel="noopener noreferrer">
              {link}
            </a>
            {after}
          </span>
        ) : (
          <span>{words.termsText}</span>
        )}
      </label>
      {isAddress ? null : <p class="small">{terms}</p>}
    </>
  )
}

/** Renders a button that starts over with another address. */
export function OtherAddress({ visit }: { visit: Visit }) {
  return (
    <Form visit={visit} path={PATH}>
      <input type="hidden" name={STEP} value="other" />
      <p class="small">
        <button class="link">{registerWords[visit.language].otherAddress}</button>
      </p>
    </Form>
  )
}
