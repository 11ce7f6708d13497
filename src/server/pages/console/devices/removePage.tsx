/** @jsxImportSource hono/jsx */
/** Page that ends the pairing with a device, after it has stated what that means for both. */
import { remove } from '../../../api/devices/delete.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Page, PageContent } from '../../page.js'
import { problemOf, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { consolePage, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { consoleWords } from '../words.js'
import { DEVICE_PATH, DEVICES_PATH, loadDevice, REMOVE_PATH } from './deviceData.js'
import { missingDevice } from './devicePage.js'
import { deviceWords } from './words.js'

export const removeDevicePage: Page = consolePage({
  path: REMOVE_PATH,
  section: 'devices',
  show: (visit) => confirmation(visit, visit.query.get('id')),
  async submit(submission) {
    const id = submission.form.get('id') ?? ''
    try {
      const { deviceDeletion } = await callAsOwner(submission, submission.session, remove, { id })
      const { notified } = deviceDeletion as { notified: boolean }
      return redirectTo(submission, DEVICES_PATH, { done: notified ? 'removed' : 'removedLater' })
    } catch (error) {
      return confirmation(submission, id, problemOf(submission, error))
    }
  },
})

async function confirmation(visit: ConsoleVisit, id: string | null, problem?: Problem): Promise<PageContent> {
  const device = await loadDevice(visit, id)
  if (device === undefined) return missingDevice(visit)
  const { name, ahead, behind } = device
  const words = deviceWords[visit.language]
  const count = new Intl.NumberFormat(visit.language)
  const body = (
    <div class="card">
      <ul>
        <li>{words.removeHere}</li>
        <li>{words.removeThere(name)}</li>
        {ahead !== null && ahead > 0 ? <li>{words.removePending(count.format(ahead))}</li> : null}
        {behind !== null && behind > 0 ? <li>{words.removeBehind(count.format(behind))}</li> : null}
        <li>{words.removeNotify}</li>
      </ul>
      <Form visit={visit} path={REMOVE_PATH} problem={problem}>
        <input type="hidden" name="id" value={device.id} />
        <p class="buttons">
          <button class="bad">{words.removeButton}</button>
          <a class="button second" href={linkTo(visit, DEVICE_PATH, { id: device.id })}>
            {consoleWords[visit.language].cancel}
          </a>
        </p>
      </Form>
    </div>
  )
  return { title: words.removeTitle(name), body, status: problem?.status ?? 200 }
}
