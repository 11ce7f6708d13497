/** Tabs of the view of a shared link, in addresses: `show`. */
import type { Child } from 'hono/jsx'

export const tabNames = ['entries', 'charts', 'files'] as const
export type TabName = (typeof tabNames)[number]

export interface TabContent {
  body: Child
  /** True if something is not ready, and the browser shall request the page again. */
  isLate: boolean
}

/** Returns the tab in an address; the entries by default. */
export const tabOf = (query: URLSearchParams): TabName => tabNames.find((name) => name === query.get('show')) ?? 'entries'

/** Returns the parameters of an address that select a tab. */
export const tabParameters = (tab: TabName): Record<string, string> => (tab === 'entries' ? {} : { show: tab })
