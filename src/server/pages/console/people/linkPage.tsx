/** @jsxImportSource hono/jsx */
/** Shows the link of an access to its owner, as text and as a QR code, to copy or to print. */
import { isLoopbackUrl } from '../../../base/loopback.js'
import { getOne } from '../../../api/accesses/getOne.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { QrCode } from '../../secondFactorSetUp/qr.js'
import { readAsOwner } from '../../session.js'
import { Done } from '../components.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { linkWords } from './linkWords.js'
import { accessIn, goneList } from './onePage.js'
import { CHANGE_PATH, LINK_PATH, ONE_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'
import { peopleWords } from './words.js'

export const linkPage: Page = consolePage({
  path: LINK_PATH,
  section: 'people',
  async show(visit) {
    const access = await accessIn(visit, visit.query.get('id') ?? '')
    if (access === undefined || (access.kind !== 'link' && access.kind !== 'app')) return goneList(visit)
    const words = linkWords[visit.language]
    if (access.isExpired) return noticeOf(visit, access.title, words.ended, access.id)
    const shown = (await readAsOwner(visit, visit.session, getOne, { id: access.id })) as { access: { token?: string; apiEndpoint: string } }
    const { token, apiEndpoint } = shown.access
    return token === undefined ? noticeOf(visit, access.title, words.hidden, access.id) : linkContent(visit, access.title, apiEndpoint, access.id)
  },
})

function linkContent(visit: ConsoleVisit, name: string, address: string, id: string): Answer {
  const words = linkWords[visit.language]
  const body = (
    <div class="narrow">
      <Done text={visit.query.get('done') === 'made' ? words.made : undefined} />
      {isLoopbackUrl(visit.node.publicBase()) ? (
        <div class="note">
          <p>{words.loopback}</p>
        </div>
      ) : null}
      <p>{words.text}</p>
      <LinkShown language={visit.language} address={address} />
      <p class="soft small">{words.secret}</p>
      <p>
        <a href={linkTo(visit, ONE_PATH, { id })}>{words.details}</a>
      </p>
    </div>
  )
  return { title: words.linkTitle(name), body, assets: peopleAssets }
}

/** Renders a link as text and as a QR code, with the buttons that scripts offer. */
export function LinkShown({ language, address }: { language: ConsoleVisit['language']; address: string }) {
  const words = linkWords[language]
  return (
    <>
      <code class="address" id="address">
        {address}
      </code>
      <p class="buttons">
        <button type="button" data-copy="address" data-copied={words.copied} hidden>
          {words.copy}
        </button>
        <button type="button" class="second" data-print="yes" hidden>
          {words.print}
        </button>
      </p>
      <QrCode text={address} label={words.qr} />
    </>
  )
}

function noticeOf(visit: ConsoleVisit, name: string, text: string, id: string): Answer {
  const body = (
    <>
      <p>{text}</p>
      <p class="buttons">
        <a class="button" href={linkTo(visit, CHANGE_PATH, { id })}>
          {peopleWords[visit.language].change}
        </a>
        <a href={linkTo(visit, ONE_PATH, { id })}>{linkWords[visit.language].details}</a>
      </p>
    </>
  )
  return { title: linkWords[visit.language].linkTitle(name), body, assets: peopleAssets }
}
