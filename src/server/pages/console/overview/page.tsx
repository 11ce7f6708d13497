/** @jsxImportSource hono/jsx */
/** First page of the console: what needs attention, the latest entries, the size of the account, and who used it last. */
import type { Event } from '../../../../store/model/event.js'
import { peopleStreamsQuery } from '../../../../store/model/peopleStreams.js'
import { get as getAccount } from '../../../api/account/get.js'
import { get as getEvents } from '../../../api/events/get.js'
import { grantedAccesses, type GrantedAccess } from '../../access/grantedAccesses.js'
import { typeName, valueText } from '../../events/eventValue.js'
import { linkTo } from '../../links.js'
import type { Page } from '../../page.js'
import { readAsOwner } from '../../session.js'
import { sizeText } from '../../sizes.js'
import { Empty, Time } from '../components.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { IconImage } from '../icons.js'
import { loadStreams, type StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { GROWTH_PATH, GROWTH_SIZE } from './growthImage.js'
import { needsOf, type Need } from './needs.js'
import { overviewWords } from './words.js'

/** Number of latest entries shown. */
const LATEST = 8
/** Number of accesses shown that were used last. */
const LAST_USED = 5

interface Storage {
  dbDocuments: number
  attachedFiles: number
}

export const overviewPage: Page = consolePage({
  path: '/overview',
  section: 'overview',
  async show(visit) {
    const { accesses, sessions } = await grantedAccesses(visit)
    const { events } = (await readAsOwner(visit, visit.session, getEvents, { limit: LATEST, streams: [peopleStreamsQuery] })) as { events: Event[] }
    const { account } = (await readAsOwner(visit, visit.session, getAccount, {})) as { account: { storageUsed: Storage } }
    const body = (
      <div id="overview" data-live="yes">
        <Needs visit={visit} needs={await needsOf(visit, accesses)} />
        <Latest visit={visit} events={events} streams={await loadStreams(visit)} />
        <div class="cards">
          <Size visit={visit} storage={account.storageUsed} hasEvents={events.length > 0} />
          <LastUses visit={visit} accesses={[...accesses, ...sessions]} />
        </div>
      </div>
    )
    return { title: consoleWords[visit.language].sections.overview, body }
  },
})

function Needs({ visit, needs }: { visit: ConsoleVisit; needs: readonly Need[] }) {
  const words = overviewWords[visit.language]
  if (needs.length === 0) return <p class="soft">{words.nothingNeeded}</p>
  return (
    <section aria-labelledby="needs">
      <h2 id="needs">{words.needs}</h2>
      <ul class="rows">
        {needs.map(({ icon, text, at, path, parameters }) => (
          <li>
            <a class="entry-link" href={linkTo(visit, path, parameters)}>
              <IconImage name={icon} />
              <span dir="auto">{text}</span>
              {at === undefined ? null : (
                <span class="soft small">
                  <Time visit={visit} at={at} />
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Latest({ visit, events, streams }: { visit: ConsoleVisit; events: readonly Event[]; streams: StreamList }) {
  const words = overviewWords[visit.language]
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">{words.latest}</h2>
      {events.length === 0 ? (
        <Empty icon="list" text={words.noEvents}>
          <p>{words.noEventsHint}</p>
        </Empty>
      ) : (
        <ul class="rows">
          {events.map((event) => (
            <LatestEntry visit={visit} event={event} streams={streams} />
          ))}
        </ul>
      )}
      <p class="buttons">
        <a class="button" href={linkTo(visit, '/event/new')}>
          {words.addEvent}
        </a>
        <a class="button second" href={linkTo(visit, '/upload')}>
          {words.addFiles}
        </a>
        <a class="button second" href={linkTo(visit, '/access/link/new')}>
          {words.share}
        </a>
        {events.length === 0 ? null : <a href={linkTo(visit, '/data')}>{words.allEvents}</a>}
      </p>
    </section>
  )
}

function LatestEntry({ visit, event, streams }: { visit: ConsoleVisit; event: Event; streams: StreamList }) {
  const value = valueText(event, visit)
  const [stream] = event.streamIds
  return (
    <li>
      <a class="entry-link" href={linkTo(visit, '/event', { id: event.id })}>
        <span class="grow">
          <span class="value" dir="auto">
            {value === '' ? typeName(event.type, visit) : value}
          </span>
          <span class="soft small stream" dir="auto">
            {stream === undefined ? '' : streams.pathOf(stream)}
          </span>
        </span>
        <span class="soft small">
          {event.duration === null ? `${overviewWords[visit.language].isRunning} · ` : ''}
          <Time visit={visit} at={event.time} />
        </span>
      </a>
    </li>
  )
}

function Size({ visit, storage, hasEvents }: { visit: ConsoleVisit; storage: Storage; hasEvents: boolean }) {
  const { language } = visit
  const words = overviewWords[language]
  return (
    <section class="card" aria-labelledby="size">
      <h2 id="size">{words.size}</h2>
      <p class="figure">{sizeText(storage.dbDocuments + storage.attachedFiles, language)}</p>
      <dl class="facts">
        <dt>{words.entries}</dt>
        <dd class="number">{sizeText(storage.dbDocuments, language)}</dd>
        <dt>{words.files}</dt>
        <dd class="number">{sizeText(storage.attachedFiles, language)}</dd>
      </dl>
      {hasEvents ? (
        <>
          <h3>{words.growth}</h3>
          <img class="growth" src={linkTo(visit, GROWTH_PATH)} alt={words.growthAlternative} width={GROWTH_SIZE.width} height={GROWTH_SIZE.height} loading="lazy" />
          <p class="small">
            <a href={linkTo(visit, '/charts')}>{words.charts}</a>
          </p>
        </>
      ) : null}
    </section>
  )
}

function LastUses({ visit, accesses }: { visit: ConsoleVisit; accesses: readonly GrantedAccess[] }) {
  const words = overviewWords[visit.language]
  const used = accesses
    // A request for consent is used by those who open it, not by an access to data.
    .flatMap(({ id, kind, title, lastUsed }) => (lastUsed === undefined || kind === 'offer' ? [] : [{ id, kind, title, lastUsed }]))
    .sort((a, b) => b.lastUsed - a.lastUsed)
  return (
    <section class="card" aria-labelledby="uses">
      <h2 id="uses">{words.lastUse}</h2>
      {used.length === 0 ? <p class="soft">{words.neverUsed}</p> : null}
      <ul class="plain uses">
        {used.slice(0, LAST_USED).map(({ id, kind, title, lastUsed }) => (
          <li class="row">
            <span dir="auto">
              {kind === 'session' ? words.kinds.session : <a href={linkTo(visit, '/access/one', { id })}>{title}</a>}
              <span class="soft small"> {kind === 'session' ? title : words.kinds[kind]}</span>
            </span>
            <span class="soft small">
              <Time visit={visit} at={lastUsed} />
            </span>
          </li>
        ))}
      </ul>
      <p class="small">
        <a href={linkTo(visit, '/access')}>{words.allAccesses}</a>
      </p>
    </section>
  )
}
