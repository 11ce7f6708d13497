/** The state of a device in words. */
import type { Language } from '../../../base/words.js'
import { sizeText } from '../../sizes.js'
import { distance } from '../../times.js'
import type { ConsoleVisit } from '../consolePage.js'
import type { Icon } from '../icons.js'
import type { Device } from './deviceData.js'
import { deviceWords } from './words.js'

interface StateText {
  text: string
  icon: Icon
  /** Colour of the text; it repeats what the text says. */
  tone?: 'good' | 'bad'
}

/** Returns the state as the comparison of both nodes established it; a pause takes precedence. */
export function stateOf({ state, paused, lastContact }: Device, language: Language): StateText {
  const { states } = deviceWords[language]
  if (paused) return { text: states.paused, icon: 'clock' }
  if (state === 'in-sync') return { text: states.inSync, icon: 'check', tone: 'good' }
  if (state === 'syncing') return { text: states.syncing, icon: 'devices' }
  if (state === 'behind') return { text: states.behind, icon: 'warning' }
  if (state === 'refused') return { text: states.refused, icon: 'warning', tone: 'bad' }
  return { text: lastContact === null ? states.never : states.offline, icon: 'warning' }
}

const countText = (count: number, language: Language): string => new Intl.NumberFormat(language).format(count)

/** Returns what the state means: comparison, last contact, and what is still to be exchanged. */
export function notesOf({ node, language }: ConsoleVisit, device: Device): string[] {
  const words = deviceWords[language]
  const { state, paused, lastContact, inSyncAt, behind, ahead, filesPending, filesPendingCount, filesPendingThere, filesMissing, filesMissingThere } = device
  const count = (value: number): string => countText(value, language)
  const ago = (time: number): string => distance(time, node.clock.now(), language)
  const isInSync = state === 'in-sync' && !paused
  const missing = Math.max(filesMissing, filesMissingThere)
  const notes = [
    ...(isInSync && inSyncAt !== undefined ? [words.compared(ago(inSyncAt))] : []),
    ...(state === 'offline' && lastContact !== null ? [words.notSince(ago(lastContact))] : []),
    ...(behind !== null && behind > 0 ? [words.receive(count(behind))] : []),
    ...(ahead !== null && ahead > 0 ? [words.send(count(ahead))] : []),
    ...(filesPendingCount > 0 ? [words.filesToReceive(count(filesPendingCount), sizeText(filesPending, language))] : []),
    ...(filesPendingThere > 0 ? [words.filesToSend(count(filesPendingThere))] : []),
    ...(missing > 0 ? [words.filesMissing(count(missing))] : []),
    ...(device.putAside > 0 ? [words.aside(count(device.putAside))] : []),
    ...(device.refused > device.putAside ? [words.refusedItems(count(device.refused - device.putAside))] : []),
    ...(device.copied === undefined ? [] : [words.copied[device.copied]]),
  ]
  return notes
}

/** Returns what the device exchanges; `nameOf` names a stream. */
export function scopeText({ scope, streams = [], direction = 'both' }: Device, language: Language, nameOf: (streamId: string) => string): string {
  const words = deviceWords[language]
  return scope === 'mirror' ? words.wholeAccount : `${streams.map(nameOf).join(', ')} (${words.directions[direction]})`
}

/** Returns when the device is connected to. */
export function scheduleText({ address, every }: Device, language: Language): string {
  const words = deviceWords[language]
  if (address === null) return words.connectsHere
  return every === null ? words.always : words.every(countText(Math.round((every / 60) * 10) / 10, language))
}
