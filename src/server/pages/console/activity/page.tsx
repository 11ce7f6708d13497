/** @jsxImportSource hono/jsx */
/** Activity: the audit records of the account in words. */
import { accessBase } from '../../../../store/model/auditStreams.js'
import { SearchForm } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Page } from '../../page.js'
import { timePositionIn, timePositionParameters } from '../../timePosition.js'
import { clockText, machineTime } from '../../times.js'
import { Empty } from '../components.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { accessNames, type AccessNames } from './accessNames.js'
import { kinds } from './actions.js'
import { describeDays, type Day, type Entry } from './describe.js'
import { filterInputOf, filterOf, filterParameters, type FilterInput } from './filterForm.js'
import { readRecords, type RecordPage } from './records.js'
import { activityStyle } from './style.js'
import { activityWords } from './words.js'

const PATH = '/activity'
/** Maximum number of accesses that the filter lists. */
const MAX_CHOICES = 200

export const activityPage: Page = consolePage({
  path: PATH,
  section: 'activity',
  async show(visit) {
    const { node, query, language, session, timeZone } = visit
    const words = activityWords[language]
    if (!node.audit.isActive) return { title: words.title, body: <Empty icon="clock" text={words.off} /> }
    const input = filterInputOf(query)
    const filter = filterOf(input, timeZone, accessBase(session.caller.access.id))
    const names = await accessNames(visit)
    const position = timePositionIn(query)
    const page = filter === undefined ? undefined : await readRecords(visit, filter, position)
    const body = (
      <>
        <p class="soft">{words.intro}</p>
        <Filters visit={visit} input={input} names={names} isWrong={filter === undefined} />
        {page === undefined ? null : <Records visit={visit} input={input} page={page} names={names} isFirst={position === undefined} />}
      </>
    )
    return { title: words.title, body, assets: [activityStyle], ...(filter === undefined ? { status: 400 } : {}) }
  },
})

interface RecordsProps {
  visit: ConsoleVisit
  input: FilterInput
  page: RecordPage
  names: AccessNames
  isFirst: boolean
}

function Records({ visit, input, page, names, isFirst }: RecordsProps) {
  const words = activityWords[visit.language]
  const { records, next, isPartial } = page
  const parameters = filterParameters(input)
  const isFiltered = Object.keys(parameters).length > 0
  return (
    // Older pages do not change, so only the first is live.
    <div id="log" {...(isFirst ? { 'data-live': 'audit' } : {})}>
      {describeDays(visit, records, names).map((day) => (
        <DayList visit={visit} day={day} />
      ))}
      {records.length === 0 ? <Empty icon="clock" text={isFiltered || !isFirst ? words.noneFound : words.none} /> : null}
      {isPartial ? <p class="soft small">{words.partial}</p> : null}
      {isFirst && next === undefined ? null : (
        <nav class="split small pager" aria-label={words.title}>
          {isFirst ? <span></span> : <a href={linkTo(visit, PATH, parameters)}>{words.newest}</a>}
          {next === undefined ? null : (
            <a href={linkTo(visit, PATH, { ...parameters, ...timePositionParameters(next) })}>{words.older}</a>
          )}
        </nav>
      )}
    </div>
  )
}

const DayList = ({ visit, day }: { visit: ConsoleVisit; day: Day }) => (
  <section>
    <h2 class="day">{day.name}</h2>
    <ul class="rows log">
      {day.entries.map((entry) => (
        <EntryRow visit={visit} entry={entry} />
      ))}
    </ul>
  </section>
)

function EntryRow({ visit, entry }: { visit: ConsoleVisit; entry: Entry }) {
  const words = activityWords[visit.language]
  const { latest, earliest, text, also, times, isRefused, reason, ip, accessId } = entry
  const [begin, end] = [clockText(earliest, visit), clockText(latest, visit)]
  const notes = [...also, ...(ip === undefined ? [] : [words.address(ip)])]
  return (
    <li>
      <span class="when soft number">
        <time datetime={machineTime(latest)}>{begin === end ? end : `${begin} – ${end}`}</time>
      </span>
      <div class="what">
        {isRefused ? <span class="tag refused">{words.refused}</span> : null} {text}{' '}
        {times > 1 ? <span class="tag">{words.times(times)}</span> : null}
        {reason === undefined ? null : <p class="small">{reason}</p>}
        {notes.length === 0 && accessId === undefined ? null : (
          <p class="small soft">
            {notes.join(' · ')}
            {accessId === undefined ? null : (
              <>
                {notes.length === 0 ? '' : ' · '}
                <a href={linkTo(visit, '/access/one', { id: accessId })}>{words.manage}</a>
              </>
            )}
          </p>
        )}
      </div>
    </li>
  )
}

interface FiltersProps {
  visit: ConsoleVisit
  input: FilterInput
  names: AccessNames
  isWrong: boolean
}

function Filters({ visit, input, names, isWrong }: FiltersProps) {
  const words = activityWords[visit.language]
  const wrong = isWrong ? { 'aria-invalid': 'true', 'aria-describedby': 'problem' } : {}
  return (
    <SearchForm visit={visit} path={PATH} more={{ class: 'filters', 'aria-label': words.filters }}>
      {isWrong ? (
        <div class="problem buttons" role="alert" id="problem">
          <p>{words.wrongDate}</p>
        </div>
      ) : null}
      <div>
        <label for="access">{words.access}</label>
        <select id="access" name="access">
          {choicesOf(visit, input, names).map(({ value, text }) => (
            <option value={value} selected={value === input.access}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="kind">{words.kind}</label>
        <select id="kind" name="kind">
          <option value="">{words.anyKind}</option>
          {kinds.map((kind) => (
            <option value={kind} selected={kind === input.kind}>
              {words.kinds[kind]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="from">{words.from}</label>
        <input id="from" name="from" type="date" value={input.from} {...wrong} />
      </div>
      <div>
        <label for="to">{words.to}</label>
        <input id="to" name="to" type="date" value={input.to} {...wrong} />
      </div>
      <label class="tick">
        <input type="checkbox" name="own" value="1" checked={input.own} />
        {words.own}
      </label>
      <p class="buttons">
        <button class="second">{words.show}</button>
        {Object.keys(filterParameters(input)).length === 0 ? null : <a href={linkTo(visit, PATH)}>{words.clear}</a>}
      </p>
    </SearchForm>
  )
}

/** Lists the accesses to filter by: live ones first, then ended ones, sessions together under names of their own. */
function choicesOf({ language }: ConsoleVisit, { access }: FilterInput, names: AccessNames): { value: string; text: string }[] {
  const { labels, anyAccess, ended } = activityWords[language]
  const label = (type: 'app' | 'shared', name: string): string => (type === 'app' ? labels.app(name) : labels.link(name))
  const own = [...names.values()].find(({ isOfPages, deleted }) => isOfPages && deleted === undefined)
  const others = [...names.values()]
    .flatMap(({ id, type, name, deleted, isDelegation }) => (type === 'personal' || isDelegation ? [] : [{ id, isEnded: deleted !== undefined, name: label(type, name) }]))
    .sort((a, b) => Number(a.isEnded) - Number(b.isEnded) || a.name.localeCompare(b.name))
  const shown = others.filter(({ id }, at) => at < MAX_CHOICES || id === access)
  return [
    { value: '', text: anyAccess },
    ...(own === undefined ? [] : [{ value: own.id, text: labels.you }]),
    ...shown.map(({ id, isEnded, name }) => ({ value: id, text: isEnded ? `${name} ${ended}` : name })),
    { value: 'invalid', text: labels.unknown },
    { value: 'system', text: labels.terminal },
  ]
}
