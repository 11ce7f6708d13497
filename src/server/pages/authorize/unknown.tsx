/** @jsxImportSource hono/jsx */
/** What is shown in place of a request that is no more. */
import { hasWebScheme } from '../../../store/model/urlScheme.js'
import { linkTo } from '../links.js'
import type { Shown, Visit } from '../page.js'
import { returnPage } from './returnAddress.js'
import { authorizeWords } from './words.js'

const PLACE = 'return page of a form'

/** What a form carries of its request, so that the way back is known when the request has ended meanwhile. */
export const storedReturn = ({ node }: Visit, returnURL: string | undefined): string | undefined =>
  returnPage(returnURL, returnSchemes(node)) === undefined || returnURL === undefined ? undefined : node.store.seal.seal(returnURL, PLACE)

/** The schemes of apps that the operator has registered. */
export const returnSchemes = ({ config }: Visit['node']): readonly string[] => config.get('access.returnSchemes')

/** The page that a form carried; undefined when it carries none, or not ours. */
function returnStored({ node }: Visit, sealed: string | null): URL | undefined {
  if (sealed === null) return undefined
  try {
    return returnPage(node.store.seal.open(sealed, PLACE), returnSchemes(node))
  } catch {
    return undefined
  }
}

/** A visit as it goes on once its request is over: in the same language. */
export const withoutRequest = ({ node, flow: { lang } }: Visit): Pick<Visit, 'node' | 'flow'> => ({
  node,
  flow: lang === undefined ? {} : { lang },
})

/** Says how to start over. `sealed` is what a form carried of the way back. */
export function unknownRequest(visit: Visit, sealed: string | null = null): Shown {
  const words = authorizeWords[visit.language]
  const back = returnStored(visit, sealed)
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

/** Names where an address leads: the host of a page, the scheme of an app. */
function placeOf(address: string): string {
  const { host, protocol } = new URL(address)
  return hasWebScheme(address) ? host : protocol.slice(0, -1)
}

/** The link back to an app, with the host that it leads to. `goes` is whether scripts follow it at once. */
export function BackLink({ visit, address, goes = false }: { visit: Visit; address: string; goes?: boolean }) {
  return (
    <a class="button name" href={address} rel="noreferrer" {...(goes ? { 'data-go': 'yes' } : {})}>
      {authorizeWords[visit.language].backTo(placeOf(address))}
    </a>
  )
}
