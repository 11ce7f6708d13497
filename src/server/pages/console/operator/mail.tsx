/** @jsxImportSource hono/jsx */
/** Test mail, with the conversation with the mail server. */
import type { OperatorMethods } from '../../../control/operatorMethods.js'
import { languages } from '../../../base/words.js'
import { mailKinds } from '../../../mail/kinds.js'
import { asTyped } from '../../accountName.js'
import { Field, Form } from '../../layout.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { languageNames } from '../../words.js'
import type { ConsoleVisit } from '../consolePage.js'
import { operate, operatorPage, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

const MAIL = '/operator/mail'
const MAX_ADDRESS = 300

type TestResult = OperatorMethods['mail.test']['output']

export const mailPage: Page = operatorPage({
  path: MAIL,
  show: (visit) => view(visit, {}),
  async submit(submission) {
    const { form, language } = submission
    const words = operatorWords[language].mail
    const recipient = (form.get('recipient') ?? '').trim().slice(0, MAX_ADDRESS)
    const params = { type: (form.get('type') ?? '').slice(0, 100), lang: (form.get('language') ?? '').slice(0, 20), recipient }
    try {
      return view(submission, { form, sent: await operate(submission, 'mail.test', params) })
    } catch (error) {
      const problem = problemOf(submission, error, {
        'invalid-request-structure': () => problemWith(words.wrong, 'recipient'),
        'invalid-parameters-format': () => problemWith(words.wrong, 'recipient'),
        'unknown-resource': words.noTemplate,
      })
      return view(submission, { form, problem })
    }
  },
})

interface State {
  form?: URLSearchParams
  problem?: Problem
  sent?: TestResult
}

function view(visit: ConsoleVisit, { form, problem, sent }: State): Answer {
  const words = operatorWords[visit.language].mail
  const type = form?.get('type')
  const language = form?.get('language') ?? visit.language
  const body = (
    <div class="narrow-form">
      {sent === undefined ? null : <Outcome visit={visit} sent={sent} />}
      <Form visit={visit} path={MAIL} problem={problem}>
        <Field name="recipient" label={words.recipient} type="email" value={form?.get('recipient') ?? ''} problem={problem} more={{ ...asTyped, autocomplete: 'email', maxlength: String(MAX_ADDRESS) }} />
        <label for="type">{words.type}</label>
        <select id="type" name="type">
          {Object.values(mailKinds).map((kind) => (
            <option value={kind.type} selected={kind.type === type}>
              {kind.type}
            </option>
          ))}
        </select>
        <label for="language">{words.language}</label>
        <select id="language" name="language">
          {languages.map((one) => (
            <option value={one} selected={one === language}>
              {languageNames[one]}
            </option>
          ))}
        </select>
        <p class="buttons">
          <button>{words.send}</button>
        </p>
      </Form>
    </div>
  )
  return operatorView(visit, { tab: 'mail', body, problem })
}

function Outcome({ visit, sent: { sent, conversation, problem } }: { visit: ConsoleVisit; sent: TestResult }) {
  const words = operatorWords[visit.language].mail
  return (
    <>
      <div class={sent ? 'done' : 'problem'} role={sent ? 'status' : 'alert'}>
        <p>{sent ? words.sent : words.notSent}</p>
        {problem === undefined ? null : <p>{problem.cause}</p>}
        {problem?.setting === undefined ? null : (
          <p>
            {words.setting} <code>{problem.setting}</code>
          </p>
        )}
      </div>
      {conversation.length === 0 ? null : (
        <details>
          <summary>{words.conversation}</summary>
          <pre>{conversation.map(({ by, line }) => `${by === 'node' ? '→' : '←'} ${line}`).join('\n')}</pre>
        </details>
      )}
    </>
  )
}
