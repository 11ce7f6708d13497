/**
 * Content of a file of the shown account: `preview` displays a picture, with at most that many pixels at an edge; everything else is
 * a download.
 */
import { Failure } from '../../../../store/model/failure.js'
import { getAttachment } from '../../../api/events/getAttachment.js'
import { getOne } from '../../../api/events/getOne.js'
import { preview } from '../../../api/events/preview.js'
import { FileResult, type FileDescription } from '../../../base/fileResult.js'
import type { Attachment } from '../../../../store/model/event.js'
import type { Answer, OwnVisit, Page } from '../../page.js'
import { callAsOwner, readAsOwner } from '../../session.js'
import { consolePage } from '../consolePage.js'
import { fileResponse } from './fileResponse.js'

export const FILE_PATH = '/file'

/** Pictures that browsers display and that cannot contain scripts. */
const SAFE_PICTURES = /^image\/(jpeg|png|gif|webp|avif)$/
/** Maximum size of a picture that is displayed as it is, because the node has no preview of it. */
const MAX_DISPLAYED_BYTES = 20 * 1024 * 1024
const MAX_EDGE = 4096

/** Checks whether a file is a picture that `preview` displays. */
export const isPicture = ({ type, size }: Pick<Attachment, 'type' | 'size'>): boolean => SAFE_PICTURES.test(type) && size <= MAX_DISPLAYED_BYTES

export const filePage: Page = consolePage({
  path: FILE_PATH,
  section: 'files',
  show: (visit) => fileAnswer(visit),
})

/** Returns the file, or the preview, that the address names, read with the access of the visit. */
export async function fileAnswer(visit: OwnVisit): Promise<Answer> {
  const { query, session } = visit
  const id = query.get('event') ?? ''
  const fileId = query.get('file') ?? ''
  const edge = query.get('preview')
  if (edge !== null) {
    const shown = await previewOf(visit, id, fileId, Math.min(Math.max(Number(edge) || 1, 1), MAX_EDGE))
    if (shown !== undefined) return { response: await fileResponse(visit, shown, true) }
  }
  const { file } = await callAsOwner(visit, session, getAttachment, { id, fileId })
  if (!(file instanceof FileResult)) throw new Failure('unknown-resource', `Unknown file "${fileId}".`)
  return { response: await fileResponse(visit, file.file, edge !== null && isPicture(file.file)) }
}

/** Returns the preview of a picture; undefined if the node makes none of this file. */
async function previewOf(visit: OwnVisit, id: string, fileId: string, edge: number): Promise<FileDescription | undefined> {
  const { event } = (await readAsOwner(visit, visit.session, getOne, { id })) as { event: { type: string; attachments?: { id: string }[] } }
  if (event.type !== 'picture/attached' || event.attachments?.[0]?.id !== fileId) return undefined
  try {
    const { file } = await callAsOwner(visit, visit.session, preview, { id, width: edge, height: edge })
    return file instanceof FileResult ? file.file : undefined
  } catch (error) {
    // Without the library of pictures, and for files it cannot read, browsers show the original.
    if (error instanceof Failure && (error.id === 'unavailable-method' || error.id === 'corrupted-data')) return undefined
    throw error
  }
}
