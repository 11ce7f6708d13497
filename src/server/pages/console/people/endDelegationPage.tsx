/** @jsxImportSource hono/jsx */
/** Confirmation before a delegation or an invitation ends, with the accesses that end together with it. */
import { isCounterparty } from '../../../../store/model/consentAccess.js'
import { markerOf } from '../../../../store/model/delegation.js'
import type { ClientData } from '../../../../store/model/event.js'
import { parseAccessId } from '../../../../store/model/access.js'
import { sanitiseText } from '../../../api/accessRequests/consentWords.js'
import { get } from '../../../api/accesses/get.js'
import { isDelegationOn } from '../../acting/managed.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import type { Problem } from '../../problem.js'
import { readAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { delegationProblem, endDelegation, endingIn, type Ending } from './delegationActions.js'
import { delegationsOf } from './delegationsPage.js'
import { delegationWords } from './delegationWords.js'
import { DELEGATIONS_PATH, END_DELEGATION_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'

const MAX_REMAINING = 1000
const MAX_SHOWN = 200

export const endDelegationPage: Page = consolePage({
  path: END_DELEGATION_PATH,
  section: 'people',
  async show(visit) {
    const { query } = visit
    const target = await targetOf(visit, endingIn(query.get('do')), query.get('name') ?? '')
    return target === undefined ? redirectTo(visit, DELEGATIONS_PATH) : confirmation(visit, target)
  },
  async submit(submission) {
    const { form } = submission
    const target = await targetOf(submission, endingIn(form.get('ending')), form.get('username') ?? '')
    if (target === undefined) return redirectTo(submission, DELEGATIONS_PATH)
    try {
      await endDelegation(submission, target.ending, target.username, form.getAll('keep').slice(0, MAX_REMAINING))
      return redirectTo(submission, DELEGATIONS_PATH, { done: 'ended' })
    } catch (error) {
      return confirmation(submission, target, delegationProblem(submission, error, ''))
    }
  },
})

interface Target {
  ending: Ending
  username: string
  /** Accesses that the delegate gave. Only consents can be remaining. */
  given: { id: string; name: string; mayStay: boolean }[]
}

interface AccessView {
  id: string
  name: string
  clientData?: ClientData
}

/** Returns what an action ends; undefined when there is no such delegation. */
async function targetOf(visit: ConsoleVisit, ending: Ending | undefined, username: string): Promise<Target | undefined> {
  if (ending === undefined || !isDelegationOn(visit)) return undefined
  const { delegates, controlled } = await delegationsOf(visit)
  if (ending === 'refuse' || ending === 'dismiss') {
    return controlled.some((each) => each.controlled.username === username) ? { ending, username, given: [] } : undefined
  }
  const found = delegates.find(({ delegate }) => delegate.username === username)
  if (found === undefined) return undefined
  const { accesses } = (await readAsOwner(visit, visit.session, get, {})) as { accesses: AccessView[] }
  const given = accesses.flatMap(({ id, name, clientData = {} }) => {
    const marker = markerOf({ clientData })
    if (marker?.kind !== 'delegated-child' || marker.relId !== found.relId) return []
    return [{ id: parseAccessId(id).base, name: sanitiseText(name.slice(0, 80)), mayStay: isCounterparty({ clientData }) }]
  })
  return { ending, username, given }
}

function confirmation(visit: ConsoleVisit, { ending, username, given }: Target, problem?: Problem): Answer {
  const words = delegationWords[visit.language]
  const remaining = given.filter(({ mayStay }) => mayStay)
  const body = (
    <Form visit={visit} path={END_DELEGATION_PATH} problem={problem}>
      <div class="narrow">
        <p>{words.endTexts[ending](username)}</p>
        {given.length === 0 ? null : (
          <>
            <p>{words.endsToo(given.length)}</p>
            <ul>
              {given.slice(0, MAX_SHOWN).map(({ name }) => (
                <li class="name">
                  <bdi>{name}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
        {remaining.length === 0 ? null : (
          <fieldset>
            <legend>{words.keepText}</legend>
            {remaining.map(({ id, name }) => (
              <label class="tick">
                <input type="checkbox" name="keep" value={id} />
                <bdi>{name}</bdi>
              </label>
            ))}
          </fieldset>
        )}
        <input type="hidden" name="ending" value={ending} />
        <input type="hidden" name="username" value={username} />
        <div class="buttons">
          <button class="bad">{words[ending]}</button>
          <a class="button second" href={linkTo(visit, DELEGATIONS_PATH)}>
            {words.keep}
          </a>
        </div>
      </div>
    </Form>
  )
  return { title: words.endTitles[ending], body, status: problem?.status ?? 200, assets: peopleAssets }
}
