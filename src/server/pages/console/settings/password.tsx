/** @jsxImportSource hono/jsx */
/** Page that changes the password of the signed-in person. */
import { Failure } from '../../../../store/model/failure.js'
import { changePassword } from '../../../api/account/changePassword.js'
import { Form, PasswordField } from '../../layout.js'
import { NewPasswordFields, passwordIn, passwordProblem, PASSWORD } from '../../newPassword/fields.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { PASSWORD_PATH } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

/** Name of the field of the current password. */
const OLD = 'old'
const MAX_OLD = 1000

export const passwordPage: Page = consolePage({
  path: PASSWORD_PATH,
  section: 'settings',
  isOfPerson: true,
  show: (visit) => view(visit),
  async submit(submission) {
    const wrong = passwordProblem(submission)
    if (wrong !== undefined) return view(submission, wrong)
    const params = { oldPassword: (submission.form.get(OLD) ?? '').slice(0, MAX_OLD), newPassword: passwordIn(submission.form) }
    try {
      await callAsOwner(submission, submission.person, changePassword, params)
    } catch (error) {
      return view(submission, problemIn(submission, error))
    }
    return redirectTo(submission, PASSWORD_PATH, { done: 'changed' })
  },
})

function view(visit: ConsoleVisit, problem?: Problem): Answer {
  const words = settingsWords[visit.language].password
  const body = (
    <Form visit={visit} path={PASSWORD_PATH} problem={problem}>
      <p class="soft">{words.text}</p>
      <input type="text" name="username" value={visit.person.user.username} autocomplete="username" hidden readonly />
      <PasswordField visit={visit} name={OLD} label={words.old} problem={problem} more={{ maxlength: String(MAX_OLD) }} />
      <NewPasswordFields visit={visit} problem={problem} />
      <p class="buttons">
        <button>{words.title}</button>
      </p>
    </Form>
  )
  return subpage(visit, { title: words.title, body, problem, notices: { changed: words.changed } })
}

/** Places each refusal at its field. The rules share one id, so the message decides which one was broken. */
function problemIn(submission: ConsoleFormVisit, error: unknown): Problem {
  const words = settingsWords[submission.language].password
  const of = ({ message }: Failure): Problem => {
    if (/ age rules/.test(message)) return problemWith(words.tooEarly(submission.node.config.get('auth.passwordAgeMinDays')), PASSWORD)
    if (/ reuse rules/.test(message)) return problemWith(words.reused, PASSWORD)
    return problemWith(words.wrongOld, OLD)
  }
  return problemOf(submission, error, { 'invalid-operation': of, 'invalid-parameters-format': () => problemWith(words.refused, PASSWORD) })
}
