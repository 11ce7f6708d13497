/** @jsxImportSource hono/jsx */
/** Page of a device: state, settings, pause and resume, and the latest contacts. */
import { update } from '../../../api/devices/update.js'
import { Field, Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Page, PageContent } from '../../page.js'
import { problemOf, problemWith, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { Done, Time } from '../components.js'
import { consolePage, missingContent, redirectTo, type ConsoleVisit } from '../consolePage.js'
import { loadStreams } from '../streams.js'
import { consoleWords } from '../words.js'
import { deviceStyle } from './deviceAsset.js'
import { DEVICE_PATH, DEVICES_PATH, isOwner, loadContacts, loadDevice, REMOVE_PATH, type Contact, type Device } from './deviceData.js'
import { scheduleText, scopeText } from './deviceState.js'
import { DeviceState, doneText } from './listPage.js'
import { deviceWords } from './words.js'

const MAX_NAME = 60

export const devicePage: Page = consolePage({
  path: DEVICE_PATH,
  section: 'devices',
  show: (visit) => shownDevice(visit, visit.query.get('id')),
  async submit(submission) {
    const { form, session, language } = submission
    const id = form.get('id') ?? ''
    const name = (form.get('name') ?? '').trim()
    const action = form.get('do')
    if (action === 'rename' && (name === '' || name.length > MAX_NAME)) {
      return shownDevice(submission, id, { problem: problemWith(deviceWords[language].nameHint, 'name'), typed: name })
    }
    try {
      const change = action === 'rename' ? { name } : { paused: action === 'pause' }
      await callAsOwner(submission, session, update, { id, update: change })
      return redirectTo(submission, DEVICE_PATH, { id, done: action === 'rename' ? 'renamed' : action === 'pause' ? 'paused' : 'resumed' })
    } catch (error) {
      const problem = problemOf(submission, error)
      return shownDevice(submission, id, { problem: action === 'rename' ? { ...problem, field: 'name' } : problem, typed: name })
    }
  },
})

interface Refused {
  problem: Problem
  /** The name that was typed. */
  typed: string
}

/** Returns the page for a device that does not exist. */
export function missingDevice(visit: ConsoleVisit): PageContent {
  const words = deviceWords[visit.language]
  return missingContent(visit, consoleWords[visit.language].sections.devices, words.missing, { text: words.toDevices, href: linkTo(visit, DEVICES_PATH) })
}

async function shownDevice(visit: ConsoleVisit, id: string | null, refused?: Refused): Promise<PageContent> {
  const device = await loadDevice(visit, id)
  if (device === undefined) return missingDevice(visit)
  const words = deviceWords[visit.language]
  const { pathOf } = await loadStreams(visit)
  const body = (
    <>
      <p>
        <a href={linkTo(visit, DEVICES_PATH)}>{words.toDevices}</a>
      </p>
      {refused === undefined ? <Done text={doneText(visit)} /> : null}
      <div id="device" data-live="yes">
        <div class="card device">
          <DeviceState visit={visit} device={device} />
          <Facts visit={visit} device={device} pathOf={pathOf} />
        </div>
      </div>
      {isOwner(visit) ? <Actions visit={visit} device={device} refused={refused} /> : <p class="note">{words.delegate}</p>}
      <div id="contacts" data-live="yes">
        <Contacts visit={visit} contacts={await loadContacts(visit, device.id)} />
      </div>
    </>
  )
  return { title: device.name, body, assets: [deviceStyle], status: refused?.problem.status ?? 200 }
}

function Facts({ visit, device, pathOf }: { visit: ConsoleVisit; device: Device; pathOf: (id: string) => string }) {
  const words = deviceWords[visit.language]
  const time = (at: number | null | undefined) => (at == null ? words.noContact : <Time visit={visit} at={at} isExact />)
  return (
    <dl class="facts">
      <dt>{words.lastContact}</dt>
      <dd>{time(device.lastContact)}</dd>
      <dt>{words.lastCompared}</dt>
      <dd>{time(device.inSyncAt)}</dd>
      <dt>{words.scope}</dt>
      <dd dir="auto">{scopeText(device, visit.language, pathOf)}</dd>
      <dt>{words.connects}</dt>
      <dd>{scheduleText(device, visit.language)}</dd>
      {device.address === null ? null : <dt>{words.address}</dt>}
      {device.address === null ? null : <dd dir="ltr">{device.address}</dd>}
      <dt>{words.paired}</dt>
      <dd>{time(device.paired)}</dd>
    </dl>
  )
}

function Actions({ visit, device, refused }: { visit: ConsoleVisit; device: Device; refused: Refused | undefined }) {
  const words = deviceWords[visit.language]
  const { id, name, paused } = device
  const isRename = refused?.problem.field === 'name'
  return (
    <>
      <p class="soft">{paused ? words.resumeText : words.pauseText}</p>
      <Form visit={visit} path={DEVICE_PATH} problem={isRename ? undefined : refused?.problem}>
        <input type="hidden" name="id" value={id} />
        <p class="buttons">
          <button class={paused ? '' : 'second'} name="do" value={paused ? 'resume' : 'pause'}>
            {paused ? words.resume : words.pause}
          </button>
          <a class="button second" href={linkTo(visit, REMOVE_PATH, { id })}>
            {words.remove}
          </a>
        </p>
      </Form>
      <details class="apart" open={isRename}>
        <summary>{words.rename}</summary>
        <Form visit={visit} path={DEVICE_PATH} problem={isRename ? refused.problem : undefined}>
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="do" value="rename" />
          <Field
            name="name"
            label={words.name}
            hint={words.nameHint}
            value={isRename ? refused.typed : name}
            problem={refused?.problem}
            more={{ maxlength: String(MAX_NAME), autocomplete: 'off', dir: 'auto' }}
          />
          <p class="buttons">
            <button class="second">{consoleWords[visit.language].save}</button>
          </p>
        </Form>
      </details>
    </>
  )
}

function Contacts({ visit, contacts }: { visit: ConsoleVisit; contacts: readonly Contact[] }) {
  if (contacts.length === 0) return <></>
  const words = deviceWords[visit.language]
  const count = new Intl.NumberFormat(visit.language)
  return (
    <>
      <h2 id="history">{words.history}</h2>
      <div class="scroll" tabindex={0} role="region" aria-labelledby="history">
        <table>
          <thead>
            <tr>
              <th scope="col">{words.when}</th>
              <th scope="col">{words.result}</th>
              <th scope="col">{words.sent}</th>
              <th scope="col">{words.received}</th>
            </tr>
          </thead>
          <tbody>
            {contacts.map(({ began, result, sent, received, attempts = 1 }) => (
              <tr>
                <td>
                  <Time visit={visit} at={began} isExact />
                </td>
                <td>
                  <span lang="en">{result}</span>
                  {attempts > 1 ? ` (${words.attempts(count.format(attempts))})` : ''}
                </td>
                <td class="number">{count.format(sent)}</td>
                <td class="number">{count.format(received)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
