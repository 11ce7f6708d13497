/** @jsxImportSource hono/jsx */
/** Start page of the node, shown to browsers at its address (`GET /`, docs/interface/conventions.md#root). */
import { PAGES_PATH } from '../../config/apiEndpoint.js'
import { linkTo, pathOfTarget } from '../links.js'
import type { Page } from '../page.js'
import { welcomeWords } from './words.js'

export const welcomePage: Page = {
  path: '/welcome',
  show(visit) {
    const { node, language, session } = visit
    const words = welcomeWords[language]
    const home = node.config.get('service.home')
    const body = (
      <>
        <p>{words.text}</p>
        <p class="buttons">
          <a class="button" href={linkTo(visit, session === undefined ? '/sign-in' : pathOfTarget('overview'))}>
            {session === undefined ? words.signIn : words.access}
          </a>
          {session === undefined ? (
            <a class="button second" href={linkTo(visit, '/register')}>
              {words.register}
            </a>
          ) : null}
        </p>
        <h2>{words.apps}</h2>
        <p>{words.appsText}</p>
        <pre>{`${node.publicBase()}/service/info`}</pre>
        <h2>{words.build}</h2>
        <ul>
          <li>
            <a href={`${node.publicBase()}${PAGES_PATH}/api`}>{words.reference}</a>
          </li>
          <li>
            <a href={`${node.publicBase()}/openapi.json`}>{words.openapi}</a>
          </li>
          {home === null ? null : (
            <li>
              <a href={home}>{words.more}</a>
            </li>
          )}
        </ul>
        <p class="small soft">
          {words.help} <code>coffer help</code> · {words.version} {node.apiVersion}
        </p>
      </>
    )
    return { title: words.title(node.config.get('service.name')), body }
  },
}
