/** @jsxImportSource hono/jsx */
/** Lists the consents between the account and others: requests made, consents given and received. */
import { accountText, type Account, type Consent } from '../../../api/consents/relations.js'
import { sanitiseText } from '../../../api/accessRequests/consentWords.js'
import { linkTo } from '../../links.js'
import type { Page } from '../../page.js'
import { dayText } from '../../times.js'
import { Empty, pageNumber, Pager } from '../components.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { Fact, TimeText } from './accessRows.js'
import { loadConsents } from './consentData.js'
import { consentTexts } from './consentTexts.js'
import { ANSWER_PATH, CONSENT_PATH, CONSENTS_PATH } from './paths.js'
import { tabContent } from './peopleTabs.js'

const PER_PAGE = 25
const MAX_TITLE = 200

export const consentsPage: Page = consolePage({
  path: CONSENTS_PATH,
  section: 'people',
  async show(visit) {
    const words = consentTexts[visit.language]
    const all = await loadConsents(visit)
    const pages = Math.ceil(all.length / PER_PAGE)
    const page = pageNumber(visit.query, pages)
    const body = (
      <>
        <div class="lead">
          <p class="soft">{words.text}</p>
          <a class="button" href={linkTo(visit, ANSWER_PATH)}>
            {words.answer}
          </a>
        </div>
        <div id="consents" data-live="yes">
          {all.length === 0 ? (
            <Empty icon="check" text={words.none}>
              <p>{words.noneHint}</p>
            </Empty>
          ) : (
            <ul class="rows">
              {all.slice((page - 1) * PER_PAGE, page * PER_PAGE).map(({ consent }) => (
                <li>
                  <h2 class="entry name">
                    <a href={linkTo(visit, CONSENT_PATH, { id: consent.id })}>
                      <bdi>{titleOf(visit, consent)}</bdi>
                    </a>{' '}
                    <ConsentTags visit={visit} consent={consent} />
                  </h2>
                  <ConsentFacts visit={visit} consent={consent} />
                </li>
              ))}
            </ul>
          )}
          <Pager visit={visit} path={CONSENTS_PATH} page={page} pages={pages} />
        </div>
      </>
    )
    const done = visit.query.get('done')
    return tabContent(visit, 'consents', { body, done: done === 'refused' ? words.refused : done === 'working' ? words.working : undefined })
  },
})

/** Returns the title of a consent for people. */
export const titleOf = ({ language }: ConsoleVisit, { title }: Consent): string =>
  sanitiseText(title.slice(0, MAX_TITLE)) || consentTexts[language].fallback

/** Returns the other account of a consent for people. */
export function nameOf({ language }: ConsoleVisit, account: Account): string {
  const { unverified, ...known } = account
  return sanitiseText(accountText(known).slice(0, MAX_TITLE)) + (unverified === true ? ` (${consentTexts[language].unverified})` : '')
}

export function ConsentTags({ visit, consent: { kind, status } }: { visit: ConsoleVisit; consent: Consent }) {
  const words = consentTexts[visit.language]
  const isOver = ['ended', 'failed', 'refused', 'revoked', 'invalidated', 'expired'].includes(status)
  return (
    <>
      <span class="tag">{words.kinds[kind]}</span>{' '}
      {status === '' ? null : <span class={isOver ? 'tag ended' : 'tag'}>{Object.hasOwn(words.status, status) ? words.status[status] : status}</span>}
    </>
  )
}

export function ConsentFacts({ visit, consent: { counterparty, time, expires, mode, joined } }: { visit: ConsoleVisit; consent: Consent }) {
  const words = consentTexts[visit.language]
  return (
    <dl class="facts small">
      {counterparty === undefined ? null : <Fact name={words.with}>{nameOf(visit, counterparty)}</Fact>}
      <Fact name={words.since}>
        <TimeText at={time} text={dayText(time, visit)} />
      </Fact>
      {expires === undefined ? null : (
        <Fact name={words.expires}>
          <TimeText at={expires} text={dayText(expires, visit)} />
        </Fact>
      )}
      {mode === 'open-link' ? <Fact name={words.joined}>{String(joined ?? 0)}</Fact> : null}
    </dl>
  )
}
