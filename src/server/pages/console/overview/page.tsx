/** @jsxImportSource hono/jsx */
/** First page of the console: what needs attention, and the latest events. */
import type { Page } from '../../page.js'
import { consolePage } from '../consolePage.js'
import { Empty } from '../components.js'
import { consoleWords } from '../words.js'

export const overviewPage: Page = consolePage({
  path: '/overview',
  section: 'overview',
  show({ language }) {
    return { title: consoleWords[language].sections.overview, body: <Empty icon="list" text="" /> }
  },
})
