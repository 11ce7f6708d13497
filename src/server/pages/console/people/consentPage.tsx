/** @jsxImportSource hono/jsx */
/** One consent: what it opens, its messages with a form to write one, and its withdrawal. */
import { contentOf, accountOfIdentity, type ConsentRecord } from '../../../api/consents/relations.js'
import { sanitiseText } from '../../../api/accessRequests/consentWords.js'
import { isCmcStream } from '../../../../store/model/cmc.js'
import { permissionLines } from '../../access/grantedAccesses.js'
import { Field, Form, ProblemBox } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { Done, Time } from '../components.js'
import { consolePage, missingContent, redirectTo, type ConsoleFormVisit, type ConsoleVisit } from '../consolePage.js'
import { chatStreamOf, findConsent, messagesOf, permissionsOf, provideScope, runTrigger } from './consentData.js'
import { ConsentFacts, ConsentTags, nameOf, titleOf } from './consentsPage.js'
import { consentFailureText, consentTexts } from './consentTexts.js'
import { LinkShown } from './linkPage.js'
import { CONSENT_PATH, CONSENTS_PATH } from './paths.js'
import { peopleAssets } from './peopleTabs.js'
import { peopleWords } from './words.js'

const MAX_MESSAGE = 4000
const MAX_REASON = 300
const MAX_LINES = 200
/** Stream that records the end of a consent that belongs to no app. */
const OWN_SCOPE = ':_cmc:apps:coffer'

export const consentPage: Page = consolePage({
  path: CONSENT_PATH,
  section: 'people',
  async show(visit) {
    const record = await findConsent(visit, visit.query.get('id') ?? '')
    if (record === undefined) return missing(visit)
    return visit.query.get('do') === 'withdraw' && endingOf(record) !== undefined ? confirmation(visit, record) : content(visit, record)
  },
  async submit(submission) {
    const { form } = submission
    const record = await findConsent(submission, form.get('id') ?? '')
    if (record === undefined) return missing(submission)
    return form.get('do') === 'send' ? send(submission, record) : withdraw(submission, record)
  },
})

const missing = (visit: ConsoleVisit): Answer => missingContent(visit, consentTexts[visit.language].fallback, consentTexts[visit.language].gone)

async function send(submission: ConsoleFormVisit, record: ConsentRecord): Promise<Answer> {
  const { form, language } = submission
  const text = (form.get('message') ?? '').replaceAll('\r\n', '\n').trim()
  const streamId = chatStreamOf(record)
  if (text === '' || streamId === undefined) return redirectTo(submission, CONSENT_PATH, { id: record.consent.id })
  if (text.length > MAX_MESSAGE) return content(submission, record, problemWith(peopleWords[language].tooLong, 'message'), text)
  try {
    const outcome = await runTrigger(submission, streamId, 'message/chat-cmc', { content: text })
    if (outcome.status === 'failed') return await content(submission, record, problemWith(consentFailureText(outcome.reason, language), 'message'), text)
    return redirectTo(submission, CONSENT_PATH, { id: record.consent.id, done: outcome.status === 'completed' ? 'sent' : 'working' })
  } catch (error) {
    return content(submission, record, problemOf(submission, error), text)
  }
}

interface Ending {
  type: string
  content: Record<string, string>
}

/** Returns the event that ends a consent, or withdraws a request with its link; undefined when there is nothing to end. */
function endingOf({ consent, event }: ConsentRecord): Ending | undefined {
  const { kind, status, accessId, capabilityId, mode } = consent
  if (kind !== 'invite') return accessId === undefined || status === 'ended' ? undefined : { type: 'consent/revoke-cmc', content: { accessId } }
  if (['revoked', 'invalidated', 'accepted'].includes(status) || capabilityId === undefined) return undefined
  if (mode === 'open-link') return { type: 'consent/invalidate-link-cmc', content: { capabilityId } }
  const { capabilityAccessId } = contentOf(event)
  return typeof capabilityAccessId === 'string' ? { type: 'consent/revoke-cmc', content: { accessId: capabilityAccessId } } : undefined
}

async function withdraw(submission: ConsoleFormVisit, record: ConsentRecord): Promise<Answer> {
  const { form, language } = submission
  const ending = endingOf(record)
  if (ending === undefined) return content(submission, record)
  const reason = (form.get('reason') ?? '').trim()
  if (reason.length > MAX_REASON) return confirmation(submission, record, problemWith(peopleWords[language].tooLong, 'reason'))
  try {
    const streamId = record.consent.scopeStreamId ?? (await provideScope(submission, OWN_SCOPE))
    const outcome = await runTrigger(submission, streamId, ending.type, { ...ending.content, ...(reason === '' ? {} : { reason: { [language]: reason } }) })
    if (outcome.status === 'failed') return confirmation(submission, record, problemWith(consentFailureText(outcome.reason, language)))
    return redirectTo(submission, CONSENT_PATH, { id: record.consent.id, done: outcome.status === 'completed' ? 'withdrawn' : 'working' })
  } catch (error) {
    return confirmation(submission, record, problemOf(submission, error))
  }
}

function confirmation(visit: ConsoleVisit, { consent }: ConsentRecord, problem?: Problem): Answer {
  const words = consentTexts[visit.language]
  const body = (
    <Form visit={visit} path={CONSENT_PATH} problem={problem}>
      <div class="narrow">
        <h2 class="entry name">
          <bdi>{titleOf(visit, consent)}</bdi>
        </h2>
        <ConsentFacts visit={visit} consent={consent} />
        <p>{words.withdrawTexts[consent.kind]}</p>
        <input type="hidden" name="do" value="withdraw" />
        <input type="hidden" name="id" value={consent.id} />
        <Field name="reason" label={words.reason} hint={words.reasonHint} problem={problem} isRequired={false} more={{ maxlength: String(MAX_REASON), dir: 'auto' }} />
        <div class="buttons">
          <button class="bad">{words.withdraw}</button>
          <a class="button second" href={linkTo(visit, CONSENT_PATH, { id: consent.id })}>
            {words.keep}
          </a>
        </div>
      </div>
    </Form>
  )
  return { title: words.withdrawTitle, body, status: problem?.status ?? 200, assets: peopleAssets }
}

async function content(visit: ConsoleVisit, record: ConsentRecord, problem?: Problem, typed = ''): Promise<Answer> {
  const { language, query } = visit
  const words = consentTexts[language]
  const { consent } = record
  const lines = permissionLines(visit, permissionsOf(record).filter((each) => !('streamId' in each) || !isCmcStream(each.streamId)).slice(0, MAX_LINES))
  const done = new Map([['sent', words.sent], ['withdrawn', words.withdrawn], ['accepted', words.accepted], ['working', words.working]]).get(query.get('done') ?? '')
  const { capabilityUrl } = contentOf(record.event)
  const body = (
    <div class="narrow">
      <ProblemBox visit={visit} problem={problem} />
      {problem === undefined ? <Done text={done} /> : null}
      <p class="small">
        <a href={linkTo(visit, CONSENTS_PATH)}>{peopleWords[language].back}</a>
      </p>
      <section class="card" id="consent" data-live="yes">
        <p>
          <ConsentTags visit={visit} consent={consent} />
        </p>
        <ConsentFacts visit={visit} consent={consent} />
        {consent.kind !== 'given' || lines.length === 0 ? null : (
          <>
            <h2>{words.opens}</h2>
            <ul>
              {lines.map(({ text }) => (
                <li class="name">{text}</li>
              ))}
            </ul>
          </>
        )}
      </section>
      {consent.kind === 'invite' && typeof capabilityUrl === 'string' && endingOf(record) !== undefined ? <LinkShown language={language} address={capabilityUrl} /> : null}
      {endingOf(record) === undefined ? null : (
        <p class="buttons">
          <a class="button second" href={linkTo(visit, CONSENT_PATH, { id: consent.id, do: 'withdraw' })}>
            {words.withdraw}
          </a>
        </p>
      )}
      <Messages visit={visit} record={record} messages={await messagesOf(visit, record)} problem={problem} typed={typed} />
    </div>
  )
  return { title: titleOf(visit, consent), body, status: problem?.status ?? 200, assets: peopleAssets }
}

interface MessagesProps {
  visit: ConsoleVisit
  record: ConsentRecord
  messages: readonly Readonly<Record<string, unknown>>[] | undefined
  problem: Problem | undefined
  typed: string
}

function Messages({ visit, record, messages, problem, typed }: MessagesProps) {
  const words = consentTexts[visit.language]
  if (messages === undefined) return <></>
  const isWrong = problem?.field === 'message'
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">{words.messages}</h2>
      <div id="message-list" data-live="yes">
        {messages.length === 0 ? <p class="soft">{words.noMessages}</p> : null}
        <ul class="messages">
          {messages.map((message) => (
            <Message visit={visit} message={message} />
          ))}
        </ul>
      </div>
      {record.consent.status === 'ended' ? null : (
        <Form visit={visit} path={CONSENT_PATH}>
          <input type="hidden" name="do" value="send" />
          <input type="hidden" name="id" value={record.consent.id} />
          <label for="message">{words.write}</label>
          <textarea id="message" name="message" rows={3} maxlength={MAX_MESSAGE} required dir="auto" {...(isWrong ? { 'aria-invalid': 'true', 'aria-describedby': 'problem' } : {})}>
            {typed}
          </textarea>
          <p class="buttons">
            <button>{words.send}</button>
          </p>
        </Form>
      )}
    </section>
  )
}

function Message({ visit, message }: { visit: ConsoleVisit; message: Readonly<Record<string, unknown>> }) {
  const words = consentTexts[visit.language]
  const { from, status, content: text } = contentOf(message)
  const sender = accountOfIdentity(from)
  const time = typeof message['time'] === 'number' ? message['time'] : 0
  // In imported data, the content is the text alone.
  const shown = typeof message['content'] === 'string' ? message['content'] : typeof text === 'string' ? text : ''
  return (
    <li class={sender === undefined ? 'own' : ''}>
      <p class="small soft">
        <bdi>{sender === undefined ? words.you : nameOf(visit, sender)}</bdi> · <Time visit={visit} at={time} />
        {status === 'failed' ? ` · ${words.notSent}` : ''}
      </p>
      <p dir="auto">{sanitiseLines(shown)}</p>
    </li>
  )
}

/** Removes characters that disguise a text, line by line. */
const sanitiseLines = (text: string): string => text.slice(0, MAX_MESSAGE).split('\n').map(sanitiseText).join('\n')
