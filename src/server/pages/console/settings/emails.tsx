/** @jsxImportSource hono/jsx */
/** Page of the e-mail addresses of the shown account: add, verify, choose the primary one, remove. */
import type { Failure } from '../../../../store/model/failure.js'
import { MAX_EMAIL } from '../../../../store/model/accountFieldValue.js'
import { update } from '../../../api/account/update.js'
import { isVerificationOn } from '../../../api/account/verification.js'
import { asTyped } from '../../accountName.js'
import { Field, Form, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, tooSoonToSend, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { dayText } from '../../times.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { loadAccount, type AccountOfPage } from './account.js'
import { EMAILS_PATH } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

const FIELD = 'email'

type Entry = AccountOfPage['emails'][number]

/** Changes of `account.update` by the action of a form. */
const changes: Readonly<Record<string, (email: string) => object>> = {
  add: (email) => ({ emails: { add: [email] } }),
  primary: (email) => ({ emails: { setPrimary: email } }),
  remove: (email) => ({ emails: { remove: [email] } }),
  resend: (email) => ({ emails: { resend: [email] } }),
  single: (email) => ({ email }),
}

export const emailsPage: Page = consolePage({
  path: EMAILS_PATH,
  section: 'settings',
  show(visit) {
    const removed = visit.query.get('remove')
    return removed === null ? view(visit) : removeView(visit, removed)
  },
  async submit(submission) {
    const { form, session } = submission
    const action = form.get('do') ?? ''
    const email = (form.get(FIELD) ?? '').trim().slice(0, MAX_EMAIL + 1)
    const change = Object.hasOwn(changes, action) ? changes[action] : undefined
    if (change === undefined) return redirectTo(submission, EMAILS_PATH)
    try {
      await callAsOwner(submission, session, update, { update: change(email) })
    } catch (error) {
      return view(submission, problemIn(submission, error, action), action === 'add' || action === 'single' ? email : undefined)
    }
    return redirectTo(submission, EMAILS_PATH, { done: action })
  },
})

function problemIn(submission: ConsoleFormVisit, error: unknown, action: string): Problem {
  const words = settingsWords[submission.language].emails
  const isTyped = action === 'add' || action === 'single'
  const at = isTyped ? FIELD : undefined
  const isWait = ({ data }: Failure): boolean => typeof data === 'object' && data !== null && 'retryAfterSeconds' in data
  return problemOf(submission, error, {
    'invalid-parameters-format': () => problemWith(words.wrong, at),
    'item-already-exists': () => problemWith(words.taken, at),
    'invalid-operation': (failure) => (isWait(failure) ? tooSoonToSend(submission, failure) : problemWith(words.refused, at)),
  })
}

async function view(visit: ConsoleVisit, problem?: Problem, typed?: string): Promise<Answer> {
  const { node } = visit
  const words = settingsWords[visit.language].emails
  const { emails, email } = await loadAccount(visit)
  const hasList = node.systemStreams.byName('email')?.isUnique === true
  const isFull = emails.length >= node.config.get('account.maxEmails')
  const body = (
    <>
      {problem !== undefined && problem.field === undefined ? <ProblemBox visit={visit} problem={problem} /> : null}
      <p class="soft">{words.text}</p>
      {hasList ? <List visit={visit} emails={emails} /> : null}
      {hasList && isFull ? <p class="soft">{words.full}</p> : null}
      {hasList && isFull ? null : (
        <Form visit={visit} path={EMAILS_PATH} problem={problem?.field === undefined ? undefined : problem}>
          <input type="hidden" name="do" value={hasList ? 'add' : 'single'} />
          <Field
            name={FIELD}
            label={hasList ? words.add : words.title}
            type="email"
            value={typed ?? (hasList ? '' : (email ?? ''))}
            problem={problem}
            {...(hasList && isVerificationOn(node) ? { hint: words.addHint } : {})}
            more={{ ...asTyped, autocomplete: 'email', maxlength: String(MAX_EMAIL) }}
          />
          <p class="buttons">
            <button>{hasList ? words.add : words.save}</button>
          </p>
        </Form>
      )}
    </>
  )
  return subpage(visit, { title: words.title, body, problem, notices: words.notices })
}

function List({ visit, emails }: { visit: ConsoleVisit; emails: readonly Entry[] }) {
  const words = settingsWords[visit.language].emails
  if (emails.length === 0) return <p>{words.none}</p>
  return (
    <ul class="rows">
      {emails.map((entry) => (
        <li class="entry-row">
          <div>
            <p class="name" dir="auto">
              {entry.value}
            </p>
            <p class="small soft">{stateText(visit, entry)}</p>
          </div>
          <div class="actions">
            <Actions visit={visit} entry={entry} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function stateText(visit: ConsoleVisit, { primary, status, verifiedAt }: Entry): string {
  const words = settingsWords[visit.language].emails
  const verified = verifiedAt === null ? words.verified : words.verifiedOn(dayText(verifiedAt, visit))
  return [...(primary ? [words.primary] : []), status === 'verified' ? verified : words.pending].join(' · ')
}

function Actions({ visit, entry }: { visit: ConsoleVisit; entry: Entry }) {
  const { value, primary, status } = entry
  const words = settingsWords[visit.language].emails
  const isPending = status === 'pending'
  return (
    <>
      {isPending && isVerificationOn(visit.node) ? <Action visit={visit} action="resend" email={value} text={words.resend} /> : null}
      {primary || isPending ? null : <Action visit={visit} action="primary" email={value} text={words.makePrimary} />}
      {primary ? null : (
        <a class="button second small" href={linkTo(visit, EMAILS_PATH, { remove: value })}>
          {words.remove}
          <span class="hidden"> {value}</span>
        </a>
      )}
    </>
  )
}

function Action({ visit, action, email, text }: { visit: ConsoleVisit; action: string; email: string; text: string }) {
  return (
    <Form visit={visit} path={EMAILS_PATH}>
      <input type="hidden" name="do" value={action} />
      <input type="hidden" name={FIELD} value={email} />
      <button class="second small">
        {text}
        <span class="hidden"> {email}</span>
      </button>
    </Form>
  )
}

async function removeView(visit: ConsoleVisit, email: string): Promise<Answer> {
  const words = settingsWords[visit.language].emails
  const { emails } = await loadAccount(visit)
  const entry = emails.find(({ value }) => value === email)
  if (entry === undefined || entry.primary) return view(visit)
  const body = (
    <Form visit={visit} path={EMAILS_PATH}>
      <p class="name" dir="auto">
        <strong>{email}</strong>
      </p>
      <p>{words.removeText}</p>
      <input type="hidden" name="do" value="remove" />
      <input type="hidden" name={FIELD} value={email} />
      <p class="buttons">
        <button class="bad">{words.remove}</button>
        <a class="button second" href={linkTo(visit, EMAILS_PATH)}>
          {words.keep}
        </a>
      </p>
    </Form>
  )
  return subpage(visit, { title: words.removeTitle, body })
}
