/** The file of an export, for the person who confirmed it with the password. */
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { downloadAccount, isDownloading } from '../../../accountTransfer/accountDownload.js'
import type { Answer, Page } from '../../page.js'
import { confirm, confirmedUntil } from '../confirmation.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { EXPORT_FILE_PATH, EXPORT_PATH } from './paths.js'

/** Time in seconds for which the download is possible after the password. */
const CONFIRMED_S = 600

/** Remembers in the browser that the person entered the password. */
export const confirmExport = (visit: ConsoleVisit): void => confirm(visit, 'export', CONFIRMED_S)

/** Checks whether the person entered the password in this session, lately. */
export const isExportConfirmed = (visit: ConsoleVisit): boolean => confirmedUntil(visit, 'export') !== undefined

/** Checks whether the account of the person is being downloaded. */
export const isRunning = ({ node, person }: ConsoleVisit): boolean => isDownloading(node, person.account.prefix)

export const exportFilePage: Page = consolePage({
  path: EXPORT_FILE_PATH,
  section: 'settings',
  isOfPerson: true,
  show(visit) {
    if (!isExportConfirmed(visit)) return redirectTo(visit, EXPORT_PATH)
    if (isRunning(visit)) return redirectTo(visit, EXPORT_PATH, { running: '1' })
    return fileOf(visit)
  },
})

function fileOf({ node, person, origin, isHead }: ConsoleVisit): Answer {
  const { username } = person.user
  const name = `coffer-${username}-${new Date(node.clock.now() * 1000).toISOString().slice(0, 10)}`
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${name}.zip"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Accel-Buffering': 'no',
  }
  if (isHead) return { response: new Response(null, { headers }) }
  node.log.info('the owner downloads an export of the account', { username, ip: origin.ip })
  const stream = downloadAccount(node, { prefix: person.account.prefix, username }, name, (error) => {
    if (error === undefined) node.log.info('the export of the account is complete', { username })
    else node.log.warn('the export of the account was not completed', { username, error: String(error) })
  })
  return { response: new Response(Readable.toWeb(stream) as WebStream<Uint8Array> as ReadableStream<Uint8Array>, { headers }) }
}
