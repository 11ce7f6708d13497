/** @jsxImportSource hono/jsx */
/** Timeline of events, grouped by day, and its filters. */
import type { Attachment, Event } from '../../../../store/model/event.js'
import { typeName, valueText } from '../../events/eventValue.js'
import { SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import { clockText, dateInput, dayText, machineTime, timeText } from '../../times.js'
import { Empty } from '../components.js'
import type { ConsoleVisit } from '../consolePage.js'
import { IconImage } from '../icons.js'
import type { ListedStream, StreamList } from '../streams.js'
import { consoleWords } from '../words.js'
import { isFiltered, MAX_TEXT, positionText, states, streamLink, timelineLink, DATA_PATH, type Filters } from './filters.js'
import type { Summaries } from './summaries.js'
import type { TimelinePage } from './timeline.js'
import { dataWords } from './words.js'

/** Width of previews of pictures, in pixels; shown at half of it. */
const PREVIEW = 128
/** Maximum number of kinds that the filter offers. */
const MAX_TYPES = 100
/** Maximum number of streams named in a row. */
const MAX_NAMED = 3

interface TimelineProps {
  visit: ConsoleVisit
  filters: Filters
  page: TimelinePage
  streams: StreamList
  chosen: ListedStream | undefined
}

export function Timeline(props: TimelineProps) {
  const { visit, page } = props
  const days = daysOf(page.events, visit.timeZone)
  return (
    <section id="timeline" data-live="yes" aria-label={dataWords[visit.language].live}>
      {page.events.length === 0 ? <Nothing {...props} /> : null}
      {days.map(({ day, events }) => (
        <>
          <h2 class="day">{dayName(visit, events[0]?.time ?? 0, day)}</h2>
          <ul class="rows">
            {events.map((event) => (
              <Row {...props} event={event} />
            ))}
          </ul>
        </>
      ))}
      <Neighbours {...props} />
    </section>
  )
}

/** Groups events by their days in a time zone. */
function daysOf(events: readonly Event[], timeZone: string): { day: string; events: Event[] }[] {
  const days: { day: string; events: Event[] }[] = []
  for (const event of events) {
    const day = dateInput(event.time, timeZone) ?? String(event.time)
    const last = days.at(-1)
    if (last?.day === day) last.events.push(event)
    else days.push({ day, events: [event] })
  }
  return days
}

function dayName(visit: ConsoleVisit, time: number, day: string): string {
  const text = dayText(time, visit)
  return day === dateInput(visit.node.clock.now(), visit.timeZone) ? `${text} · ${dataWords[visit.language].today}` : text
}

function Nothing({ visit, filters, page, chosen }: TimelineProps) {
  const words = dataWords[visit.language]
  if (page.isPartial) return <></>
  const isPaged = filters.before !== undefined
  if (isFiltered(filters) || isPaged) {
    return (
      <Empty icon="search" text={words.nothingFound}>
        <p>
          <a href={streamLink(visit, chosen?.id ?? null)}>{words.clear}</a>
        </p>
      </Empty>
    )
  }
  const stream = chosen === undefined ? {} : { stream: chosen.id }
  return (
    <Empty icon="list" text={chosen === undefined ? words.noEvents : words.noEventsHere}>
      {chosen === undefined ? <p>{words.noEventsHint}</p> : null}
      <p class="buttons middle">
        <a class="button" href={linkTo(visit, '/event/new', stream)}>
          {words.addEvent}
        </a>
        <a class="button second" href={linkTo(visit, '/upload', stream)}>
          {words.upload}
        </a>
        <a class="button second" href={linkTo(visit, '/event/several', stream)}>
          {words.importing}
        </a>
      </p>
    </Empty>
  )
}

function Row({ visit, streams, event }: TimelineProps & { event: Event }) {
  const words = dataWords[visit.language]
  const value = valueText(event, visit)
  const kind = typeName(event.type, visit)
  const picture = event.attachments?.find(({ type }) => type.startsWith('image/'))
  return (
    <li>
      <a class="entry-link event-row" href={linkTo(visit, '/event', { id: event.id })}>
        <EventTime visit={visit} event={event} />
        {picture === undefined ? null : <Thumbnail visit={visit} event={event} picture={picture} />}
        <span class="grow">
          <span class="value" dir="auto">
            {value === '' ? kind : value}
          </span>
          <span class="soft small stream" dir="auto">
            {streamNames(event, streams)}
            {value === '' ? '' : ` · ${kind}`}
          </span>
        </span>
        {event.duration === null ? (
          <span class="tag running">
            <IconImage name="clock" />
            {words.inProgress}
          </span>
        ) : null}
        {event.trashed === true ? <span class="tag">{words.isTrashed}</span> : null}
      </a>
    </li>
  )
}

function EventTime({ visit, event: { time, duration } }: { visit: ConsoleVisit; event: Event }) {
  const end = typeof duration === 'number' ? time + duration : undefined
  const clock = clockText(time, visit)
  return (
    <span class="event-time soft small">
      <time datetime={machineTime(time)} title={timeText(time, visit)}>
        {clock}
      </time>
      {end === undefined ? null : (
        <>
          {' – '}
          <time datetime={machineTime(end)} title={timeText(end, visit)}>
            {dateInput(end, visit.timeZone) === dateInput(time, visit.timeZone) ? clockText(end, visit) : dayText(end, visit)}
          </time>
        </>
      )}
    </span>
  )
}

function Thumbnail({ visit, event, picture }: { visit: ConsoleVisit; event: Event; picture: Attachment }) {
  const address = linkTo(visit, '/file', { event: event.id, file: picture.id, preview: String(PREVIEW) })
  return <img class="thumbnail" src={address} alt="" width={PREVIEW / 2} height={PREVIEW / 2} loading="lazy" />
}

/** Names the streams of an event that are streams of people. */
function streamNames({ streamIds }: Event, { byId }: StreamList): string {
  const paths = streamIds.flatMap((id) => byId.get(id)?.path ?? [])
  const named = paths.slice(0, MAX_NAMED).join(', ')
  return paths.length > MAX_NAMED ? `${named}, …` : named
}

function Neighbours({ visit, filters, page }: TimelineProps) {
  const words = dataWords[visit.language]
  const { older, newer, isPartial } = page
  const isSearching = isPartial && page.events.length === 0
  const searchedTo = filters.after === undefined ? older : newer
  const olderText = isPartial && filters.after === undefined ? words.searchOlder : consoleWords[visit.language].older
  const newerText = isPartial && filters.after !== undefined ? words.searchNewer : consoleWords[visit.language].newer
  if (older === undefined && newer === undefined) return <></>
  return (
    <>
      {isPartial && searchedTo !== undefined ? (
        <p class={isSearching ? 'empty' : 'soft small'} role="status">
          {isSearching ? `${words.nothingFound} ` : ''}
          {words.searchedTo(dayText(searchedTo.time, visit))}
        </p>
      ) : null}
      <nav class="split small pager" aria-label={consoleWords[visit.language].pages}>
        {newer === undefined ? (
          <span></span>
        ) : (
          <span>
            <a href={timelineLink(visit, filters)}>{words.newest}</a>
            {' · '}
            <a href={timelineLink(visit, filters, { after: positionText(newer) })}>{newerText}</a>
          </span>
        )}
        {older === undefined ? <span></span> : <a href={timelineLink(visit, filters, { before: positionText(older) })}>{olderText}</a>}
      </nav>
    </>
  )
}

interface FilterProps {
  visit: ConsoleVisit
  filters: Filters
  summaries: Summaries | undefined
  page: TimelinePage
}

export function FilterForm({ visit, filters, summaries, page }: FilterProps) {
  const words = dataWords[visit.language]
  const { stream, types, text, from, to, state } = filters
  const isActive = isFiltered(filters)
  return (
    <details class="filters" open={isActive}>
      <summary>
        <IconImage name="search" />
        {words.filters}
      </summary>
      <SearchForm visit={visit} path={DATA_PATH} parameters={stream === undefined ? {} : { stream }} more={{ role: 'search', 'aria-label': words.filters }}>
        <div class="filter-fields">
          <p class="wide-field">
            <label for="text">{words.text}</label>
            <input type="search" id="text" name="text" value={text} maxlength={MAX_TEXT} dir="auto" aria-describedby="text-hint" />
          </p>
          <p>
            <label for="type">{words.type}</label>
            <select id="type" name="type">
              <option value="">{words.anyType}</option>
              {offeredTypes(visit, types, summaries, page).map(({ value, name }) => (
                <option value={value} selected={value === types.join(',')}>
                  {name}
                </option>
              ))}
            </select>
          </p>
          <p>
            <label for="state">{words.state}</label>
            <select id="state" name="state">
              {states.map((one) => (
                <option value={one === 'default' ? '' : one} selected={one === state}>
                  {words.states[one]}
                </option>
              ))}
            </select>
          </p>
          <p>
            <label for="from">{words.from}</label>
            <input type="date" id="from" name="from" value={from} />
          </p>
          <p>
            <label for="to">{words.to}</label>
            <input type="date" id="to" name="to" value={to} />
          </p>
        </div>
        <p class="hint" id="text-hint">
          {words.textHint}
        </p>
        <p class="buttons">
          <button class="second">{words.apply}</button>
          {isActive ? <a href={streamLink(visit, stream ?? null)}>{words.clear}</a> : null}
        </p>
      </SearchForm>
    </details>
  )
}

/** Lists the kinds of events that the filter offers: those of the page, of the latest events of streams, and the chosen ones. */
function offeredTypes(visit: ConsoleVisit, types: readonly string[], summaries: Summaries | undefined, page: TimelinePage): { value: string; name: string }[] {
  const found = new Set(page.events.map(({ type }) => type))
  for (const { last } of summaries?.values() ?? []) {
    if (found.size >= MAX_TYPES) break
    if (last !== undefined) found.add(last.type)
  }
  const offered = new Map([...found].map((type) => [type, typeName(type, visit)]))
  const chosen = types.join(',')
  if (chosen !== '') offered.set(chosen, types.map((type) => typeName(type, visit)).join(', '))
  return [...offered].map(([value, name]) => ({ value, name })).sort((a, b) => a.name.localeCompare(b.name, visit.language))
}

