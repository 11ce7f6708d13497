/** Opening the page of an account in the browser of whoever sits at the terminal. */
import { openInBrowser } from './browser.js'
import type { Context } from '../command.js'
import { numberOf, textOf, type Record_ } from './answer.js'
import type { NodeClient } from './nodeClient.js'
import { accountOf } from './user.js'
import { clock } from '../terminal/output/format.js'

/** A link that signs in once: `{ username, page, url, expires }`. @throws what accountOf throws, and the node's failure */
export async function pageOf(client: NodeClient, user: string | undefined, page?: string): Promise<Record_> {
  const { user: username } = await accountOf(client, user)
  return client.call('pages.open', { username, ...(page === undefined ? {} : { page }) }, {})
}

/** Opens the page, or hands its link to `write` where no browser can be opened, or none is `wanted`. */
export async function displayed(
  { out, env, commandFor }: Pick<Context, 'out' | 'env' | 'commandFor'>,
  page: Record_,
  write: (link: string) => void | Promise<void>,
  wanted = true,
): Promise<void> {
  const [username, url] = [textOf(page['username']), textOf(page['url'])]
  const until = `once, until ${clock(numberOf(page['expires']) ?? 0)}`
  if (wanted && (await openInBrowser(url, process.platform, env))) {
    out.done(`Opened the page of ${username} in the browser; its link works ${until}`)
    out.note(`  If no browser shows it: ${commandFor('open', '--user', username, '--print')}`)
    return
  }
  await write(url)
  out.note(`  ${wanted ? 'No browser can be opened from here: open' : 'Open'} this in one; it works ${until}`)
}
