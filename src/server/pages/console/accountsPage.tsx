/** @jsxImportSource hono/jsx */
/** Page that switches between the own account and those that the person manages by delegation. */
import { managedBy } from '../acting/managed.js'
import { linkTo } from '../links.js'
import type { Page } from '../page.js'
import { consolePage } from './consolePage.js'
import { consoleWords } from './words.js'

export const accountsPage: Page = consolePage({
  path: '/accounts',
  section: 'settings',
  isOfPerson: true,
  async show(visit) {
    const { node, language, person } = visit
    const words = consoleWords[language]
    const managed = (await managedBy(visit, person)).filter(({ status }) => status === 'active')
    const { as: _, ...flow } = visit.flow
    const own = person.user.username
    const body = (
      <>
        <p class="soft">{words.accountsText}</p>
        <ul class="rows">
          <li>
            <a href={linkTo({ node, flow }, '/overview')}>{own}</a> <span class="tag">{words.ownAccount}</span>
          </li>
          {managed.map(({ username }) => (
            <li>
              <a href={linkTo({ node, flow: { ...flow, as: username } }, '/overview')}>{username}</a>
            </li>
          ))}
        </ul>
        {managed.length === 0 ? <p class="soft">{words.accountsNone}</p> : null}
      </>
    )
    return { title: words.switchAccount, body }
  },
})
