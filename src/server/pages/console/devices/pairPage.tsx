/** @jsxImportSource hono/jsx */
/** Page that starts a pairing: creates a link, or uses that of the other device. */
import { acceptPairing } from '../../../api/devices/acceptPairing.js'
import { startPairing } from '../../../api/devices/startPairing.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page, PageContent } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { deviceStyle } from './deviceAsset.js'
import { DEVICES_PATH, isOwner, PAIR_PATH, PAIRING_PATH } from './deviceData.js'
import { pairingWords } from './pairingWords.js'
import { deviceWords } from './words.js'

const MAX_LINK = 2000

export const pairPage: Page = consolePage({
  path: PAIR_PATH,
  section: 'devices',
  show: (visit) => choice(visit),
  async submit(submission) {
    const link = submission.form.get('link') ?? ''
    try {
      return await begin(submission, link)
    } catch (error) {
      return choice(submission, problemOf(submission, error), link.slice(0, MAX_LINK))
    }
  },
})

async function begin(submission: ConsoleFormVisit, link: string): Promise<Answer> {
  const { form, session, language } = submission
  const isAccept = form.get('do') === 'accept'
  if (isAccept && (link.length > MAX_LINK || !link.includes('coffer:pair/'))) {
    return choice(submission, problemWith(pairingWords[language].linkMissing, 'link'), link.slice(0, MAX_LINK))
  }
  const answer = isAccept
    ? await callAsOwner(submission, session, acceptPairing, { link: linkIn(link) })
    : await callAsOwner(submission, session, startPairing, {})
  const { id } = answer['pairing'] as { id: string }
  return redirectTo(submission, PAIRING_PATH, { id })
}

/** Returns the link in a text that may be the whole command for the other node. */
function linkIn(text: string): string {
  const at = text.indexOf('coffer:pair/')
  return text.slice(at).replace(/['"]\s*$/, '').trim()
}

function choice(visit: ConsoleVisit, problem?: Problem, link = ''): PageContent {
  const words = pairingWords[visit.language]
  const isAccept = link !== '' || problem?.field === 'link'
  const body = isOwner(visit) ? (
    <>
      <p class="soft">{words.pairText}</p>
      <div class="cards">
        <section class="card" aria-labelledby="create">
          <h2 id="create">{words.createTitle}</h2>
          <p>{words.createText}</p>
          <Form visit={visit} path={PAIR_PATH} problem={isAccept ? undefined : problem}>
            <p class="buttons">
              <button name="do" value="create">
                {words.createButton}
              </button>
            </p>
          </Form>
        </section>
        <section class="card" aria-labelledby="accept">
          <h2 id="accept">{words.acceptTitle}</h2>
          <p>{words.acceptText}</p>
          <Form visit={visit} path={PAIR_PATH} problem={isAccept ? problem : undefined}>
            <label for="link">{words.link}</label>
            <textarea
              id="link"
              name="link"
              class="code"
              dir="ltr"
              required
              maxlength={MAX_LINK}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder="coffer:pair/…"
              {...(isAccept && problem !== undefined ? { 'aria-invalid': 'true', 'aria-describedby': 'problem' } : {})}
            >
              {link}
            </textarea>
            <p class="buttons">
              <button name="do" value="accept">
                {words.acceptButton}
              </button>
            </p>
          </Form>
        </section>
      </div>
    </>
  ) : (
    <p class="note">{deviceWords[visit.language].delegate}</p>
  )
  const back = (
    <p>
      <a href={linkTo(visit, DEVICES_PATH)}>{deviceWords[visit.language].toDevices}</a>
    </p>
  )
  return { title: words.pairTitle, body: [back, body], assets: [deviceStyle], status: problem?.status ?? 200 }
}
