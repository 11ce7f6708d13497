/**
 * Collects what needs the attention of the owner of an account: links that end, stopped webhooks, invitations to act for another account,
 * devices that are not in sync, an old backup.
 */
import type * as z from 'zod'
import { listControlled } from '../../../api/delegations/listControlled.js'
import type { ControlledView } from '../../../api/delegations/rules.js'
import { get as listDevices } from '../../../api/devices/get.js'
import type { Language } from '../../../base/words.js'
import { backupState } from '../../../maintenance/latestBackup.js'
import type { PeerView } from '../../../sync/views.js'
import { get as listWebhooks } from '../../../webhooks/get.js'
import type { WebhookView } from '../../../webhooks/schema.js'
import type { GrantedAccess } from '../../access/grantedAccesses.js'
import type { OwnVisit } from '../../page.js'
import { readAsOwner } from '../../session.js'
import type { Icon } from '../icons.js'
import { overviewWords } from './words.js'

type Device = Pick<z.output<typeof PeerView>, 'name' | 'state' | 'paused' | 'lastContact'>

/** Something that needs attention, and the page on which it is settled. */
export interface Need {
  icon: Icon
  text: string
  /** Time that it concerns, in seconds. */
  at?: number
  path: string
  parameters?: Readonly<Record<string, string>>
}

const DAY = 86_400
/** Links that end within this time need attention. */
const SOON = 7 * DAY
/** Links that ended within this time are still mentioned. */
const RECENTLY = 2 * DAY
/** A device that was not reached for this time needs attention. */
const AWAY = DAY
/** Kinds of accesses whose end is the owner's concern; sessions and requests for consent end by themselves. */
const ENDING: readonly GrantedAccess['kind'][] = ['link', 'app', 'client', 'consent']
/** Maximum number of things of one kind that are listed. */
const MAX_OF_KIND = 5

/** Returns what needs attention, the most urgent first. */
export async function needsOf(visit: OwnVisit, accesses: readonly GrantedAccess[]): Promise<Need[]> {
  const { devices } = (await readAsOwner(visit, visit.session, listDevices, {})) as { devices: Device[] }
  return [
    ...(await invitations(visit)),
    ...(await stoppedWebhooks(visit, accesses)),
    ...needsOfDevices(devices, visit.node.clock.now(), visit.language),
    ...(await oldBackup(visit)),
    ...endingLinks(visit, accesses),
  ]
}

async function invitations(visit: OwnVisit): Promise<Need[]> {
  if (!visit.node.config.get('delegation.active')) return []
  const words = overviewWords[visit.language]
  const { controlled } = (await readAsOwner(visit, visit.session, listControlled, {})) as { controlled: z.output<typeof ControlledView>[] }
  return controlled
    .filter(({ status }) => status === 'invite')
    .slice(0, MAX_OF_KIND)
    .map(({ controlled: { username } }) => ({ icon: 'people', text: words.invitation(username), path: '/access/delegations' }))
}

async function stoppedWebhooks(visit: OwnVisit, accesses: readonly GrantedAccess[]): Promise<Need[]> {
  const words = overviewWords[visit.language]
  const { webhooks } = (await readAsOwner(visit, visit.session, listWebhooks, {})) as { webhooks: z.output<typeof WebhookView>[] }
  const names = new Map(accesses.map(({ id, title }) => [id, title]))
  return webhooks
    .filter(({ state }) => state === 'inactive')
    .slice(0, MAX_OF_KIND)
    .map(({ url, accessId }) => ({
      icon: 'devices',
      text: words.stoppedWebhook(URL.canParse(url) ? new URL(url).host : url, names.get(accessId) ?? accessId),
      path: '/access/one',
      parameters: { id: accessId },
    }))
}

/** Returns the devices that refuse the exchange, are behind, or were not reached for a day. Paused ones wait on purpose. */
export function needsOfDevices(devices: readonly Device[], now: number, language: Language): Need[] {
  const words = overviewWords[language]
  const needs = devices.flatMap(({ name, state, paused, lastContact }): Need[] => {
    const need = { icon: 'devices', path: '/devices' } as const
    if (paused) return []
    if (state === 'refused') return [{ ...need, text: words.deviceRefused(name) }]
    if (state === 'behind') return [{ ...need, text: words.deviceBehind(name) }]
    if (state === 'offline' && lastContact !== null && now - lastContact > AWAY) return [{ ...need, text: words.deviceAway(name), at: lastContact }]
    return []
  })
  return needs.slice(0, MAX_OF_KIND)
}

async function oldBackup({ node, language }: OwnVisit): Promise<Need[]> {
  const { isLate, latest } = await backupState(node)
  if (!isLate) return []
  const words = overviewWords[language]
  return [{ icon: 'warning', path: '/settings', ...(latest === undefined ? { text: words.noBackup } : { text: words.oldBackup, at: latest }) }]
}

function endingLinks({ node, language }: OwnVisit, accesses: readonly GrantedAccess[]): Need[] {
  const words = overviewWords[language]
  const now = node.clock.now()
  return accesses
    .flatMap(({ id, kind, title, expires }) => (expires === undefined || !ENDING.includes(kind) ? [] : [{ id, title, expires }]))
    .filter(({ expires }) => expires > now - RECENTLY && expires < now + SOON)
    .sort((a, b) => a.expires - b.expires)
    .slice(0, MAX_OF_KIND)
    .map(({ id, title, expires }) => ({
      icon: 'clock',
      text: expires <= now ? words.linkEnded(title) : words.linkEnds(title),
      at: expires,
      path: '/access/one',
      parameters: { id },
    }))
}
