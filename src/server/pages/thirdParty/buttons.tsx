/** @jsxImportSource hono/jsx */
/** Buttons for third-party logins. */
import { pageAddress } from '../../config/apiEndpoint.js'
import { labelOf, THIRD_PARTY_PAGE, thirdPartiesOf } from '../../api/auth/sso/wiring.js'
import { addQuery } from '../../base/addQuery.js'
import type { Visit } from '../page.js'
import { canBeStored } from './suspendedFlow.js'
import { thirdPartyWords } from './words.js'

/** Renders the buttons as links, because they only set a cookie and forms may not lead to other sites. */
export function ThirdPartyButtons({ visit }: { visit: Visit }) {
  const { node, flow, language } = visit
  const thirdParties = thirdPartiesOf(node)
  // With a landing page of its own, third-party logins start there.
  if (thirdParties === undefined || thirdParties.landing !== null || !canBeStored(flow)) return <></>
  const words = thirdPartyWords[language]
  return (
    <>
      {[...thirdParties.providers].map(([id, provider]) => (
        <p>
          <a class="button second" href={addQuery(pageAddress(node, THIRD_PARTY_PAGE), { ...flow, by: id })}>
            {words.by(labelOf(id, provider))}
          </a>
        </p>
      ))}
    </>
  )
}
