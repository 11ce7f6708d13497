/** @jsxImportSource hono/jsx */
/** Components that pages of the console share. */
import type { Child } from 'hono/jsx'
import { linkTo } from '../links.js'
import type { OwnVisit } from '../page.js'
import { distance, machineTime, timeText } from '../times.js'
import { IconImage, type Icon } from './icons.js'
import { consoleWords } from './words.js'

/** Renders a time in seconds since 1970: the distance from now, with the exact time as its title; or the exact time. */
export function Time({ visit, at, isExact = false }: { visit: OwnVisit; at: number; isExact?: boolean }) {
  const exact = timeText(at, visit)
  return (
    <time datetime={machineTime(at)} title={exact}>
      {isExact ? exact : distance(at, visit.node.clock.now(), visit.language)}
    </time>
  )
}

/** Renders what a list shows when it has no entries, with what to do next. */
export function Empty({ icon, text, children }: { icon: Icon; text: string; children?: Child }) {
  return (
    <div class="empty">
      <IconImage name={icon} />
      <p>{text}</p>
      {children}
    </div>
  )
}

/** Renders a message about a completed action; screen readers announce it. */
export function Done({ text }: { text: string | undefined }) {
  if (text === undefined) return <></>
  return (
    <div class="done" role="status">
      <p>{text}</p>
    </div>
  )
}

interface TabsProps {
  label: string
  tabs: readonly { text: string; href: string; isCurrent: boolean }[]
}

/** Renders links between views of one subject. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ text, href, isCurrent }) => (
        <a href={href} {...(isCurrent ? { 'aria-current': 'page' } : {})}>
          {text}
        </a>
      ))}
    </nav>
  )
}

/** Renders a button that opens a list of actions; works without scripts. */
export function Menu({ label, icon = 'more', children }: { label: string; icon?: Icon; children?: Child }) {
  return (
    <details class="menu">
      <summary>
        <IconImage name={icon} />
        <span class="hidden">{label}</span>
      </summary>
      <div class="drawer right">{children}</div>
    </details>
  )
}

interface PagerProps {
  visit: OwnVisit
  path: string
  /** Parameters of the address that stay. */
  parameters?: Readonly<Record<string, string>>
  /** Query parameter with the page number. */
  name?: string
  page: number
  pages: number
  /** Texts of the links; newer and older by default. */
  labels?: { previous: string; next: string }
}

/** Renders links to the neighbouring pages of a list. */
export function Pager({ visit, path, parameters = {}, name = 'page', page, pages, labels }: PagerProps) {
  if (pages <= 1) return <></>
  const words = consoleWords[visit.language]
  const to = (number: number): string => linkTo(visit, path, { ...parameters, [name]: String(number) })
  return (
    <nav class="split small pager" aria-label={words.pages}>
      {page > 1 ? <a href={to(page - 1)}>{labels?.previous ?? words.newer}</a> : <span></span>}
      <span>{words.page(page, pages)}</span>
      {page < pages ? <a href={to(page + 1)}>{labels?.next ?? words.older}</a> : <span></span>}
    </nav>
  )
}

/** Returns the page number in a parameter of the address, from 1 to `pages`. */
export function pageNumber(query: URLSearchParams, pages: number, name = 'page'): number {
  const requested = Number(query.get(name) ?? 1)
  return Number.isSafeInteger(requested) ? Math.min(Math.max(requested, 1), Math.max(pages, 1)) : 1
}
