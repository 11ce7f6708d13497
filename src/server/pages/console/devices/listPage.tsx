/** @jsxImportSource hono/jsx */
/** Page of the devices of the account: their states, and pairings in progress. */
import { linkTo } from '../../links.js'
import type { OwnVisit, Page } from '../../page.js'
import { Done, Empty } from '../components.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { IconImage } from '../icons.js'
import { consoleWords } from '../words.js'
import { deviceStyle } from './deviceAsset.js'
import {
  CONFLICTS_PATH,
  DEVICE_PATH,
  DEVICES_PATH,
  isOwner,
  isPending,
  loadConflicts,
  loadDevices,
  loadPairings,
  PAIR_PATH,
  PAIRING_PATH,
  type Device,
  type Devices,
  type Pairing,
} from './deviceData.js'
import { notesOf, stateOf } from './deviceState.js'
import { deviceWords } from './words.js'

/** Maximum number of conflicts that the page counts: each is computed from its changes. */
const MAX_COUNTED = 10

export const devicesPage: Page = consolePage({
  path: DEVICES_PATH,
  section: 'devices',
  async show(visit) {
    const { devices, thisDevice } = await loadDevices(visit)
    const words = deviceWords[visit.language]
    const pairings = (await loadPairings(visit)).filter(isPending)
    const body = (
      <>
        <Done text={doneText(visit)} />
        <p class="soft">{words.intro}</p>
        {isOwner(visit) ? null : <p class="note">{words.delegate}</p>}
        {thisDevice.active ? null : <p class="note">{words.inactive}</p>}
        <p class="bar">
          <strong class="grow name" dir="auto">
            {words.thisDevice(thisDevice.name)}
          </strong>
          {isOwner(visit) && thisDevice.active ? (
            <a class="button" href={linkTo(visit, PAIR_PATH)}>
              {words.pairNew}
            </a>
          ) : null}
        </p>
        <div id="devices" data-live="yes">
          <Pairings visit={visit} pairings={pairings} />
          <DeviceList visit={visit} devices={devices} />
          {await conflictLink(visit)}
        </div>
      </>
    )
    return { title: consoleWords[visit.language].sections.devices, body, assets: [deviceStyle] }
  },
})

/** Returns the notice that the address names. */
export function doneText({ query, language }: OwnVisit): string | undefined {
  const { done } = deviceWords[language]
  const name = query.get('done') ?? ''
  return Object.hasOwn(done, name) ? done[name as keyof typeof done] : undefined
}

function Pairings({ visit, pairings }: { visit: ConsoleVisit; pairings: readonly Pairing[] }) {
  if (pairings.length === 0) return <></>
  const words = deviceWords[visit.language]
  return (
    <section aria-labelledby="pairings">
      <h2 id="pairings">{words.pending}</h2>
      <ul class="rows">
        {pairings.map(({ id, state, peerName = '' }) => (
          <li>
            <a href={linkTo(visit, PAIRING_PATH, { id })} dir="auto">
              {state === 'offered' ? words.pendingOffer : words.pendingWords(peerName)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function DeviceList({ visit, devices }: { visit: ConsoleVisit; devices: Devices['devices'] }) {
  if (devices.length === 0) return <Empty icon="devices" text={deviceWords[visit.language].none} />
  return (
    <ul class="rows">
      {devices.map((device) => (
        <li class="device">
          <a class="name" href={linkTo(visit, DEVICE_PATH, { id: device.id })} dir="auto">
            {device.name}
          </a>
          <DeviceState visit={visit} device={device} />
        </li>
      ))}
    </ul>
  )
}

/** Renders the state of a device with its notes. */
export function DeviceState({ visit, device }: { visit: ConsoleVisit; device: Device }) {
  const { text, icon, tone } = stateOf(device, visit.language)
  const notes = notesOf(visit, device)
  return (
    <>
      <span class={tone === undefined ? 'state' : `state ${tone}`}>
        <IconImage name={icon} />
        {text}
      </span>
      {device.reason === undefined || device.paused ? null : (
        <span class="soft" lang="en">
          {device.reason}
        </span>
      )}
      {notes.length === 0 ? null : (
        <ul class="plain soft">
          {notes.map((note) => (
            <li>{note}</li>
          ))}
        </ul>
      )}
    </>
  )
}

async function conflictLink(visit: ConsoleVisit) {
  const words = deviceWords[visit.language]
  const { conflicts } = await loadConflicts(visit, MAX_COUNTED)
  const count = `${conflicts.length}${conflicts.length === MAX_COUNTED ? '+' : ''}`
  return (
    <p>
      <a href={linkTo(visit, CONFLICTS_PATH)}>{conflicts.length === 0 ? words.toNoConflicts : words.toConflicts(count)}</a>
    </p>
  )
}
