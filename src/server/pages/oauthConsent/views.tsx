/** @jsxImportSource hono/jsx */
/** Parts of the consent page of OAuth clients: the offer, the way back, and the page of an expired request. */
import { inLanguage, sanitiseText } from '../../api/accessRequests/consentWords.js'
import { allContactRights } from '../../api/accessRequests/inviteWords.js'
import type { OAuthOffer } from '../../api/oauth/offer.js'
import type { PageContent, Visit } from '../page.js'
import { oauthConsentWords } from './words.js'

/** Renders the account, and the offer in the requester's own words. */
export function OfferTexts({ visit, username, offer }: { visit: Visit; username: string; offer: OAuthOffer }) {
  const words = oauthConsentWords[visit.language]
  const [title, ...others] = [offer.title, offer.description, offer.consent].map((text) => inLanguage(text, visit.language))
  const texts = others.filter((text) => text !== undefined && text !== '')
  return (
    <>
      <p>{words.account(username)}</p>
      {title === undefined && texts.length === 0 ? null : (
        <figure>
          <figcaption class="small soft">{words.offer}</figcaption>
          <blockquote dir="auto">
            {title === undefined ? null : (
              <p>
                <strong>{title}</strong>
              </p>
            )}
            {texts.map((text) => (
              <p>{text}</p>
            ))}
          </blockquote>
        </figure>
      )}
    </>
  )
}

/** Renders the rights that the offering account gets besides the data, and how they end. */
export function ContactRights({ visit, offer: { requester } }: { visit: Visit; offer: OAuthOffer }) {
  const words = oauthConsentWords[visit.language]
  return (
    <>
      <p>{words.contact(sanitiseText(`${requester.username}@${requester.host}`))}</p>
      <ul>
        {allContactRights(visit.language).map((right) => (
          <li>{right}</li>
        ))}
      </ul>
      <p>{words.together}</p>
    </>
  )
}

/** Returns the host of an address, or the scheme of an app link, to show to people. */
export function placeOf(address: string): string {
  const { host, protocol } = new URL(address)
  return sanitiseText(host === '' ? protocol.slice(0, -1) : host)
}

/** True when the browser may be redirected automatically: only to web pages. */
const isWeb = (address: string): boolean => /^https?:$/.test(new URL(address).protocol)

/** True for links to apps on the device, whose schemes are reversed domain names (RFC 8252, 7.1); they need a click. */
const isApp = (address: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(new URL(address).protocol)

/** Renders the final page: the decision, and the way back to the client. */
export function decidedPage(visit: Visit, title: string, message: string, redirectTo: string): PageContent {
  const goes = isWeb(redirectTo)
  const body = (
    <>
      <p>{message}</p>
      {goes || isApp(redirectTo) ? (
        <div class="buttons">
          <a class="button name" href={redirectTo} rel="noreferrer" {...(goes ? { 'data-go': 'yes' } : {})}>
            {oauthConsentWords[visit.language].backTo(placeOf(redirectTo))}
          </a>
        </div>
      ) : null}
    </>
  )
  return { title, body, ...(goes ? { goesTo: redirectTo } : {}) }
}

/** Renders the page of an expired or unknown request. */
export function expiredPage({ language }: Visit): PageContent {
  const words = oauthConsentWords[language]
  const body = (
    <>
      <p role="alert">{words.over}</p>
      <p>{words.startOver}</p>
    </>
  )
  return { title: words.overTitle, body, status: 400 }
}
