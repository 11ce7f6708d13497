/** Opens the web page of an account in the user's browser. */
import { openInBrowser } from './browser.js'
import type { Context } from '../command.js'
import type { NodeClient, ParamsOf, ResultOf } from './nodeClient.js'
import { accountOf } from './user.js'
import { clock } from '../terminal/output/format.js'

type Page = ResultOf<'pages.open'>

/**
 * Creates a single-use sign-in link: `{ username, page, url, expires }`, with `expires` in seconds.
 * @throws the errors of accountOf, and the node's failure
 */
export async function createPageLink(client: NodeClient, user: string | undefined, page?: ParamsOf<'pages.open'>['page']): Promise<Page> {
  const { user: username } = await accountOf(client, user)
  return client.call('pages.open', { username, page }, {})
}

/** Opens a page link in the browser. Passes it to `write` instead if there is no browser, or if `mayOpen` is false. */
export async function openOrPrint(
  { out, env, commandFor }: Pick<Context, 'out' | 'env' | 'commandFor'>,
  { username, url, expires }: Page,
  write: (link: string) => void | Promise<void>,
  mayOpen = true,
): Promise<void> {
  const until = `once, until ${clock(expires)}`
  if (mayOpen && (await openInBrowser(url, process.platform, env))) {
    out.done(`Opened the page of ${username} in the browser; the link works ${until}`)
    out.note(`  If it does not open: ${commandFor('open', '--user', username, '--print')}`)
    return
  }
  await write(url)
  out.note(`  ${mayOpen ? 'Could not open a browser. Open' : 'Open'} this link in a browser; it works ${until}`)
}
