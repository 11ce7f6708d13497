/** @jsxImportSource hono/jsx */
/** Page that deletes the account of the signed-in person, and the plain page shown afterwards. */
import { constantTimeEqual } from '../../../../store/model/constantTimeEqual.js'
import { deleteUser } from '../../../api/register/deleteUser.js'
import { checkPassword } from '../../../auth/passwordCheck.js'
import { callPlatform } from '../../../dispatch/call.js'
import { asTyped, nameIn } from '../../accountName.js'
import { Field, Form, PasswordField } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { lossesOf, type Losses } from './losses.js'
import { DELETED_PATH, DELETE_PATH, EXPORT_PATH, SETTINGS } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

const NAME = 'username'
const PASSWORD = 'password'
const MAX_PASSWORD = 1000

export const deletePage: Page = consolePage({
  path: DELETE_PATH,
  section: 'settings',
  isOfPerson: true,
  show: (visit) => view(visit),
  async submit(submission) {
    const { node, origin, person, form, cookies } = submission
    const words = settingsWords[submission.language]
    const { account, user, caller } = person
    const typed = nameIn(form, NAME)
    if (!constantTimeEqual(typed, user.username)) return view(submission, problemWith(words.delete.wrongName, NAME), typed)
    try {
      if (!(await checkPassword(node, account, user, (form.get(PASSWORD) ?? '').slice(0, MAX_PASSWORD), origin))) {
        node.log.warn('deletion of an account refused: wrong password', { user: user.username, ip: origin.ip })
        return await view(submission, problemWith(words.wrongPassword, PASSWORD), typed)
      }
      await callPlatform({ node, origin, authorization: caller.token.reveal() }, deleteUser, { username: user.username })
    } catch (error) {
      return view(submission, problemOf(submission, error, { 'unknown-resource': words.delete.byOperator }), typed)
    }
    for (const name of ['session', 'export', 'operator'] as const) cookies.remove(name)
    return { redirect: linkTo({ node, flow: {} }, DELETED_PATH) }
  },
})

/** Checks whether owners may delete their accounts. */
export const isDeletable = ({ node }: ConsoleVisit): boolean => node.config.get('user-account.delete').includes('personalToken')

async function view(visit: ConsoleVisit, problem?: Problem, typed = ''): Promise<Answer> {
  const words = settingsWords[visit.language]
  const { title, byOperator, rule, hint, button, text, exportFirst } = words.delete
  if (!isDeletable(visit)) return subpage(visit, { title, body: <p>{byOperator}</p>, problem })
  const body = (
    <>
      <p>{text}</p>
      <LossList visit={visit} losses={await lossesOf(visit)} />
      <p class="note">
        {exportFirst} <a href={linkTo(visit, EXPORT_PATH)}>{words.export.title}</a>
      </p>
      <Form visit={visit} path={DELETE_PATH} problem={problem}>
        <p>
          {rule} <strong class="name">{visit.person.user.username}</strong>
        </p>
        <Field name={NAME} label={words.delete.name} value={typed} hint={hint} problem={problem} more={{ ...asTyped, autocomplete: 'off', maxlength: '100' }} />
        <PasswordField visit={visit} name={PASSWORD} label={words.yourPassword} problem={problem} more={{ maxlength: String(MAX_PASSWORD) }} />
        <p class="buttons">
          <button class="bad">{button}</button>
          <a class="button second" href={linkTo(visit, SETTINGS)}>
            {words.delete.keep}
          </a>
        </p>
      </Form>
    </>
  )
  return subpage(visit, { title, body, problem })
}

function LossList({ visit, losses }: { visit: ConsoleVisit; losses: Losses }) {
  const words = settingsWords[visit.language].delete.losses
  const { events, streams, bytes, links, apps, sessions, devices, delegates } = losses
  const lines = [
    words.data(events, streams, bytes),
    ...(links.length + apps.length === 0 ? [] : [words.accesses(links.length, apps.length)]),
    ...(devices.length === 0 ? [] : [words.devices(devices.length)]),
    ...(delegates === 0 ? [] : [words.delegates(delegates)]),
    words.sessions(sessions),
  ]
  return (
    <>
      <ul class="loss">
        {lines.map((line) => (
          <li>{line}</li>
        ))}
      </ul>
      <Names title={words.linkNames} names={links} />
      <Names title={words.appNames} names={apps} />
      <Names title={words.deviceNames} names={devices} />
    </>
  )
}

/** Maximum number of names that are listed. */
const MAX_NAMES = 100

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return <></>
  return (
    <details>
      <summary>{`${title} (${names.length})`}</summary>
      <ul class="loss">
        {names.slice(0, MAX_NAMES).map((name) => (
          <li class="name" dir="auto">
            {name}
          </li>
        ))}
        {names.length > MAX_NAMES ? <li>…</li> : null}
      </ul>
    </details>
  )
}

/** Page after the deletion. It states nothing about an account, so anybody may open it. */
export const deletedPage: Page = {
  path: DELETED_PATH,
  isBeforeSignIn: true,
  show({ language }) {
    const { deletedTitle, deletedText } = settingsWords[language].delete
    return { title: deletedTitle, body: <p>{deletedText}</p> }
  },
}
