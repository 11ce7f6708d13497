/** @jsxImportSource hono/jsx */
/** The owner's page: which apps and people have access to the account. */
import { get } from '../../accesses/get.js'
import { Form } from '../layout.js'
import { linkTo } from '../links.js'
import { ownerPage, type Page } from '../page.js'
import { callAsOwner } from '../session.js'
import { logout } from '../../auth/logout.js'
import { accessWords } from './words.js'

const PATH = '/access'

export const accessPage: Page = ownerPage({
  path: PATH,
  owner: 'access',
  async show(visit) {
    const words = accessWords[visit.language]
    const { accesses } = await callAsOwner(visit, visit.session, get, {})
    const given = (accesses as { id: string; type: string; name: string }[]).filter(({ type }) => type !== 'personal')
    const body = (
      <>
        {given.length === 0 ? <p>{words.nobody}</p> : null}
        <ul class="rows">
          {given.map(({ name }) => (
            <li class="name">{name}</li>
          ))}
        </ul>
        <Form visit={visit} path={PATH}>
          <div class="buttons">
            <button name="do" value="sign-out" class="second">
              {words.signOut}
            </button>
          </div>
        </Form>
      </>
    )
    return { title: words.title, body }
  },
  async take(sent) {
    await callAsOwner(sent, sent.session, logout, {})
    sent.cookies.remove('session')
    return { redirect: linkTo(sent, '/sign-in') }
  },
})
