/** @jsxImportSource hono/jsx */
/** Invitations for new accounts: list, create, revoke. */
import type { OperatorMethods } from '../../../control/operatorMethods.js'
import { Field, Form, ProblemBox } from '../../layout.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { dayText } from '../../times.js'
import { Empty, pageNumber, Pager } from '../components.js'
import { redirectTo, type ConsoleVisit } from '../consolePage.js'
import { operate, operatorPage, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

const INVITATIONS = '/operator/invitations'
const PER_PAGE = 50
const MAX_COUNT = 100
const MAX_NOTE = 500

type Invitation = OperatorMethods['invitations.list']['output']['invitations'][number]
type Created = OperatorMethods['invitations.create']['output']['invitations']

export const invitationsPage: Page = operatorPage({
  path: INVITATIONS,
  show: (visit) => view(visit),
  async submit(submission) {
    const { form, language } = submission
    const words = operatorWords[language].invitations
    try {
      if (form.get('do') === 'revoke') {
        await operate(submission, 'invitations.revoke', { invitation: (form.get('id') ?? '').slice(0, 64) })
        return redirectTo(submission, INVITATIONS, { done: 'revoked' })
      }
      const count = Number(form.get('count') ?? '')
      if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) return await view(submission, { problem: problemWith(words.wrongCount(MAX_COUNT), 'count'), form })
      const message = (form.get('note') ?? '').trim().slice(0, MAX_NOTE)
      const { invitations } = await operate(submission, 'invitations.create', { count, message })
      // The tokens exist only in this answer.
      return await view(submission, { created: invitations })
    } catch (error) {
      return view(submission, { problem: problemOf(submission, error, { 'unknown-resource': words.unknown, 'invalid-operation': words.used }), form })
    }
  },
})

interface State {
  problem?: Problem
  form?: URLSearchParams
  created?: Created
}

async function view(visit: ConsoleVisit, { problem, form, created = [] }: State = {}): Promise<Answer> {
  const words = operatorWords[visit.language].invitations
  const { invitations: all, required } = await operate(visit, 'invitations.list', {})
  const latest = [...all].reverse()
  const pages = Math.ceil(latest.length / PER_PAGE)
  const page = pageNumber(visit.query, pages)
  const body = (
    <>
      {problem !== undefined && problem.field === undefined ? <ProblemBox visit={visit} problem={problem} /> : null}
      <p class="soft">{required ? words.required : words.open}</p>
      {created.length === 0 ? null : <Tokens visit={visit} created={created} />}
      <div class="narrow-form">
        <Form visit={visit} path={INVITATIONS} problem={problem?.field === undefined ? undefined : problem}>
          <input type="hidden" name="do" value="create" />
          <Field name="count" label={words.count} type="number" value={form?.get('count') ?? '1'} problem={problem} more={{ min: '1', max: String(MAX_COUNT) }} />
          <Field name="note" label={words.note} hint={words.noteHint} value={form?.get('note') ?? ''} isRequired={false} more={{ maxlength: String(MAX_NOTE), autocomplete: 'off' }} />
          <p class="buttons">
            <button>{words.create}</button>
          </p>
        </Form>
      </div>
      <h2>{words.list}</h2>
      {latest.length === 0 ? <Empty icon="people" text={words.none} /> : <List visit={visit} invitations={latest.slice((page - 1) * PER_PAGE, page * PER_PAGE)} />}
      <Pager visit={visit} path={INVITATIONS} page={page} pages={pages} />
    </>
  )
  return operatorView(visit, { tab: 'invitations', body, problem, notices: { revoked: words.revoked } })
}

function Tokens({ visit, created }: { visit: ConsoleVisit; created: Created }) {
  const words = operatorWords[visit.language].invitations
  return (
    <div class="done" role="status">
      <p>{words.created}</p>
      {created.map(({ token }) => (
        <code class="token">{token}</code>
      ))}
    </div>
  )
}

function List({ visit, invitations }: { visit: ConsoleVisit; invitations: readonly Invitation[] }) {
  const words = operatorWords[visit.language].invitations
  return (
    <ul class="rows">
      {invitations.map(({ id, createdAt, description, consumedAt, consumedBy }) => (
        <li class="entry-row">
          <div>
            <p class="name" dir="auto">
              {description === '' ? words.noNote : description}
            </p>
            <p class="small soft">
              <code>{id.slice(0, 12)}</code> · {words.madeOn(dayText(createdAt / 1000, visit))}
              {consumedAt === undefined ? null : ` · ${words.usedOn(dayText(consumedAt / 1000, visit), consumedBy)}`}
            </p>
          </div>
          {consumedAt !== undefined ? (
            <span class="tag">{words.isUsed}</span>
          ) : (
            <Form visit={visit} path={INVITATIONS}>
              <input type="hidden" name="do" value="revoke" />
              <input type="hidden" name="id" value={id} />
              <button class="second small">
                {words.revoke}
                <span class="hidden"> {id.slice(0, 12)}</span>
              </button>
            </Form>
          )}
        </li>
      ))}
    </ul>
  )
}
