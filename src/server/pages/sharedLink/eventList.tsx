/** @jsxImportSource hono/jsx */
/** The events of a page of a shared link: those in progress first. */
import type { Attachment } from '../../../store/model/event.js'
import { Empty } from '../console/components.js'
import { isPicture } from '../console/files/filePage.js'
import { IconImage } from '../console/icons.js'
import type { StreamList } from '../console/streams.js'
import { typeName, valueText } from '../events/eventValue.js'
import { linkTo } from '../links.js'
import { sizeText } from '../sizes.js'
import { clockText, dayText, machineTime, timeText } from '../times.js'
import { LARGE_EDGE, SHARED_FILE_PATH } from './sharedFrame.js'
import type { SharedEvent } from './timeline.js'
import type { SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

/** Maximum number of files that an event shows. */
const MAX_FILES = 20
const THUMB = 256
const MAX_DESCRIPTION = 2000

interface EventListProps {
  visit: SharedVisit
  streams: StreamList
  running: readonly SharedEvent[]
  events: readonly SharedEvent[]
}

export function EventList({ visit, streams, running, events }: EventListProps) {
  const words = sharedLinkWords[visit.language]
  if (running.length + events.length === 0) return <Empty icon="list" text={words.none} />
  return (
    <ul class="rows entries">
      {[...running, ...events].map((event) => (
        <EventRow visit={visit} streams={streams} event={event} />
      ))}
    </ul>
  )
}

function EventRow({ visit, streams, event }: { visit: SharedVisit; streams: StreamList; event: SharedEvent }) {
  const words = sharedLinkWords[visit.language]
  const { time, duration, description, attachments = [], streamIds } = event
  const value = valueText(attachments.length === 0 ? event : { ...event, attachments: [] }, visit)
  const names = streamIds.flatMap((id) => streams.byId.get(id)?.path ?? [])
  // The files themselves show what an event of files is.
  const notes = event.type.endsWith('/attached') ? names : [...names, typeName(event.type, visit)]
  return (
    <li>
      <span class="when soft number">
        <time datetime={machineTime(time)}>{duration === null ? words.since(timeText(time, visit)) : timeText(time, visit)}</time>
        {duration === undefined || duration === null || duration === 0 ? null : <> – {endText(visit, time, time + duration)}</>}
        {duration === null ? <span class="tag">{words.running}</span> : null}
      </span>
      <div>
        {value === '' ? null : (
          <p class="value" dir="auto">
            {value}
          </p>
        )}
        {description === undefined || description === '' ? null : <p dir="auto">{cut(description)}</p>}
        <Files visit={visit} eventId={event.id} files={attachments} />
        <p class="small soft" dir="auto">
          {notes.join(' · ')}
        </p>
      </div>
    </li>
  )
}

const cut = (text: string): string => (text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text)

/** Formats the end of a period: the time of day if it is on the day of its start. */
const endText = (visit: SharedVisit, start: number, end: number): string =>
  dayText(start, visit) === dayText(end, visit) ? clockText(end, visit) : timeText(end, visit)

function Files({ visit, eventId, files }: { visit: SharedVisit; eventId: string; files: readonly Attachment[] }) {
  if (files.length === 0) return <></>
  const address = (id: string, preview?: number): string =>
    linkTo(visit, SHARED_FILE_PATH, { view: visit.viewId, event: eventId, file: id, ...(preview === undefined ? {} : { preview: String(preview) }) })
  return (
    <ul class="thumbs">
      {files.slice(0, MAX_FILES).map((file) => (
        <li>
          {isPicture(file) ? (
            <a href={address(file.id, LARGE_EDGE)}>
              <img src={address(file.id, THUMB)} alt={file.fileName} width="160" height="160" loading="lazy" />
            </a>
          ) : (
            <a class="file" href={address(file.id)}>
              <IconImage name="file" />
              <span dir="auto">{file.fileName}</span> <span class="small soft">{sizeText(file.size, visit.language)}</span>
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
