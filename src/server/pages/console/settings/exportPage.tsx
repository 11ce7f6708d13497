/** @jsxImportSource hono/jsx */
/** Page that offers the export of the person's account: what is in it, the password, then the download. */
import { checkPassword } from '../../../auth/passwordCheck.js'
import { Form, PasswordField } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { sizeText } from '../../sizes.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { IconImage } from '../icons.js'
import { loadAccount } from './account.js'
import { confirmExport, isExportConfirmed, isRunning } from './exportFile.js'
import { EXPORT_FILE_PATH, EXPORT_PATH } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

const MAX_PASSWORD = 1000

export const exportPage: Page = consolePage({
  path: EXPORT_PATH,
  section: 'settings',
  isOfPerson: true,
  show: (visit) => view(visit),
  async submit(submission) {
    const { node, origin, person, form } = submission
    const { account, user } = person
    const password = (form.get('password') ?? '').slice(0, MAX_PASSWORD)
    try {
      if (!(await checkPassword(node, account, user, password, origin))) {
        node.log.warn('export refused: wrong password', { user: user.username, ip: origin.ip })
        return await view(submission, problemWith(settingsWords[submission.language].wrongPassword, 'password'))
      }
    } catch (error) {
      return view(submission, problemOf(submission, error))
    }
    confirmExport(submission)
    return redirectTo(submission, EXPORT_PATH)
  },
})

async function view(visit: ConsoleVisit, problem?: Problem): Promise<Answer> {
  const words = settingsWords[visit.language].export
  const { storageUsed } = await loadAccount(visit)
  const size = sizeText(storageUsed.dbDocuments + storageUsed.attachedFiles, visit.language)
  const isConfirmed = isExportConfirmed(visit) && problem === undefined
  const body = (
    <>
      <p>{words.text}</p>
      <ul class="loss">
        {words.contents.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
      <p class="soft">{words.without}</p>
      <p class="note">{words.secret}</p>
      <p class="soft">{words.size(size)}</p>
      {visit.query.get('running') === null ? null : <p class="problem" role="alert">{words.running}</p>}
      {isConfirmed ? <Download visit={visit} /> : <Confirmation visit={visit} problem={problem} />}
      <p class="small soft">{words.whole}</p>
    </>
  )
  return subpage(visit, { title: words.title, body, problem })
}

function Download({ visit }: { visit: ConsoleVisit }) {
  const words = settingsWords[visit.language].export
  return (
    <div class="done">
      <p>{isRunning(visit) ? words.running : words.ready}</p>
      <p class="buttons">
        <a class="button" href={linkTo(visit, EXPORT_FILE_PATH)} download>
          <IconImage name="download" /> {words.download}
        </a>
      </p>
    </div>
  )
}

function Confirmation({ visit, problem }: { visit: ConsoleVisit; problem: Problem | undefined }) {
  const words = settingsWords[visit.language]
  return (
    <Form visit={visit} path={EXPORT_PATH} problem={problem}>
      <input type="text" name="username" value={visit.person.user.username} autocomplete="username" hidden readonly />
      <PasswordField visit={visit} name="password" label={words.yourPassword} problem={problem} more={{ maxlength: String(MAX_PASSWORD) }} />
      <p class="buttons">
        <button>{words.export.prepare}</button>
      </p>
    </Form>
  )
}
