/** @jsxImportSource hono/jsx */
/** Files that a shared link opens, without the other entries. */
import { Empty } from '../console/components.js'
import { loadFileEvents } from '../console/files/fileEvents.js'
import { FileList, filesOfEvents, type ShownFile } from '../console/files/fileList.js'
import { isPicture } from '../console/files/filePage.js'
import { soon } from '../console/soon.js'
import type { StreamList } from '../console/streams.js'
import { linkTo } from '../links.js'
import { timePositionIn } from '../timePosition.js'
import { LARGE_EDGE, SHARED_FILE_PATH } from './sharedFrame.js'
import type { TabContent } from './tabs.js'
import { TimePages } from './timePages.js'
import type { SharedVisit } from './views.js'
import { sharedLinkWords } from './words.js'

const PER_PAGE = 48

export async function filesTab(visit: SharedVisit, streams: StreamList, stream: string | undefined): Promise<TabContent> {
  const words = sharedLinkWords[visit.language]
  const position = timePositionIn(visit.query)
  const found = await soon(loadFileEvents(visit, stream === undefined ? undefined : [stream], position, PER_PAGE), visit)
  if (found === undefined) return { body: <p role="status">{words.filesLater}</p>, isLate: true }
  const files = filesOfEvents(found.events)
  const address = ({ event, file }: ShownFile, more: Record<string, string>): string => linkTo(visit, SHARED_FILE_PATH, { view: visit.viewId, event: event.id, file: file.id, ...more })
  const addresses = {
    open: (shown: ShownFile): string => address(shown, isPicture(shown.file) ? { preview: String(LARGE_EDGE) } : {}),
    preview: (shown: ShownFile, edge: number): string => address(shown, { preview: String(edge) }),
  }
  const body = (
    <>
      {files.length === 0 ? <Empty icon="file" text={words.noFiles} /> : <FileList visit={visit} files={files} pathOf={streams.pathOf} addresses={addresses} />}
      <TimePages visit={visit} tab="files" stream={stream} position={position} next={found.next} />
    </>
  )
  return { body, isLate: false }
}
