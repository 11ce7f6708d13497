/** @jsxImportSource hono/jsx */
/** Lists who acts for the account and for whom it acts, with invitations; forms to invite somebody and to create an account. */
import type { Controlled, Delegate } from '../../../../store/model/delegation.js'
import { listControlled } from '../../../api/delegations/listControlled.js'
import { listDelegates } from '../../../api/delegations/listDelegates.js'
import { isDelegationOn } from '../../acting/managed.js'
import { Field, Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import type { Problem } from '../../problem.js'
import { readAsOwner } from '../../session.js'
import { dayText } from '../../times.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { Fact, TimeText } from './accessRows.js'
import { delegationProblem, runAction, type Ending } from './delegationActions.js'
import { delegationWords } from './delegationWords.js'
import { DELEGATIONS_PATH, END_DELEGATION_PATH } from './paths.js'
import { tabContent } from './peopleTabs.js'

type DelegateView = Pick<Delegate, 'relId' | 'delegate' | 'status' | 'requestedAt' | 'activatedAt' | 'expiresAt' | 'lastTokenIssuedAt'>
type ControlledView = Pick<Controlled, 'relId' | 'controlled' | 'status' | 'requestedAt' | 'activatedAt'>

/** Maximum number of delegations of one kind that the page lists. */
const MAX_LISTED = 200
const MAX_USERNAME = 100

export const delegationsPage: Page = consolePage({
  path: DELEGATIONS_PATH,
  section: 'people',
  show: (visit) => listOf(visit),
  async submit(submission) {
    const { form } = submission
    const action = form.get('do')
    const username = (form.get(action === 'create' ? 'newName' : 'username') ?? '').trim().slice(0, MAX_USERNAME)
    if (action !== 'accept' && action !== 'invite' && action !== 'create') return redirectTo(submission, DELEGATIONS_PATH)
    try {
      await runAction(submission, action, username)
      return redirectTo(submission, DELEGATIONS_PATH, { done: action, name: username })
    } catch (error) {
      const problem = delegationProblem(submission, error, action === 'create' ? 'newName' : 'username')
      return listOf(submission, problem, submission)
    }
  },
})

/** Lists the delegates of the shown account, and the accounts that it manages. */
export async function delegationsOf(visit: ConsoleVisit): Promise<{ delegates: DelegateView[]; controlled: ControlledView[] }> {
  const { delegates } = (await readAsOwner(visit, visit.session, listDelegates, {})) as { delegates: DelegateView[] }
  const { controlled } = (await readAsOwner(visit, visit.session, listControlled, {})) as { controlled: ControlledView[] }
  return { delegates, controlled }
}

async function listOf(visit: ConsoleVisit, problem?: Problem, submission?: ConsoleFormVisit): Promise<Answer> {
  const words = delegationWords[visit.language]
  if (!isDelegationOn(visit)) return tabContent(visit, 'delegations', { body: <p>{words.off}</p> })
  const { delegates, controlled } = await delegationsOf(visit)
  const form = submission?.form ?? new URLSearchParams()
  const isOwn = visit.session.user.username === visit.person.user.username
  const body = (
    <>
      <section aria-labelledby="delegates">
        <h2 id="delegates">{words.delegates}</h2>
        <p class="soft">{words.delegatesText}</p>
        {delegates.length === 0 ? <p>{words.noDelegates}</p> : null}
        <DelegateRows visit={visit} delegates={delegates} />
        <Form visit={visit} path={DELEGATIONS_PATH}>
          <div class="narrow">
            <h3>{words.invite}</h3>
            <input type="hidden" name="do" value="invite" />
            <Field name="username" label={words.username} hint={words.inviteText} value={form.get('do') === 'invite' ? (form.get('username') ?? '').slice(0, MAX_USERNAME) : ''} problem={problem} more={nameInput} />
            <p class="buttons">
              <button class="second">{words.send}</button>
            </p>
          </div>
        </Form>
      </section>
      <section aria-labelledby="managed">
        <h2 id="managed">{words.managed}</h2>
        <p class="soft">{words.managedText}</p>
        {controlled.length === 0 ? <p>{words.noManaged}</p> : null}
        <ManagedRows visit={visit} controlled={controlled} isOwn={isOwn} />
        <details open={form.get('do') === 'create'}>
          <summary>{words.create}</summary>
          <Form visit={visit} path={DELEGATIONS_PATH}>
            <div class="narrow">
              <p class="soft">{words.createText}</p>
              <input type="hidden" name="do" value="create" />
              <Field name="newName" label={words.username} value={(form.get('newName') ?? '').slice(0, MAX_USERNAME)} problem={problem} more={nameInput} />
              <Field name="email" type="email" label={words.email} value={(form.get('email') ?? '').slice(0, 300)} problem={problem} isRequired={false} more={{ autocomplete: 'off', maxlength: '300' }} />
              <p class="buttons">
                <button class="second">{words.createButton}</button>
              </p>
            </div>
          </Form>
        </details>
      </section>
    </>
  )
  return tabContent(visit, 'delegations', { body, problem, done: doneText(visit) })
}

const nameInput = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', maxlength: String(MAX_USERNAME) }

function doneText({ query, language }: ConsoleVisit): string | undefined {
  const words = delegationWords[language]
  const name = (query.get('name') ?? '').slice(0, MAX_USERNAME)
  const texts = new Map([
    ['accept', words.accepted(name)],
    ['invite', words.invited(name)],
    ['create', words.created(name)],
    ['ended', words.ended],
  ])
  return texts.get(query.get('done') ?? '')
}

function DelegateRows({ visit, delegates }: { visit: ConsoleVisit; delegates: readonly DelegateView[] }) {
  const words = delegationWords[visit.language]
  if (delegates.length === 0) return <></>
  return (
    <ul class="rows">
      {delegates.slice(0, MAX_LISTED).map(({ delegate: { username }, status, requestedAt, activatedAt, expiresAt, lastTokenIssuedAt }) => (
        <li>
          <h3 class="entry name">
            {username} <span class="tag">{words.status[status]}</span>
          </h3>
          <dl class="facts small">
            <Day visit={visit} name={words.asked} at={requestedAt} />
            <Day visit={visit} name={words.since} at={activatedAt} />
            <Day visit={visit} name={words.until} at={expiresAt} />
            <Day visit={visit} name={words.lastToken} at={lastTokenIssuedAt} />
          </dl>
          <p class="actions small">
            <EndLink visit={visit} ending={status === 'invite' ? 'cancel' : 'detach'} username={username} />
          </p>
        </li>
      ))}
    </ul>
  )
}

function ManagedRows({ visit, controlled, isOwn }: { visit: ConsoleVisit; controlled: readonly ControlledView[]; isOwn: boolean }) {
  const words = delegationWords[visit.language]
  const { node, flow } = visit
  if (controlled.length === 0) return <></>
  return (
    <ul class="rows">
      {controlled.slice(0, MAX_LISTED).map(({ controlled: { username }, status, requestedAt, activatedAt }) => (
        <li>
          <h3 class="entry name">
            {username} <span class="tag">{words.status[status]}</span>
          </h3>
          {status === 'invite' ? <p>{words.invitesYou(username)}</p> : null}
          <dl class="facts small">
            <Day visit={visit} name={words.asked} at={requestedAt} />
            <Day visit={visit} name={words.since} at={activatedAt} />
          </dl>
          {status === 'invite' ? (
            <Form visit={visit} path={DELEGATIONS_PATH}>
              <input type="hidden" name="do" value="accept" />
              <input type="hidden" name="username" value={username} />
              <p class="buttons">
                <button>
                  {words.accept}
                  <span class="hidden">: {username}</span>
                </button>
                <EndLink visit={visit} ending="refuse" username={username} />
              </p>
            </Form>
          ) : (
            <p class="actions small">
              {status === 'active' && isOwn ? <a href={linkTo({ node, flow: { ...flow, as: username } }, '/overview')}>{words.open}</a> : null}
              {status === 'stale' ? <EndLink visit={visit} ending="dismiss" username={username} /> : null}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

function Day({ visit, name, at }: { visit: ConsoleVisit; name: string; at: number | undefined }) {
  if (at === undefined) return <></>
  return (
    <Fact name={name}>
      <TimeText at={at} text={dayText(at, visit)} />
    </Fact>
  )
}

const EndLink = ({ visit, ending, username }: { visit: ConsoleVisit; ending: Ending; username: string }) => (
  <a href={linkTo(visit, END_DELEGATION_PATH, { do: ending, name: username })}>
    {delegationWords[visit.language][ending]}
    <span class="hidden">: {username}</span>
  </a>
)
