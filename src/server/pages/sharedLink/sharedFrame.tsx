/** @jsxImportSource hono/jsx */
/** Frame of the view of a shared link: name of the node, the content, and the other languages. */
import type { Child } from 'hono/jsx'
import { callsRoot } from '../links.js'
import { consoleStyle } from '../console/consoleAssets.js'
import { filesStyle } from '../console/files/filesAssets.js'
import { Mark } from '../console/icons.js'
import { consoleWords } from '../console/words.js'
import { lineChartStyle } from '../events/lineChart.js'
import type { PageContent, Visit } from '../page.js'
import { sharedStyle } from './style.js'
import type { ViewProblem } from './views.js'
import { sharedLinkWords } from './words.js'

export const SHARED_PATH = '/shared'
export const SHARED_FILE_PATH = '/shared/file'
/** Edge of a picture that fills the window, in pixels. */
export const LARGE_EDGE = 1024

/** Returns the content of a page in the frame. */
export const inSharedFrame = (visit: Visit, content: PageContent): PageContent => ({
  ...content,
  assets: [consoleStyle, lineChartStyle, filesStyle, sharedStyle],
  frame: (shown, languages) => <SharedFrame visit={visit} content={shown} languages={languages} />,
})

/** Returns the page of a view whose link is not open in this browser, or has ended. It names neither account nor link. */
export function viewProblem(visit: Visit, problem: ViewProblem): PageContent {
  const words = sharedLinkWords[visit.language]
  const [title, text, status] = problem === 'ended' ? [words.goneTitle, words.ended, 403] : [words.notOpenTitle, words.notOpen, 404]
  return inSharedFrame(visit, { title, body: <p>{text}</p>, status })
}

function SharedFrame({ visit, content, languages }: { visit: Visit; content: PageContent; languages: Child }) {
  const { node, language } = visit
  const name = node.config.get('service.name')
  return (
    <body class="console shared">
      <a class="skip" href="#content">
        {consoleWords[language].skip}
      </a>
      <header class="top">
        <span class="brand">
          <Mark />
          <strong>{name}</strong>
        </span>
      </header>
      <main id="content" tabindex={-1}>
        <h1>{content.title}</h1>
        {content.body}
      </main>
      <footer>
        {languages}
        <a href={`${callsRoot(node)}/`}>{name}</a>
      </footer>
    </body>
  )
}
