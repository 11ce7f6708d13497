/** @jsxImportSource hono/jsx */
/** Earlier versions of an event: when and by whom each was replaced, what changed, and a button that restores it. */
import { isDeepStrictEqual } from 'node:util'
import type { Event } from '../../../../store/model/event.js'
import { valueText } from '../../events/eventValue.js'
import { Form } from '../../layout.js'
import type { OwnVisit } from '../../page.js'
import { timeText } from '../../times.js'
import { Time } from '../components.js'
import type { StreamList } from '../streams.js'
import { EVENT_PATH, type LoadedEvent } from './eventData.js'
import { durationText } from './duration.js'
import { eventPageWords } from './words.js'

/** Maximum number of versions that are shown. */
const MAX_SHOWN = 100
const MAX_TEXT = 200

interface Change {
  label: string
  before?: string
  after?: string
}

interface HistoryProps {
  visit: OwnVisit
  loaded: LoadedEvent
  streams: StreamList
  nameOf: (author: string) => string
  /** False for events that cannot be changed here. */
  isEditable: boolean
}

export function History({ visit, loaded: { event, history }, streams, nameOf, isEditable }: HistoryProps) {
  if (history.length === 0) return <></>
  const words = eventPageWords[visit.language]
  const versions = [...history, event]
  const shown = versions.map((version, at) => ({ version, at, before: versions[at - 1] })).reverse().slice(0, MAX_SHOWN)
  return (
    <section aria-labelledby="history">
      <h2 id="history">{words.history}</h2>
      <p class="soft small">{words.historyText}</p>
      <ol class="rows versions">
        {shown.map(({ version, at, before }) => (
          <li>
            <div class="split">
              <span>
                <Time visit={visit} at={version.modified} isExact /> <span class="soft">{words.by(nameOf(version.modifiedBy))}</span>
              </span>
              {version === event || !isEditable ? null : (
                <Form visit={visit} path={EVENT_PATH}>
                  <input type="hidden" name="id" value={event.id} />
                  <input type="hidden" name="do" value="version" />
                  <input type="hidden" name="version" value={String(at)} />
                  <input type="hidden" name="modified" value={String(version.modified)} />
                  <button class="second small">{words.restoreVersion}</button>
                </Form>
              )}
            </div>
            {before === undefined ? <FirstVersion visit={visit} version={version} /> : <Changes changes={changesBetween(visit, before, version, streams)} />}
          </li>
        ))}
      </ol>
      {versions.length > MAX_SHOWN ? <p class="small soft">{words.shorter(MAX_SHOWN)}</p> : null}
    </section>
  )
}

function FirstVersion({ visit, version }: { visit: OwnVisit; version: Event }) {
  const value = clip(valueText(version, visit))
  return (
    <p class="small" dir="auto">
      {eventPageWords[visit.language].firstVersion}
      {value === '' ? '' : `: ${value}`}
    </p>
  )
}

const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <ul class="changes small">
    {changes.map(({ label, before, after }) => (
      <li>
        {label}
        {before === undefined && after === undefined ? null : (
          <>
            {': '}
            <del dir="auto">{before ?? ''}</del> → <ins dir="auto">{after ?? ''}</ins>
          </>
        )}
      </li>
    ))}
  </ul>
)

const clip = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** Lists the differences between two versions of an event. */
function changesBetween(visit: OwnVisit, before: Event, after: Event, streams: StreamList): Change[] {
  const words = eventPageWords[visit.language]
  const { changes } = words
  const found: Change[] = []
  const compare = (label: string, textOf: (event: Event) => string): void => {
    const [old, now] = [clip(textOf(before)), clip(textOf(after))]
    found.push(old === now ? { label } : { label, before: old === '' ? words.none : old, after: now === '' ? words.none : now })
  }
  const differs = (name: keyof Event): boolean => !isDeepStrictEqual(before[name], after[name])
  if (differs('content')) compare(changes.value, (event) => valueText(event, visit))
  if (differs('type')) compare(changes.type, ({ type }) => type)
  if (differs('time')) compare(changes.time, ({ time }) => timeText(time, visit))
  if (differs('duration')) compare(changes.duration, ({ duration }) => (duration === undefined ? '' : duration === null ? words.running : durationText(duration, visit.language)))
  if (differs('streamIds')) compare(changes.streams, ({ streamIds }) => streamIds.map((id) => streams.pathOf(id)).join(', '))
  if (differs('description')) compare(changes.description, ({ description = '' }) => description)
  if (differs('tags')) compare(changes.tags, ({ tags }) => tags.join(', '))
  if (differs('attachments')) compare(changes.files, ({ attachments = [] }) => attachments.map(({ fileName }) => fileName).join(', '))
  if (differs('clientData')) found.push({ label: changes.clientData })
  if (differs('trashed')) found.push({ label: after.trashed === true ? changes.trashed : changes.restored })
  return found.length === 0 ? [{ label: changes.other }] : found
}
