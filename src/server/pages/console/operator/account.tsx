/** @jsxImportSource hono/jsx */
/** One account for the operator: facts, storage limits, sessions, second factor. */
import { adminReset } from '../../../api/mfa/adminReset.js'
import { callPlatform } from '../../../dispatch/call.js'
import type { OperatorMethods } from '../../../control/operatorMethods.js'
import { Failure } from '../../../../store/model/failure.js'
import { Form, Hidden } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { sizeText } from '../../sizes.js'
import { dayText } from '../../times.js'
import { Time } from '../components.js'
import { missingContent, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { consoleWords } from '../words.js'
import { ACCOUNT, ACCOUNTS } from './accounts.js'
import { LimitField, limitIn } from './limitField.js'
import { operate, operatorPage, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

const MAX_NAME = 100

const nameOf = (from: URLSearchParams): string => (from.get('name') ?? '').slice(0, MAX_NAME)

export const accountOfNodePage: Page = operatorPage({
  path: ACCOUNT,
  show(visit) {
    const username = nameOf(visit.query)
    const asked = confirmed.find((action) => action === visit.query.get('confirm'))
    return asked === undefined ? view(visit, username) : confirmation(visit, username, asked)
  },
  async submit(submission) {
    const { form } = submission
    const username = nameOf(form)
    const action = form.get('do') ?? ''
    try {
      const problem = await (Object.hasOwn(actions, action) ? actions[action]?.(submission, username) : undefined)
      if (problem !== undefined) return await view(submission, username, problem, form)
    } catch (error) {
      return view(submission, username, problemOf(submission, error), form)
    }
    return redirectTo(submission, ACCOUNT, { name: username, done: action })
  },
})

/** Runs the action of a form; resolves with the problem of its fields, if any. */
const actions: Readonly<Record<string, (submission: ConsoleFormVisit, username: string) => Promise<Problem | undefined>>> = {
  async limits(submission, username) {
    const { form, language } = submission
    const dbDocuments = limitIn(form, 'data')
    const attachedFiles = limitIn(form, 'files')
    const wrong = operatorWords[language].account.wrongLimit
    if (dbDocuments === undefined) return problemWith(wrong, 'data-mb')
    if (attachedFiles === undefined) return problemWith(wrong, 'files-mb')
    await operate(submission, 'users.setQuota', { username, dbDocuments, attachedFiles })
    return undefined
  },
  async sessions(submission, username) {
    await operate(submission, 'sessions.end', { username })
    return undefined
  },
  async factor({ node, origin }, username) {
    await callPlatform({ node, origin }, adminReset, { username })
    return undefined
  },
}

/** Actions that a page of their own confirms. */
const confirmed = ['sessions', 'factor'] as const
type ConfirmedAction = (typeof confirmed)[number]

/** Returns the page that says what an action means. */
function confirmation(visit: ConsoleVisit, username: string, action: ConfirmedAction): Answer {
  const words = operatorWords[visit.language]
  const { account } = words
  const [button, text] = action === 'sessions' ? [account.endSessions, account.sessionsText] : [account.removeFactor, account.factorText]
  const body = (
    <div class="card">
      <p class="name" dir="auto">
        <strong>{username}</strong>
      </p>
      <p>{text}</p>
      <Form visit={visit} path={ACCOUNT}>
        <Hidden fields={{ do: action, name: username }} />
        <div class="buttons">
          <button class="bad">{button}</button>
          <a class="button second" href={linkTo(visit, ACCOUNT, { name: username })}>
            {consoleWords[visit.language].cancel}
          </a>
        </div>
      </Form>
    </div>
  )
  return operatorView(visit, { tab: 'accounts', title: account.confirm[action], body })
}

async function view(visit: ConsoleVisit, username: string, problem?: Problem, form?: URLSearchParams): Promise<Answer> {
  const words = operatorWords[visit.language]
  let found
  try {
    found = await Promise.all([operate(visit, 'users.show', { username }), operate(visit, 'users.usage', { username })])
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return missingContent(visit, words.title, words.account.unknown)
  }
  const [{ user }, { usage }] = found
  const body = (
    <>
      <p class="small">
        <a href={linkTo(visit, ACCOUNTS)}>{words.account.back}</a>
      </p>
      <div class="settings">
        <FactsCard visit={visit} user={user} usage={usage} />
        <LimitsCard visit={visit} username={username} usage={usage} problem={problem} form={form} />
        <SignInCard visit={visit} user={user} />
      </div>
    </>
  )
  return operatorView(visit, { tab: 'accounts', title: user.username, body, problem, notices: words.account.notices })
}

type User = OperatorMethods['users.show']['output']['user']
type Usage = OperatorMethods['users.usage']['output']['usage']

function FactsCard({ visit, user, usage }: { visit: ConsoleVisit; user: User; usage: Usage }) {
  const words = operatorWords[visit.language]
  const { language } = visit
  const { dbDocuments, attachedFiles } = usage.storageUsed
  return (
    <section class="card">
      <h2>{words.account.facts}</h2>
      <dl class="facts">
        <dt>{words.accounts.email}</dt>
        <dd class="name" dir="auto">
          {user.email ?? '–'}
        </dd>
        <dt>{words.accounts.created}</dt>
        <dd>{dayText(user.created, visit)}</dd>
        <dt>{words.accounts.lastUsed}</dt>
        <dd>{user.lastUsed === null ? words.accounts.never : <Time visit={visit} at={user.lastUsed} />}</dd>
        <dt>{words.accounts.streams}</dt>
        <dd>{user.streams.toLocaleString(language)}</dd>
        <dt>{words.account.accesses}</dt>
        <dd>{user.accesses.toLocaleString(language)}</dd>
        <dt>{words.account.data}</dt>
        <dd>{sizeText(dbDocuments, language)}</dd>
        <dt>{words.account.files}</dt>
        <dd>{sizeText(attachedFiles, language)}</dd>
      </dl>
    </section>
  )
}

interface LimitsProps {
  visit: ConsoleVisit
  username: string
  usage: Usage
  problem: Problem | undefined
  /** The submitted form, if its fields are shown again. */
  form: URLSearchParams | undefined
}

function LimitsCard({ visit, username, usage, problem, form }: LimitsProps) {
  const words = operatorWords[visit.language].account
  const { dbDocuments, attachedFiles } = usage.ownLimits
  return (
    <section class="card">
      <h2>{words.limits}</h2>
      <Form visit={visit} path={ACCOUNT} problem={problem}>
        <input type="hidden" name="do" value="limits" />
        <input type="hidden" name="name" value={username} />
        <LimitField visit={visit} name="data" label={words.data} present={dbDocuments} form={form} problem={problem} />
        <LimitField visit={visit} name="files" label={words.files} present={attachedFiles} form={form} problem={problem} />
        <p class="buttons">
          <button>{consoleWords[visit.language].save}</button>
        </p>
      </Form>
    </section>
  )
}

function SignInCard({ visit, user }: { visit: ConsoleVisit; user: User }) {
  const words = operatorWords[visit.language].account
  return (
    <section class="card">
      <h2>{words.signIn}</h2>
      <p class="soft">{words.sessionsText}</p>
      <ConfirmLink visit={visit} action="sessions" username={user.username} text={words.endSessions} />
      <p class="soft">{user.mfa === null ? words.noFactor : words.factorText}</p>
      {user.mfa === null ? null : <ConfirmLink visit={visit} action="factor" username={user.username} text={words.removeFactor} />}
    </section>
  )
}

function ConfirmLink({ visit, action, username, text }: { visit: ConsoleVisit; action: ConfirmedAction; username: string; text: string }) {
  return (
    <p class="buttons">
      <a class="button second" href={linkTo(visit, ACCOUNT, { name: username, confirm: action })}>
        {text}
      </a>
    </p>
  )
}
