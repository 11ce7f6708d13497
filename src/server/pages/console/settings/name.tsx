/** @jsxImportSource hono/jsx */
/** Page that changes the user name of the shown account. */
import { changeUsername } from '../../../api/account/changeUsername.js'
import { usernameChanges } from '../../../api/account/usernameChanges.js'
import { asTyped, nameIn } from '../../accountName.js'
import { Field, Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner, readAsOwner } from '../../session.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { NAME_PATH } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

const FIELD = 'name'

export const namePage: Page = consolePage({
  path: NAME_PATH,
  section: 'settings',
  show: (visit) => view(visit),
  async submit(submission) {
    const { form, node, session, person, flow } = submission
    const words = settingsWords[submission.language].name
    const newUsername = nameIn(form, FIELD)
    try {
      await callAsOwner(submission, session, changeUsername, { newUsername })
    } catch (error) {
      const problem = problemOf(submission, error, {
        'invalid-parameters-format': () => problemWith(words.rule, FIELD),
        'item-already-exists': () => problemWith(words.taken, FIELD),
        'invalid-operation': () => problemWith(words.refused, FIELD),
      })
      return view(submission, problem, newUsername)
    }
    // The address names a managed account by its user name.
    const next = session.user.username === person.user.username ? flow : { ...flow, as: newUsername }
    return { redirect: linkTo({ node, flow: next }, NAME_PATH, { done: 'changed' }) }
  },
})

async function view(visit: ConsoleVisit, problem?: Problem, typed = ''): Promise<Answer> {
  const words = settingsWords[visit.language].name
  const { usernameChangesRemaining: left, usernameChangesLimit: limit } = await readAsOwner(visit, visit.session, usernameChanges, {})
  const present = visit.session.user.username
  const body = (
    <>
      <p>
        {words.present}: <strong class="name">{present}</strong>
      </p>
      <p class="soft">{words.text}</p>
      {left === 0 ? (
        <p class="note">{words.none(Number(limit))}</p>
      ) : (
        <Form visit={visit} path={NAME_PATH} problem={problem}>
          <Field name={FIELD} label={words.next} value={typed} hint={words.rule} problem={problem} more={{ ...asTyped, autocomplete: 'off', maxlength: '60' }} />
          <p class="small soft">{words.left(Number(left))}</p>
          <p class="buttons">
            <button>{words.title}</button>
          </p>
        </Form>
      )}
    </>
  )
  return subpage(visit, { title: words.title, body, problem, notices: { changed: words.changed } })
}
