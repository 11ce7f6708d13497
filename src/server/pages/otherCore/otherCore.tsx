/** @jsxImportSource hono/jsx */
/** Leads to the pages of the core that serves an account: its session cookie belongs to the host of that core. */
import { PAGES_PATH } from '../../config/apiEndpoint.js'
import { coreOfHolder } from '../../platform/cores/wrongCore.js'
import type { Name } from '../../platform/registry/port.js'
import type { PageContent, Visit } from '../page.js'
import { otherCoreWords } from './words.js'

interface Target {
  /** URL of the core, with a trailing slash. */
  url: string
  /** Path of a page below the root of the pages. */
  path: string
  /** User name or e-mail address, to fill in there. */
  name: string
  /** True when the account was created just now. */
  isNew?: boolean
}

/** Renders a page with a link to a page of another core, which the browser follows by itself. */
export function otherCorePage({ language, flow }: Visit, { url, path, name, isNew = false }: Target): PageContent {
  const words = otherCoreWords[language]
  const to = `${url.slice(0, -1)}${PAGES_PATH}${path}?${new URLSearchParams({ ...flow, username: name }).toString()}`
  const body = (
    <>
      <p role="status">
        {isNew ? words.created : words.elsewhere} <strong class="name">{url}</strong>
      </p>
      <p class="buttons">
        <a class="button" href={to}>
          {words.go}
        </a>
      </p>
    </>
  )
  return { title: isNew ? words.createdTitle : words.title, body, goesTo: to }
}

/** Returns the URL of the core of an account; undefined for accounts of this core and unknown ones. @throws Failure `platform-unavailable` */
export async function otherCoreOf({ node }: Visit, name: Name): Promise<string | undefined> {
  const { registry } = node
  const holder = registry.isShared ? await registry.lookUp(name) : undefined
  return holder === undefined || holder.core === registry.core ? undefined : coreOfHolder(node, holder).url
}
