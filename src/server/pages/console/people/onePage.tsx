/** @jsxImportSource hono/jsx */
/** One access: what it opens, since when, last use and end, with its actions. */
import { grantedAccess, grantedAccesses, type GrantedAccess } from '../../access/grantedAccesses.js'
import { accessWords } from '../../access/words.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemWith } from '../../problem.js'
import { Done } from '../components.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { Facts, MAX_DETAILS, Tags } from './accessRows.js'
import { appList, linkList } from './listPages.js'
import { APPS_PATH, CHANGE_PATH, CONSENTS_PATH, DELEGATIONS_PATH, LINK_PATH, LINKS_PATH, ONE_PATH, WITHDRAW_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'
import { peopleWords } from './words.js'

export const onePage: Page = consolePage({
  path: ONE_PATH,
  section: 'people',
  async show(visit) {
    const access = await accessIn(visit, visit.query.get('id') ?? '')
    if (access === undefined) return goneList(visit)
    if (access.kind === 'delegate') return redirectTo(visit, DELEGATIONS_PATH)
    if (access.isOwn) return redirectTo(visit, APPS_PATH)
    return oneContent(visit, access)
  },
})

/** Finds the access of the shown account with an id, whatever version it names. */
export async function accessIn(visit: ConsoleVisit, id: string): Promise<GrantedAccess | undefined> {
  return grantedAccess(await grantedAccesses(visit), id)
}

/** Returns the list with the note that an access no longer exists. */
export const goneList = (visit: ConsoleVisit): Promise<Answer> =>
  linkList(visit, { ...problemWith(accessWords[visit.language].gone), status: 404 })

/** Returns the list in which an access is. */
export const listOfAccess = (visit: ConsoleVisit, { kind }: GrantedAccess, problem: ReturnType<typeof problemWith>): Promise<Answer> =>
  kind === 'link' ? linkList(visit, problem) : appList(visit, problem)

/** Returns the path of the list in which accesses of a kind are. */
export function listPathOf({ kind }: Pick<GrantedAccess, 'kind'>): string {
  if (kind === 'link') return LINKS_PATH
  return kind === 'consent' || kind === 'offer' ? CONSENTS_PATH : APPS_PATH
}

function oneContent(visit: ConsoleVisit, access: GrantedAccess): Answer {
  const words = peopleWords[visit.language]
  const { id, kind } = access
  const to = (path: string): string => linkTo(visit, path, { id })
  const isSession = kind === 'session'
  const body = (
    <div class="narrow">
      <Done text={visit.query.get('done') === 'saved' ? words.saved : undefined} />
      <p class="small">
        <a href={linkTo(visit, listPathOf(access))}>{words.back}</a>
      </p>
      <section class="card" id="access" data-live="yes">
        <p>
          <Tags visit={visit} access={access} />
        </p>
        {kind === 'offer' ? <p>{words.offerText}</p> : null}
        {kind === 'consent' ? <p>{words.consentText}</p> : null}
        <Facts visit={visit} access={access} most={MAX_DETAILS} />
      </section>
      <p class="buttons">
        {kind === 'link' || kind === 'app' ? (
          <a class="button" href={to(LINK_PATH)}>
            {words.showLink}
          </a>
        ) : null}
        {isSession || kind === 'offer' ? null : (
          <a class="button second" href={to(CHANGE_PATH)}>
            {words.change}
          </a>
        )}
        {kind === 'offer' ? null : (
          <a class="button second" href={to(WITHDRAW_PATH)}>
            {isSession ? accessWords[visit.language].end : words.withdraw}
          </a>
        )}
        <a href={linkTo(visit, '/activity', { access: id })}>{words.activity}</a>
      </p>
    </div>
  )
  return { title: access.title, body, assets: peopleAssets }
}
