/** @jsxImportSource hono/jsx */
/** Parts that pages of the settings share. */
import type { Child } from 'hono/jsx'
import { linkTo } from '../../links.js'
import type { OwnVisit, PageContent } from '../../page.js'
import { headersOfProblem, type Problem } from '../../problem.js'
import { Done } from '../components.js'
import { SETTINGS } from './paths.js'
import { settingsStyle } from './style.js'
import { settingsWords } from './words.js'

interface SubpageProps {
  title: string
  body: Child
  problem?: Problem | undefined
  /** Notices by the value of the parameter `done`. */
  notices?: Readonly<Record<string, string>>
}

/** Returns the content of a page below the settings: a way back, the notice of the last action, and the body. */
export function subpage(visit: OwnVisit, { title, body, problem, notices = {} }: SubpageProps): PageContent {
  const done = visit.query.get('done') ?? ''
  const content = (
    <>
      <p class="small">
        <a href={linkTo(visit, SETTINGS)}>{settingsWords[visit.language].back}</a>
      </p>
      {problem === undefined && Object.hasOwn(notices, done) ? <Done text={notices[done]} /> : null}
      <div class="narrow-form">{body}</div>
    </>
  )
  return { title, body: content, assets: [settingsStyle], status: problem?.status ?? 200, headers: headersOfProblem(problem) }
}
