/** @jsxImportSource hono/jsx */
/** List of files: pictures in a grid, the others in rows. */
import type { Attachment, Event } from '../../../../store/model/event.js'
import type { OwnVisit } from '../../page.js'
import { sizeText } from '../../sizes.js'
import { Time } from '../components.js'
import { IconImage } from '../icons.js'
import { isPicture } from './filePage.js'
import { filesWords } from './words.js'

type EventWithFiles = Pick<Event, 'id' | 'time' | 'streamIds' | 'description' | 'attachments'>

/** A file with the event that it belongs to. */
export interface ShownFile {
  event: EventWithFiles
  file: Attachment
}

/** Addresses of a file: what its entry leads to, and its picture with a maximum edge in pixels. */
interface FileAddresses {
  open(shown: ShownFile): string
  preview(shown: ShownFile, edge: number): string
}

interface FileListProps {
  visit: OwnVisit
  files: readonly ShownFile[]
  /** Returns the names of a stream and of those above it. */
  pathOf: (streamId: string) => string
  addresses: FileAddresses
}

/** Edge of a picture in the grid, in pixels. */
const EDGE = 256

export const filesOfEvents = (events: readonly EventWithFiles[]): ShownFile[] => events.flatMap((event) => (event.attachments ?? []).map((file) => ({ event, file })))

export function FileList({ visit, files, pathOf, addresses }: FileListProps) {
  const words = filesWords[visit.language]
  const pictures = files.filter(({ file }) => isPicture(file))
  const others = files.filter(({ file }) => !isPicture(file))
  return (
    <>
      {pictures.length === 0 ? null : (
        <section aria-labelledby="pictures">
          <h2 id="pictures">{words.pictures}</h2>
          <ul class="pictures">
            {pictures.map((shown) => (
              <li>
                <Picture visit={visit} shown={shown} addresses={addresses} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {others.length === 0 ? null : (
        <section aria-labelledby="others">
          <h2 id="others">{words.others}</h2>
          <ul class="rows">
            {others.map((shown) => (
              <li>
                <OtherFile visit={visit} shown={shown} path={pathOf(shown.event.streamIds[0] ?? '')} address={addresses.open(shown)} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Picture({ visit, shown, addresses }: { visit: OwnVisit; shown: ShownFile; addresses: FileAddresses }) {
  const { event, file } = shown
  return (
    <a href={addresses.open(shown)}>
      <img class="thumb" src={addresses.preview(shown, EDGE)} alt="" loading="lazy" width={EDGE} height={EDGE} />
      <span class="caption">
        <bdi>{captionOf(event, file)}</bdi>
      </span>
      <span class="soft small">
        <Time visit={visit} at={event.time} />
      </span>
    </a>
  )
}

const captionOf = ({ description }: EventWithFiles, { fileName }: Attachment): string => (description === undefined || description === '' ? fileName : description.slice(0, 200))

function OtherFile({ visit, shown: { event, file }, path, address }: { visit: OwnVisit; shown: ShownFile; path: string; address: string }) {
  return (
    <a class="entry-link" href={address}>
      <IconImage name="file" />
      <span class="grow">
        <span class="value">
          <bdi>{file.fileName}</bdi>
        </span>
        <span class="soft small stream">
          <bdi>{path}</bdi>
        </span>
      </span>
      <span class="soft small number">{sizeText(file.size, visit.language)}</span>
      <span class="soft small">
        <Time visit={visit} at={event.time} />
      </span>
    </a>
  )
}
