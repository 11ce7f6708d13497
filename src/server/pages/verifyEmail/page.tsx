/** @jsxImportSource hono/jsx */
/**
 * Confirms an e-mail address by a mailed link. Opening the link confirms nothing, because mail scanners open links too:
 * the person clicks a button. The token moves to a cookie at once, so that no address contains it.
 */
import type { Child } from 'hono/jsx'
import { emailsOf } from '../../../store/accounts/emails.js'
import { Failure } from '../../../store/model/failure.js'
import { addressProved } from '../../api/account/verification.js'
import { verifyEmail } from '../../api/account/verifyEmail.js'
import { asTyped, nameIn, NameField, presentAccount } from '../accountName.js'
import type { Cookies } from '../cookies.js'
import { Field, Form } from '../layout.js'
import { afterSignIn, linkTo } from '../links.js'
import type { Answer, Page, FormVisit, PageContent, Visit } from '../page.js'
import { problemOf, problemWith, type Problem } from '../problem.js'
import { callAccount } from '../session.js'
import { commonWords } from '../words.js'
import { verifyEmailWords } from './words.js'

const PATH = '/verify-email'
/** Lifetime of the cookie in seconds, by state. */
const SECONDS = { linked: 3600, done: 300 }
const MAX_TOKEN_LENGTH = 200
const MAX_LINK_LENGTH = 2000

/** Content of a link: the user name, unless it was cut off, and the token. */
interface Linked {
  username: string
  token: string
}

/** Content of the cookie: an opened link, or the confirmed address. */
type VerificationState = { state: 'linked'; linked: Linked } | { state: 'done'; email: string }

export const verifyEmailPage: Page = {
  path: PATH,
  isBeforeSignIn: true,
  async show(visit) {
    const token = visit.query.get('verifyToken')
    if (token !== null) {
      remember(visit.cookies, { state: 'linked', linked: { username: nameIn(visit.query, 'username'), token: token.slice(0, MAX_TOKEN_LENGTH) } })
      return { redirect: linkTo(visit, PATH) }
    }
    const stored = stateIn(visit.cookies)
    if (stored?.state === 'done') return donePage(visit, stored.email)
    if (stored === undefined) return pasteForm(visit)
    const email = await addressOf(visit, stored.linked)
    if (email !== undefined) return confirmForm(visit, stored.linked.username, email)
    return stored.linked.username === '' ? usernameForm(visit) : { ...pasteForm(visit, invalidLinkProblem(visit), stored.linked.username), status: 200 }
  },
  async submit(submission) {
    const stored = stateIn(submission.cookies)
    const pasted = submission.form.get('token')
    const username = nameIn(submission.form, 'username')
    if (pasted !== null) return confirm(submission, { username, token: tokenOf(pasted).slice(0, MAX_TOKEN_LENGTH) })
    if (stored?.state !== 'linked') return pasteForm(submission, problemWith(commonWords[submission.language].wrongForm), username)
    // The link of another account may have been opened since this form was shown.
    if (stored.linked.username !== '' && username !== stored.linked.username) {
      return pasteForm(submission, problemWith(commonWords[submission.language].wrongForm), username)
    }
    return confirm(submission, { ...stored.linked, username })
  },
}

const remember = (cookies: Cookies, stored: VerificationState): void => cookies.set('verify', JSON.stringify(stored), SECONDS[stored.state])

function stateIn(cookies: Cookies): VerificationState | undefined {
  const stored = cookies.get('verify')
  return stored === undefined ? undefined : (JSON.parse(stored) as VerificationState)
}

/** Extracts the token from pasted text: the token itself, or a link with it. */
function tokenOf(pasted: string): string {
  const text = pasted.trim()
  return /[?&]verifyToken=([\w-]+)/.exec(text)?.[1] ?? text
}

/** Returns the address that a link confirms; undefined for an invalid link. */
async function addressOf({ node }: Visit, { username, token }: Linked): Promise<string | undefined> {
  const loaded = await presentAccount(node, username)
  if (loaded === undefined) return undefined
  const { account, user } = loaded
  return addressProved(emailsOf(account.db, account.prefix, user), token, node.clock.now())
}

async function confirm(submission: FormVisit, linked: Linked): Promise<Answer> {
  const { node, cookies } = submission
  const { username, token } = linked
  try {
    const loaded = await presentAccount(node, username)
    if (loaded === undefined) throw new Failure('invalid-access-token', undefined, undefined, 'absent')
    const { email } = await callAccount(submission, loaded, verifyEmail, { token })
    remember(cookies, { state: 'done', email: String(email) })
    return { redirect: linkTo(submission, PATH) }
  } catch (error) {
    return pasteForm(submission, problemOf(submission, error, { 'invalid-access-token': () => invalidLinkProblem(submission) }), username)
  }
}

/** Returns the problem of an invalid link or token. */
function invalidLinkProblem({ language }: Visit): Problem {
  const words = verifyEmailWords[language]
  return { text: `${words.wrong} ${words.another}`, field: 'token', status: 401 }
}

function confirmForm(visit: Visit, username: string, email: string): PageContent {
  const words = verifyEmailWords[visit.language]
  const body = (
    <Form visit={visit} path={PATH}>
      <p>
        {words.of}: <strong class="name">{username}</strong>
      </p>
      <p>
        {words.address}: <strong class="name">{email}</strong>
      </p>
      <input type="hidden" name="username" value={username} />
      <div class="buttons">
        <button>{words.button}</button>
      </div>
    </Form>
  )
  return { title: words.title, body }
}

/** Renders a form to paste the link or the code of the mail. */
function pasteForm(visit: Visit, problem?: Problem, username = ''): PageContent {
  const words = verifyEmailWords[visit.language]
  const more = { ...asTyped, autocomplete: 'off', maxlength: String(MAX_LINK_LENGTH) }
  return formWith(visit, problem, username, words.paste, <Field name="token" label={words.token} problem={problem} more={more} />)
}

/** Renders a form for the user name that a link lacks. */
const usernameForm = (visit: Visit): PageContent => formWith(visit, undefined, '', verifyEmailWords[visit.language].name)

function formWith(visit: Visit, problem: Problem | undefined, username: string, text: string, field?: Child): PageContent {
  const words = verifyEmailWords[visit.language]
  const body = (
    <Form visit={visit} path={PATH} problem={problem}>
      <p>{text}</p>
      <NameField name="username" label={words.username} value={username} problem={problem} isFirst />
      {field}
      <div class="buttons">
        <button>{words.button}</button>
      </div>
    </Form>
  )
  return { title: words.title, body, status: problem?.status ?? 200 }
}

function donePage(visit: Visit, email: string): PageContent {
  const words = verifyEmailWords[visit.language]
  const body = (
    <>
      <p class="done" role="status">
        {words.done} <strong class="name">{email}</strong>
      </p>
      <div class="buttons">
        <a class="button" href={afterSignIn(visit)}>
          {words.onward}
        </a>
      </div>
    </>
  )
  return { title: words.doneTitle, body }
}
