/** @jsxImportSource hono/jsx */
/** Page of a pairing in progress: the link with its QR code, the words to compare, and the result. */
import { cancelPairing } from '../../../api/devices/cancelPairing.js'
import { confirmPairing } from '../../../api/devices/confirmPairing.js'
import { isLoopbackUrl } from '../../../base/loopback.js'
import { Form, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Page, PageContent } from '../../page.js'
import { problemOf, type Problem } from '../../problem.js'
import { QrCode } from '../../secondFactorSetUp/qr.js'
import { callAsOwner } from '../../session.js'
import { clockText } from '../../times.js'
import { consolePage, missingContent, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { deviceStyle } from './deviceAsset.js'
import { DEVICE_PATH, DEVICES_PATH, loadPairings, PAIR_PATH, PAIRING_PATH, type Pairing } from './deviceData.js'
import { pairingWords } from './pairingWords.js'
import { deviceWords } from './words.js'

export const pairingPage: Page = consolePage({
  path: PAIRING_PATH,
  section: 'devices',
  show: (visit) => shownPairing(visit, visit.query.get('id')),
  async submit(submission) {
    const { form, session } = submission
    const id = form.get('id') ?? ''
    try {
      if (form.get('do') !== 'confirm') {
        await callAsOwner(submission, session, cancelPairing, { id })
        return redirectTo(submission, DEVICES_PATH, { done: 'cancelled' })
      }
      await callAsOwner(submission, session, confirmPairing, { id })
      return redirectTo(submission, PAIRING_PATH, { id })
    } catch (error) {
      return shownPairing(submission, id, problemOf(submission, error, { 'unknown-resource': pairingWords[submission.language].pairingGone }))
    }
  },
})

async function shownPairing(visit: ConsoleVisit, id: string | null, problem?: Problem): Promise<PageContent> {
  const words = pairingWords[visit.language]
  const pairing = (await loadPairings(visit)).find((one) => one.id === id)
  if (pairing === undefined) {
    return missingContent(visit, words.pairingTitle, words.pairingGone, { text: deviceWords[visit.language].toDevices, href: linkTo(visit, DEVICES_PATH) })
  }
  const body = (
    <>
      <ProblemBox visit={visit} problem={problem} />
      <div id="pairing" data-live="yes" aria-live="polite">
        <State visit={visit} pairing={pairing} />
      </div>
    </>
  )
  return { title: words.pairingTitle, body, assets: [deviceStyle], status: problem?.status ?? 200 }
}

interface PairingProps {
  visit: ConsoleVisit
  pairing: Pairing
}

function State({ visit, pairing }: PairingProps) {
  const { state, confirmed } = pairing
  if (state === 'offered') return <Offered visit={visit} pairing={pairing} />
  if (state === 'met') return confirmed === true ? <Confirmed visit={visit} pairing={pairing} /> : <Met visit={visit} pairing={pairing} />
  return <Ended visit={visit} pairing={pairing} />
}

function Offered({ visit, pairing }: PairingProps) {
  const words = pairingWords[visit.language]
  const { link = '', expires, user } = pairing
  const address = link.slice(link.indexOf('@') + 1)
  return (
    <>
      <p>{words.offeredText}</p>
      <div class="card">
        <h2>{words.offeredStep}</h2>
        <pre class="code pair-link" dir="ltr">
          {link}
        </pre>
        <p class="small soft">
          {words.secret} {expires === undefined ? null : words.validUntil(clockText(expires, visit))}
        </p>
        {URL.canParse(address) && isLoopbackUrl(address) ? <p class="note">{words.isLocal(address)}</p> : null}
        <QrCode text={link} label={words.qr} />
        <p class="small soft">{words.qrText}</p>
        <p>{words.commandStep}</p>
        <pre class="code" dir="ltr">{`coffer sync accept --user ${user} --create '${link}'`}</pre>
      </div>
      <Waiting visit={visit} pairing={pairing} />
    </>
  )
}

function Met({ visit, pairing }: PairingProps) {
  const words = pairingWords[visit.language]
  return (
    <>
      <h2 class="name" dir="auto">
        {words.metTitle(pairing.peerName ?? '')}
      </h2>
      <p>{words.metText}</p>
      <Words visit={visit} pairing={pairing} />
      <Form visit={visit} path={PAIRING_PATH}>
        <input type="hidden" name="id" value={pairing.id} />
        <p class="buttons">
          <button name="do" value="confirm">
            {words.same}
          </button>
          <button class="bad" name="do" value="cancel">
            {words.different}
          </button>
        </p>
      </Form>
    </>
  )
}

function Confirmed({ visit, pairing }: PairingProps) {
  const words = pairingWords[visit.language]
  return (
    <>
      <p class="note">{words.confirmedText}</p>
      <Words visit={visit} pairing={pairing} />
      <Waiting visit={visit} pairing={pairing} />
    </>
  )
}

const Words = ({ visit, pairing }: PairingProps) => (
  <ol class="pair-words" aria-label={pairingWords[visit.language].words} lang="en">
    {(pairing.words ?? []).map((word) => (
      <li>{word}</li>
    ))}
  </ol>
)

/** Renders what to do while the other device has not acted: look again, or cancel. */
function Waiting({ visit, pairing }: PairingProps) {
  const words = pairingWords[visit.language]
  return (
    <Form visit={visit} path={PAIRING_PATH}>
      <input type="hidden" name="id" value={pairing.id} />
      <p class="buttons">
        <a class="button" href={linkTo(visit, PAIRING_PATH, { id: pairing.id })}>
          {words.checkAgain}
        </a>
        <button class="second" name="do" value="cancel">
          {words.cancel}
        </button>
      </p>
    </Form>
  )
}

function Ended({ visit, pairing }: PairingProps) {
  const words = pairingWords[visit.language]
  const { state, peer, reason } = pairing
  if (state === 'paired' && peer !== undefined) {
    return (
      <>
        <p class="done" dir="auto">
          {words.pairedText(peer.name)}
        </p>
        <p>
          <a class="button" href={linkTo(visit, DEVICE_PATH, { id: peer.id })}>
            {words.toDevice}
          </a>
        </p>
      </>
    )
  }
  return (
    <>
      <p class="problem">
        {words.failedText} <span lang="en">{reason ?? ''}</span>
      </p>
      <p>
        <a class="button" href={linkTo(visit, PAIR_PATH)}>
          {words.pairAgain}
        </a>
      </p>
    </>
  )
}
