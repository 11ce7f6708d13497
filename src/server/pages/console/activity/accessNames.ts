/** Names of the accesses in audit records, deleted ones included. */
import { accessBase } from '../../../../store/model/auditStreams.js'
import type { AccessType } from '../../../../store/model/access.js'
import { isManaged } from '../../../../store/model/delegation.js'
import type { ClientData } from '../../../../store/model/event.js'
import { inLanguage, sanitiseText } from '../../../api/accessRequests/consentWords.js'
import { get } from '../../../api/accesses/get.js'
import { listApps } from '../../../api/register/appDirectory.js'
import { PAGES_APP } from '../../../config/apiEndpoint.js'
import { callAsOwner } from '../../session.js'
import type { ConsoleVisit } from '../consolePage.js'
import { activityWords } from './words.js'

export interface NamedAccess {
  /** Base of the access id. */
  id: string
  type: AccessType
  /** Quoted name; that of the operator's directory for listed apps. */
  name: string
  /** Time of its deletion, in seconds. */
  deleted?: number
  /** True for sessions of these pages. */
  isOfPages: boolean
  isDelegation: boolean
}

export type AccessNames = ReadonlyMap<string, NamedAccess>

interface AccessItem {
  id: string
  type: AccessType
  name: string
  deleted?: number
  clientData?: ClientData
}

const MAX_NAME = 80

/** Quotes a name without characters that could disguise it; isolated, so that right-to-left names leave the sentence in order. */
export function quotedName(name: string, { language }: Pick<ConsoleVisit, 'language'>): string {
  const plain = [...sanitiseText(name.slice(0, 10 * MAX_NAME))]
  const shown = plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME).join('')}…` : plain.join('')
  return activityWords[language].quote(`\u2068${shown}\u2069`)
}

/** Lists the accesses of the shown account by the base of their ids. */
export async function accessNames(visit: ConsoleVisit): Promise<AccessNames> {
  const answer = await callAsOwner(visit, visit.session, get, { includeExpired: true, includeDeletions: true })
  const { accesses, accessDeletions = [] } = answer as { accesses: AccessItem[]; accessDeletions?: AccessItem[] }
  const directory = new Map((await listApps(visit.node)).map((app) => [app.id, inLanguage(app.displayName, visit.language)]))
  const names = new Map<string, NamedAccess>()
  for (const item of [...accessDeletions, ...accesses]) {
    const { type, name, deleted } = item
    const id = accessBase(item.id)
    const title = (type === 'shared' ? undefined : directory.get(name)) ?? name
    names.set(id, {
      id,
      type,
      name: quotedName(title, visit),
      ...(deleted === undefined ? {} : { deleted }),
      isOfPages: type === 'personal' && name === PAGES_APP,
      isDelegation: isManaged(item),
    })
  }
  return names
}
