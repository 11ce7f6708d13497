/** @jsxImportSource hono/jsx */
/** Links to the newest and to older items of a tab, which is listed by time. */
import { linkTo } from '../links.js'
import { timePositionParameters, type TimePosition } from '../timePosition.js'
import { SHARED_PATH } from './sharedFrame.js'
import { tabParameters, type TabName } from './tabs.js'
import type { SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

interface TimePagesProps {
  visit: SharedVisit
  tab: TabName
  /** Id of the shown stream; undefined for all. */
  stream: string | undefined
  /** Position of the shown page; undefined for the first. */
  position: TimePosition | undefined
  /** Position of the next page; undefined on the last. */
  next: TimePosition | undefined
}

export function TimePages({ visit, tab, stream, position, next }: TimePagesProps) {
  if (position === undefined && next === undefined) return <></>
  const words = sharedLinkWords[visit.language]
  const parameters = { view: visit.viewId, ...tabParameters(tab), ...(stream === undefined ? {} : { stream }) }
  return (
    <nav class="split small pager" aria-label={words.pages}>
      {position === undefined ? <span></span> : <a href={linkTo(visit, SHARED_PATH, parameters)}>{words.newest}</a>}
      {next === undefined ? null : <a href={linkTo(visit, SHARED_PATH, { ...parameters, ...timePositionParameters(next) })}>{words.older}</a>}
    </nav>
  )
}
