/** @jsxImportSource hono/jsx */
/** Frame of the lists of people and apps: tabs, a notice and a problem above the list. */
import type { Child } from 'hono/jsx'
import { managedBy } from '../../acting/managed.js'
import { createAsset } from '../../assets.js'
import { ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { PageContent } from '../../page.js'
import type { Problem } from '../../problem.js'
import { Done, Tabs } from '../components.js'
import type { ConsoleVisit } from '../consolePage.js'
import { consoleWords } from '../words.js'
import { APPS_PATH, CONSENTS_PATH, DELEGATIONS_PATH, LINKS_PATH, REQUESTS_PATH } from './paths.js'
import { peopleScriptText } from './peopleScript.js'
import { peopleStyleText } from './peopleStyle.js'
import { peopleWords } from './words.js'

type Tab = 'links' | 'apps' | 'requests' | 'consents' | 'delegations'

const paths: readonly [Tab, string][] = [
  ['links', LINKS_PATH],
  ['apps', APPS_PATH],
  ['requests', REQUESTS_PATH],
  ['consents', CONSENTS_PATH],
  ['delegations', DELEGATIONS_PATH],
]

/** Style sheet and script of these pages. */
export const peopleAssets = [createAsset('people', 'css', peopleStyleText), createAsset('people', 'js', peopleScriptText)]

interface TabContent {
  body: Child
  /** Notice of a completed action. */
  done?: string | undefined
  problem?: Problem | undefined
}

/** Returns the page of a tab. Delegations show the number of invitations that wait for an answer. */
export async function tabContent(visit: ConsoleVisit, current: Tab, { body, done, problem }: TabContent): Promise<PageContent> {
  const words = peopleWords[visit.language]
  const waiting = (await managedBy(visit, visit.session)).filter(({ status }) => status === 'invite').length
  const tabs = paths.map(([tab, path]) => ({
    text: tab === 'delegations' && waiting > 0 ? words.waiting(words.tabs[tab], waiting) : words.tabs[tab],
    href: linkTo(visit, path),
    isCurrent: tab === current,
  }))
  const title = consoleWords[visit.language].sections.people
  const content = (
    <>
      <Tabs label={title} tabs={tabs} />
      <ProblemBox visit={visit} problem={problem} />
      {problem === undefined ? <Done text={done} /> : null}
      {body}
    </>
  )
  return { title, body: content, status: problem?.status ?? 200, assets: peopleAssets }
}
