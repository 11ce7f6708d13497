/** @jsxImportSource hono/jsx */
/** Reads the request behind a link of another account, and accepts or refuses it. */
import type { Permission } from '../../../../store/model/access.js'
import { answerStreamOf } from '../../../../store/model/cmc.js'
import { isJsonObject } from '../../../../store/model/json.js'
import { permissionText, sanitiseText } from '../../../api/accessRequests/consentWords.js'
import { readOffer } from '../../../api/consents/delivery/offer.js'
import { wordsIn } from '../../../api/consents/relations.js'
import { endpointParts } from '../../../base/endpointParts.js'
import { Field, Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { consolePage, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { runTrigger } from './consentData.js'
import { consentFailureText, consentTexts } from './consentTexts.js'
import { nameOf } from './consentsPage.js'
import { ANSWER_PATH, CONSENT_PATH, CONSENTS_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'

const MAX_LINK = 2000
const MAX_ENTRIES = 200
const MAX_TEXT = 5000

type Item = Readonly<Record<string, unknown>>
const itemOf = (value: unknown): Item => (isJsonObject(value) ? { ...value } : {})

/** The request behind a link, read from the other account each time. */
interface Offer {
  link: string
  account: string
  content: Item
  request: Item
  entries: Item[]
  allowsChoice: boolean
}

export const answerPage: Page = consolePage({
  path: ANSWER_PATH,
  section: 'people',
  show: (visit) => linkForm(visit),
  async submit(submission) {
    const { form } = submission
    const sealed = form.get('sealed')
    const link = sealed === null ? (form.get('link') ?? '').trim() : openedLink(submission, sealed)
    if (link === undefined || link.length > MAX_LINK || endpointParts(link) === undefined) return linkForm(submission, problemWith(consentTexts[submission.language].notLink, 'link'))
    try {
      const offer = await offerAt(submission, link)
      if ('text' in offer) return linkForm(submission, offer)
      return sealed === null ? offerForm(submission, offer) : await answer(submission, offer)
    } catch (error) {
      return linkForm(submission, problemOf(submission, error))
    }
  },
})

/** Place of the sealed link in the form: a link contains a token, which the page must not show. */
const placeOf = ({ session }: ConsoleVisit): string => `link of a request for ${session.account.prefix}`

function openedLink(visit: ConsoleVisit, sealed: string): string | undefined {
  try {
    return visit.node.store.seal.open(sealed, placeOf(visit))
  } catch {
    return undefined
  }
}

async function offerAt(visit: ConsoleVisit, link: string): Promise<Offer | Problem> {
  const found = await readOffer({ node: visit.node }, link)
  if (!found.ok) return problemWith(consentFailureText(found.reason, visit.language), 'link')
  const request = itemOf(found.content['request'])
  const { permissions } = request
  const entries = (Array.isArray(permissions) ? permissions : []).slice(0, MAX_ENTRIES).map(itemOf)
  return { link, account: nameOf(visit, found.requester), content: found.content, request, entries, allowsChoice: request['allowUserChoice'] === true }
}

async function answer(submission: ConsoleFormVisit, offer: Offer): Promise<Answer> {
  const { form, language } = submission
  const words = consentTexts[language]
  const { link: capabilityUrl, content, entries, allowsChoice, request } = offer
  const isRefusal = form.get('do') === 'refuse'
  const ticked = new Set(form.getAll('entry'))
  const granted = entries.filter((entry, index) => !allowsChoice || entry['mandatory'] === true || ticked.has(String(index)))
  if (!isRefusal && granted.length === 0) return offerForm(submission, offer, problemWith(words.nothing))
  const { originStreamId } = content
  const streamId = answerStreamOf(typeof originStreamId === 'string' ? originStreamId : undefined, itemOf(content['requesterMeta'])['appId'])
  const features = itemOf(request['features'])
  const acceptance = {
    capabilityUrl,
    ...(granted.length === entries.length ? {} : { grantedPermissions: granted.map(grantOf) }),
    features: { chat: features['chat'] !== false && !form.has('noChat'), systemMessaging: features['systemMessaging'] !== false },
  }
  const outcome = await runTrigger(submission, streamId, isRefusal ? 'consent/refuse-cmc' : 'consent/accept-cmc', isRefusal ? { capabilityUrl } : acceptance)
  if (outcome.status === 'failed') return offerForm(submission, offer, problemWith(consentFailureText(outcome.reason, language)))
  if (isRefusal || outcome.status === 'working') return redirectTo(submission, CONSENTS_PATH, { done: isRefusal ? 'refused' : 'working' })
  return redirectTo(submission, CONSENT_PATH, { id: outcome.id, done: 'accepted' })
}

/** Returns an entry as it is granted, without the annotations of the offer. */
const grantOf = ({ streamId, level, feature, setting }: Item): Item => (feature === undefined ? { streamId, level } : { feature, setting })

function linkForm(visit: ConsoleVisit, problem?: Problem): Answer {
  const words = consentTexts[visit.language]
  const body = (
    <Form visit={visit} path={ANSWER_PATH} problem={problem}>
      <div class="narrow">
        <p class="soft">{words.answerText}</p>
        <Field name="link" label={words.link} hint={words.linkHint} problem={problem} more={{ autocomplete: 'off', maxlength: String(MAX_LINK) }} isFirst />
        <div class="buttons">
          <button>{words.show}</button>
          <a class="button second" href={linkTo(visit, CONSENTS_PATH)}>
            {words.keep}
          </a>
        </div>
      </div>
    </Form>
  )
  return { title: words.answer, body, status: problem?.status ?? 200, assets: peopleAssets }
}

function offerForm(visit: ConsoleVisit, { link, account, request, entries, allowsChoice }: Offer, problem?: Problem): Answer {
  const words = consentTexts[visit.language]
  const text = (name: string): string => sanitiseLines(wordsIn(request[name], visit.language))
  const [title, description, consent] = [text('title'), text('description'), text('consent')]
  const body = (
    <Form visit={visit} path={ANSWER_PATH} problem={problem}>
      <div class="narrow">
        <p class="soft" dir="auto">
          {words.requestedBy(account)}
        </p>
        {description === '' ? null : <p dir="auto">{description}</p>}
        <input type="hidden" name="sealed" value={visit.node.store.seal.seal(link, placeOf(visit))} />
        <fieldset class="apart">
          <legend>{words.theyCan}</legend>
          {entries.map((entry, index) => (
            <Entry visit={visit} entry={entry} index={index} isLocked={!allowsChoice || entry['mandatory'] === true} />
          ))}
        </fieldset>
        {consent === '' ? null : (
          <figure>
            <figcaption>{words.agree}</figcaption>
            <blockquote dir="auto">{consent}</blockquote>
          </figure>
        )}
        <label class="tick">
          <input type="checkbox" name="noChat" value="1" />
          {words.noChat}
        </label>
        <div class="buttons">
          <button name="do" value="accept">
            {words.accept}
          </button>
          <button class="second" name="do" value="refuse" formnovalidate>
            {words.refuse}
          </button>
        </div>
      </div>
    </Form>
  )
  return { title: title === '' ? words.answer : title, body, status: problem?.status ?? 200, assets: peopleAssets }
}

function Entry({ visit, entry, index, isLocked }: { visit: ConsoleVisit; entry: Item; index: number; isLocked: boolean }) {
  const words = consentTexts[visit.language]
  return (
    <label class="tick">
      <input type="checkbox" name="entry" value={String(index)} checked={isLocked || entry['optIn'] !== true} disabled={isLocked} />
      <span class="name">
        {whatOf(visit, entry)} {isLocked ? <span class="tag">{words.required}</span> : null}
      </span>
    </label>
  )
}

/** Describes what an entry of an offer allows; its shape is that of the other node. */
function whatOf({ language, session }: ConsoleVisit, entry: Item): string {
  const { streamId, feature, level, setting } = entry
  const levels: readonly unknown[] = ['read', 'create-only', 'contribute', 'manage', 'none']
  const name = typeof streamId === 'string' ? session.account.tree.get(streamId)?.name : undefined
  if (typeof streamId === 'string' && levels.includes(level)) return permissionText(entry as unknown as Permission, name, language)
  if (typeof feature === 'string' && (setting === 'forbidden' || setting === 'allowed')) return permissionText({ feature, setting }, undefined, language)
  return '?'
}

/** Removes characters that disguise a text, line by line. */
const sanitiseLines = (text: string): string => text.slice(0, MAX_TEXT).split('\n').map(sanitiseText).join('\n')
