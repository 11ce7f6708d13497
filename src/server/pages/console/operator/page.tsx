/** @jsxImportSource hono/jsx */
/** First page of the operator: the request for the key, then the health of the node. */
import { Field, Form } from '../../layout.js'
import type { Answer, Page } from '../../page.js'
import { headersOfProblem, problemOf, problemWith, type Problem } from '../../problem.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { settingsStyle } from '../settings/style.js'
import { healthView } from './health.js'
import { OPERATOR } from './operatorPage.js'
import { hasOperatorKey, isOnAllowedMachine } from '../operatorRules.js'
import { closeOperatorSession, isOperator, openOperatorSession } from './operatorSession.js'
import { operatorWords } from './words.js'

const MAX_KEY = 1000

export const operatorFrontPage: Page = consolePage({
  path: OPERATOR,
  section: 'operator',
  isOfPerson: true,
  show: (visit) => (isOperator(visit) ? healthView(visit) : keyView(visit)),
  async submit(submission) {
    const { form } = submission
    if (form.get('do') === 'close') {
      closeOperatorSession(submission)
      return redirectTo(submission, OPERATOR)
    }
    try {
      const isRight = await openOperatorSession(submission, (form.get('key') ?? '').trim().slice(0, MAX_KEY))
      return isRight ? redirectTo(submission, OPERATOR) : keyView(submission, { ...problemWith(operatorWords[submission.language].key.wrong, 'key'), status: 403 })
    } catch (error) {
      return keyView(submission, problemOf(submission, error))
    }
  },
})

function keyView(visit: ConsoleVisit, problem?: Problem): Answer {
  const words = operatorWords[visit.language]
  const { text, label, hint, open, none, elsewhere } = words.key
  const body = (
    <div class="narrow-form">
      <p>{text}</p>
      {hasOperatorKey(visit) && isOnAllowedMachine(visit) ? (
        <Form visit={visit} path={OPERATOR} problem={problem}>
          <Field name="key" type="password" label={label} hint={hint} problem={problem} more={{ autocomplete: 'off', maxlength: String(MAX_KEY) }} />
          <p class="buttons">
            <button>{open}</button>
          </p>
        </Form>
      ) : (
        <p class="note">{hasOperatorKey(visit) ? elsewhere : none}</p>
      )}
    </div>
  )
  return { title: words.title, body, assets: [settingsStyle], status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}
