/** @jsxImportSource hono/jsx */
/** Page that creates a managed account while answering an app's request. */
import { Failure } from '../../../store/model/failure.js'
import { createAccount } from '../../api/delegations/createAccount.js'
import { isUsername } from '../../api/register/input.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { asTyped } from '../accountName.js'
import { ForApp } from '../authorize/app.js'
import { Field, Form } from '../layout.js'
import { linkTo } from '../links.js'
import type { Answer, Page, FormVisit, Visit } from '../page.js'
import type { Session } from '../flow.js'
import { headersOfProblem, problemOf, problemWith, type Problem } from '../problem.js'
import { NewNameField } from '../register/nameField.js'
import { registerWords } from '../register/words.js'
import { callAsOwner } from '../session.js'
import { commonWords } from '../words.js'
import { rememberChoice, namedOther } from '../acting/choice.js'
import { isDelegationOn, managedBy } from '../acting/managed.js'
import { requestVisitOf } from './page.js'
import { ACT_FOR, ACT_FOR_NEW } from '../acting/actingTarget.js'
import { actForWords } from '../acting/words.js'

export const createManagedPage: Page = {
  path: ACT_FOR_NEW,
  async show(visit) {
    const requestVisit = await requestForNewAccount(visit)
    return 'request' in requestVisit ? formOf(visit) : requestVisit
  },
  async submit(submission) {
    const requestVisit = await requestForNewAccount(submission)
    return 'request' in requestVisit ? create(submission, requestVisit.session, requestVisit.request.key) : requestVisit
  },
}

/** Loads the request like the page that links here; redirects back to that page where no account can be created. */
async function requestForNewAccount(visit: Visit | FormVisit): ReturnType<typeof requestVisitOf> {
  const requestVisit = await requestVisitOf(visit)
  if (!('request' in requestVisit)) return requestVisit
  const isPossible = isDelegationOn(visit) && namedOther(requestVisit.request, requestVisit.session) === undefined
  return isPossible ? requestVisit : { redirect: linkTo(visit, ACT_FOR) }
}

function formOf(visit: Visit, problem?: Problem, form = new URLSearchParams()): Answer {
  const words = actForWords[visit.language]
  const body = (
    <>
      <ForApp visit={visit} />
      <p>{words.newWhat}</p>
      <p>{words.newReach}</p>
      <Form visit={visit} path={ACT_FOR_NEW} problem={problem}>
        <NewNameField
          visit={visit}
          value={form.get('username') ?? ''}
          problem={problem}
          isFirst={problem?.field !== 'email'}
          autocomplete="off"
        />
        <Field
          name="email"
          type="email"
          label={words.email}
          value={(form.get('email') ?? '').trim()}
          hint={words.emailWhy}
          problem={problem}
          isFirst={problem?.field === 'email'}
          isRequired={false}
          more={{ ...asTyped, autocomplete: 'off', maxlength: '300' }}
        />
        <div class="buttons">
          <button>{words.newButton}</button>
          <a class="button second" href={linkTo(visit, ACT_FOR)}>
            {commonWords[visit.language].back}
          </a>
        </div>
      </Form>
    </>
  )
  return { title: words.newTitle, body, status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}

/** Creates the account and chooses it for the request. A form that is sent twice creates one account only. */
function create(submission: FormVisit, session: Session, key: string): Promise<Answer> {
  const { form, language } = submission
  const username = (form.get('username') ?? '').trim().toLowerCase()
  const email = (form.get('email') ?? '').trim()
  const rejected = (problem: Problem): Answer => formOf(submission, problem, form)
  return serialiseByKey(session.account, 'managed account', async () => {
    if (!isUsername(username)) return rejected(problemWith(registerWords[language].usernameRule, 'username'))
    try {
      await callAsOwner(submission, session, createAccount, { username, language, ...(email === '' ? {} : { email }) })
    } catch (error) {
      const isManagedAlready = error instanceof Failure && error.id === 'delegation-username-taken' && (await manages(submission, session, username))
      if (!isManagedAlready) return rejected(problemIn(submission, error))
    }
    rememberChoice(submission, session, key, username)
    return { redirect: linkTo(submission, '/authorize') }
  })
}

const manages = async (submission: FormVisit, session: Session, username: string): Promise<boolean> =>
  (await managedBy(submission, session)).some((each) => each.username === username && each.status === 'active')

function problemIn(visit: Visit, error: unknown): Problem {
  const { usernameTaken } = registerWords[visit.language]
  const takenProblem = ({ id }: Failure): Problem => ({ text: usernameTaken, field: 'username', status: id === 'delegation-self-not-allowed' ? 400 : 409 })
  return problemOf(visit, error, {
    'delegation-username-taken': takenProblem,
    'delegation-self-not-allowed': takenProblem,
    'delegation-creation-failed': actForWords[visit.language].creationFailed,
  })
}
