/** @jsxImportSource hono/jsx */
/** Lists of links and of apps, the latter with the sessions in which the owner is signed in. */
import { grantedAccesses, type GrantedAccess } from '../../access/grantedAccesses.js'
import { accessWords } from '../../access/words.js'
import { linkTo, pathOfTarget } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import type { Problem } from '../../problem.js'
import { Empty } from '../components.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { AccessRows } from './accessRows.js'
import { APPS_PATH, LINKS_PATH, NEW_LINK_PATH, ONE_PATH } from './paths.js'
import { tabContent } from './peopleTabs.js'
import { peopleWords } from './words.js'

export const linksPage: Page = consolePage({
  path: LINKS_PATH,
  section: 'people',
  show(visit) {
    const id = visit.query.get('id')
    return id === null ? linkList(visit) : redirectTo(visit, ONE_PATH, { id: id.slice(0, 100) })
  },
})

export const appsPage: Page = consolePage({ path: APPS_PATH, section: 'people', show: (visit) => appList(visit) })

/** Kinds of the accesses in the list of links; those of consents are in a list of their own. */
const isLink = ({ kind }: GrantedAccess): boolean => kind === 'link'
const isApp = ({ kind }: GrantedAccess): boolean => kind === 'app' || kind === 'client'

/** Returns the list of links. */
export async function linkList(visit: ConsoleVisit, problem?: Problem): Promise<Answer> {
  const words = peopleWords[visit.language]
  const links = (await grantedAccesses(visit)).accesses.filter(isLink)
  const body = (
    <>
      <div class="lead">
        <p class="soft">{words.linksText}</p>
        <a class="button" href={linkTo(visit, NEW_LINK_PATH)}>
          {words.newLink}
        </a>
      </div>
      <div id="links" data-live="yes">
        {links.length === 0 ? (
          <Empty icon="link" text={words.noLinks}>
            <p>{words.noLinksHint}</p>
          </Empty>
        ) : null}
        <AccessRows visit={visit} path={LINKS_PATH} parameter="page" all={links} />
      </div>
    </>
  )
  return tabContent(visit, 'links', { body, done: noticeOf(visit), problem })
}

/** Returns the list of apps and sessions. */
export async function appList(visit: ConsoleVisit, problem?: Problem): Promise<Answer> {
  const words = peopleWords[visit.language]
  const { accesses, sessions } = await grantedAccesses(visit)
  const apps = accesses.filter(isApp)
  const { sessions: heading, sessionsText, secondFactor } = accessWords[visit.language]
  const body = (
    <>
      <div class="lead">
        <p class="soft">{words.appsText}</p>
        <a class="button second" href={linkTo(visit, NEW_LINK_PATH, { kind: 'app' })}>
          {words.newKey}
        </a>
      </div>
      <div id="apps" data-live="yes">
        {apps.length === 0 ? (
          <Empty icon="devices" text={words.noApps}>
            <p>{words.noAppsHint}</p>
          </Empty>
        ) : null}
        <AccessRows visit={visit} path={APPS_PATH} parameter="page" all={apps} />
        <h2>{heading}</h2>
        <p class="soft small">{sessionsText}</p>
        <AccessRows visit={visit} path={APPS_PATH} parameter="sessions" all={sessions} isBelow />
      </div>
      <p class="buttons">
        <a class="button second" href={linkTo({ node: visit.node, flow: {} }, pathOfTarget('mfa'))}>
          {secondFactor}
        </a>
      </p>
    </>
  )
  return tabContent(visit, 'apps', { body, done: noticeOf(visit), problem })
}

/** Returns the notice of the action that led to a list. */
function noticeOf({ query, language }: ConsoleVisit): string | undefined {
  const words = accessWords[language]
  const done = query.get('done')
  if (done === 'ended') return words.signedOut
  if (done !== 'revoked') return undefined
  const also = Number(query.get('also'))
  return Number.isSafeInteger(also) && also > 0 ? `${words.revoked} ${words.revokedToo(also)}` : words.revoked
}
