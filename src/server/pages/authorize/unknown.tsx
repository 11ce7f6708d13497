/** @jsxImportSource hono/jsx */
/** Page shown for a request that has expired or was answered. */
import { hasWebScheme } from '../../../store/model/urlScheme.js'
import { linkTo } from '../links.js'
import type { PageContent, Visit } from '../page.js'
import { returnPage } from './returnAddress.js'
import { authorizeWords } from './words.js'

const PLACE = 'return page of a form'

/** Encrypts the return address for a hidden field of the form, so it is known when the request has expired. */
export const storedReturn = ({ node }: Visit, returnURL: string | undefined): string | undefined =>
  returnPage(returnURL, returnSchemes(node)) === undefined || returnURL === undefined ? undefined : node.store.seal.seal(returnURL, PLACE)

/** Returns the URL schemes of apps that the operator has registered. */
export const returnSchemes = ({ config }: Visit['node']): readonly string[] => config.get('access.returnSchemes')

/** Decrypts the return address of a form; undefined when it is missing or not from this node. */
function openReturn({ node }: Visit, sealed: string | null): URL | undefined {
  if (sealed === null) return undefined
  try {
    return returnPage(node.store.seal.open(sealed, PLACE), returnSchemes(node))
  } catch {
    return undefined
  }
}

/** Returns the visit without its request, in the same language. */
export const withoutRequest = ({ node, flow: { lang } }: Visit): Pick<Visit, 'node' | 'flow'> => ({
  node,
  flow: lang === undefined ? {} : { lang },
})

/** Explains how to start over. `sealed` is the encrypted return address of a form. */
export function unknownRequest(visit: Visit, sealed: string | null = null): PageContent {
  const words = authorizeWords[visit.language]
  const back = openReturn(visit, sealed)
  const body = (
    <>
      <p role="alert">{words.unknown}</p>
      <p>{words.startOver}</p>
      <div class="buttons">
        {back === undefined ? (
          <a class="button second" href={linkTo(withoutRequest(visit), '/access')}>
            {words.withdrawLink}
          </a>
        ) : (
          <BackLink visit={visit} address={back.href} />
        )}
      </div>
    </>
  )
  return { title: words.unknownTitle, body, status: 400 }
}

/** Returns the host of a page, or the scheme of an app link, to show to people. */
function placeOf(address: string): string {
  const { host, protocol } = new URL(address)
  return hasWebScheme(address) ? host : protocol.slice(0, -1)
}

/** Renders the link back to an app with its host. With `goes`, the script of the pages follows it at once. */
export function BackLink({ visit, address, goes = false }: { visit: Visit; address: string; goes?: boolean }) {
  return (
    <a class="button name" href={address} rel="noreferrer" {...(goes ? { 'data-go': 'yes' } : {})}>
      {authorizeWords[visit.language].backTo(placeOf(address))}
    </a>
  )
}
