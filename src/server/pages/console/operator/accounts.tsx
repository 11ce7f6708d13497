/** @jsxImportSource hono/jsx */
/** Accounts of the node: search, pages, and for each its size and last use. */
import type { OperatorMethods } from '../../../control/operatorMethods.js'
import { SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { sizeText } from '../../sizes.js'
import { dayText } from '../../times.js'
import { Empty, pageNumber, Pager, Time } from '../components.js'
import type { ConsoleVisit } from '../consolePage.js'
import { operate, operatorPage, operatorView } from './operatorPage.js'
import { operatorWords } from './words.js'

export const ACCOUNTS = '/operator/accounts'
export const ACCOUNT = '/operator/account'

type User = OperatorMethods['users.show']['output']['user']

/** Each account of a page is loaded. */
const PER_PAGE = 25
const MAX_FIND = 100

export const accountsOfNodePage: Page = operatorPage({
  path: ACCOUNTS,
  async show(visit): Promise<Answer> {
    const { language } = visit
    const words = operatorWords[language].accounts
    const find = (visit.query.get('find') ?? '').trim().toLowerCase().slice(0, MAX_FIND)
    const { users: all } = await operate(visit, 'users.names', {})
    const found = all.filter(({ username, formerUsernames }) => [username, ...formerUsernames].some((name) => name.includes(find)))
    const pages = Math.ceil(found.length / PER_PAGE)
    const page = pageNumber(visit.query, pages)
    const users: User[] = []
    for (const { username } of found.slice((page - 1) * PER_PAGE, page * PER_PAGE)) {
      users.push((await operate(visit, 'users.show', { username })).user)
    }
    const body = (
      <>
        <SearchForm visit={visit} path={ACCOUNTS} more={{ class: 'bar', role: 'search' }}>
          <span class="grow">
            <label for="find">{words.find}</label>
            <input id="find" name="find" type="search" value={find} maxlength={MAX_FIND} autocapitalize="none" />
          </span>
          <button class="second">{words.search}</button>
          <a class="button second" href={linkTo(visit, '/operator/invitations')}>
            {words.invite}
          </a>
        </SearchForm>
        <p class="small soft">{words.count(found.length, all.length)}</p>
        {users.length === 0 ? <Empty icon="people" text={words.none} /> : <List visit={visit} users={users} />}
        <Pager visit={visit} path={ACCOUNTS} parameters={find === '' ? {} : { find }} page={page} pages={pages} labels={{ previous: words.previous, next: words.next }} />
      </>
    )
    return operatorView(visit, { tab: 'accounts', body })
  },
})

function List({ visit, users }: { visit: ConsoleVisit; users: readonly User[] }) {
  const words = operatorWords[visit.language].accounts
  return (
    <div class="framed" tabindex={0} role="region" aria-label={operatorWords[visit.language].tabs.accounts}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{words.username}</th>
            <th scope="col">{words.email}</th>
            <th scope="col" class="right">
              {words.size}
            </th>
            <th scope="col" class="right">
              {words.streams}
            </th>
            <th scope="col">{words.lastUsed}</th>
            <th scope="col">{words.created}</th>
          </tr>
        </thead>
        <tbody>
          {users.map(({ username, email, storageUsed, streams, lastUsed, created }) => (
            <tr>
              <th scope="row">
                <a href={linkTo(visit, ACCOUNT, { name: username })}>{username}</a>
              </th>
              <td class="name email" dir="auto">
                {email ?? '–'}
              </td>
              <td class="number right">{sizeText(storageUsed.dbDocuments + storageUsed.attachedFiles, visit.language)}</td>
              <td class="number right">{streams.toLocaleString(visit.language)}</td>
              <td>{lastUsed === null ? words.never : <Time visit={visit} at={lastUsed} />}</td>
              <td class="number">{dayText(created, visit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
