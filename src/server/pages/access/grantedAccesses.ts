/** Lists the accesses of an account for its owner's page: apps, shared accesses and the sessions of trusted apps. */
import { sessionExpiry } from '../../../store/accesses/accesses.js'
import { parseAccessId, type Access, type Permission } from '../../../store/model/access.js'
import { capabilityOf, isCounterparty, sessionConsentOf } from '../../../store/model/consentAccess.js'
import { delegateOf, isManaged, markerOf, type Identity } from '../../../store/model/delegation.js'
import type { ClientData } from '../../../store/model/event.js'
import { PAGES_APP } from '../../config/apiEndpoint.js'
import { inLanguage, permissionText, sanitiseText } from '../../api/accessRequests/consentWords.js'
import { consentIdOf } from '../../api/accesses/dependents.js'
import { get } from '../../api/accesses/get.js'
import { listApps } from '../../api/register/appDirectory.js'
import type { Visit } from '../page.js'
import type { Session } from '../flow.js'
import { callAsOwner } from '../session.js'
import { accessWords } from './words.js'

/**
 * Kind of an access for people. `consent` lets another account in by a consent, `client` is a session of an OAuth client, `offer`
 * opens a request for consent, `delegate` is a delegation.
 */
type GrantKind = 'link' | 'app' | 'client' | 'consent' | 'offer' | 'delegate' | 'session'

/** An access, or a delegate; times in seconds. */
export interface GrantedAccess {
  /** Access id as in the API, with its version number. */
  id: string
  kind: GrantKind
  type: Access['type']
  /** Name to show: that of the operator's directory for listed apps, else the access name. */
  title: string
  /** The app id when the title is another name. */
  appId?: string
  device?: string
  permissions: readonly Permission[]
  created: number
  /** Time of the last change, if there was one. */
  modified?: number
  lastUsed?: number
  expires?: number
  isExpired: boolean
  /** Note of the owner to the reader of a link. */
  note?: string
  /** True for the session that shows this page. */
  isOwn: boolean
  /** The delegate who gave the access, when the owner did not. */
  delegate?: string
  /** True for a delegation itself; false for an access that a delegate gave. */
  isDelegation: boolean
  /** Name of the app that created the access. */
  manager?: string
  /** Accesses created by this one, revoked with it. Expired ones are not revoked. */
  shares: readonly GrantedAccess[]
  /** Accesses of the same OAuth consent, revoked with this one. */
  together: readonly GrantedAccess[]
}

interface GrantedAccesses {
  /** Apps, shared accesses and delegates, expired ones last. */
  accesses: GrantedAccess[]
  /** Personal accesses with a live session; the latest used first. */
  sessions: GrantedAccess[]
}

interface AccessView {
  id: string
  type: Access['type']
  name: string
  deviceName?: string | null
  permissions?: Permission[]
  created: number
  createdBy: string
  modified: number
  lastUsed?: number
  expires?: number
  clientData?: ClientData
}

const MAX_SHOWN = 80

/** Returns a text without characters that could disguise it, cut to 80 characters. */
function clip(text: string): string {
  // Names can be as long as a request, so only the start is processed.
  const plain = [...sanitiseText(text.slice(0, 10 * MAX_SHOWN))]
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN).join('')}…` : plain.join('')
}

/** Loads all accesses to the account, given by the owner or by delegates. */
export async function grantedAccesses(visit: Visit & { session: Session }): Promise<GrantedAccesses> {
  const { node, session, language } = visit
  const { db, prefix } = session.account
  const now = node.clock.now()
  const answer = await callAsOwner(visit, session, get, { includeExpired: true })
  const directory = new Map((await listApps(node)).map((app) => [app.id, inLanguage(app.displayName, language)]))
  const granted: (GrantedAccess & { shares: GrantedAccess[]; together: GrantedAccess[] })[] = []
  const apps = new Map<string, GrantedAccess & { shares: GrantedAccess[] }>()
  const views = answer['accesses'] as AccessView[]
  for (const each of views) {
    const { id, type, name, deviceName, permissions = [], created, modified, lastUsed, expires } = each
    const note = noteOf(each)
    const delegate = delegateOf(each)
    const isDelegation = isManaged(each)
    const { base } = parseAccessId(id)
    const listed = type === 'shared' ? undefined : directory.get(name)
    const isPages = type === 'personal' && name === PAGES_APP
    const entry: GrantedAccess & { shares: GrantedAccess[]; together: GrantedAccess[] } = {
      id,
      kind: kindOf(each),
      type,
      title: isPages ? accessWords[language].pages : clip(isDelegation ? nameOf(delegate) : (listed ?? name)),
      ...(delegate === undefined ? {} : { delegate: clip(nameOf(delegate)) }),
      isDelegation,
      ...(listed === undefined || listed === name ? {} : { appId: clip(name) }),
      ...(deviceName === undefined || deviceName === null ? {} : { device: clip(deviceName) }),
      permissions,
      created,
      ...(modified > created ? { modified } : {}),
      ...(note === undefined ? {} : { note }),
      ...(lastUsed === undefined ? {} : { lastUsed }),
      ...(expires === undefined ? {} : { expires }),
      isExpired: expires !== undefined && expires <= now,
      isOwn: base === session.caller.access.id,
      shares: [],
      together: [],
    }
    granted.push(entry)
    if (type === 'app') apps.set(base, entry)
  }
  // A delegation works through several accesses; show only one of them.
  const isShown = (_: GrantedAccess, at: number): boolean => {
    const entry = views[at]
    return entry === undefined || !isManaged(entry) || markerOf(entry)?.kind === 'control'
  }
  for (const [at, entry] of granted.entries()) {
    // `createdBy` is an access id, and after a space a text that the caller chose.
    const creator = parseAccessId(views[at]?.createdBy.split(' ')[0] ?? '').base
    const manager = entry.type === 'shared' ? apps.get(creator) : undefined
    if (manager === undefined) continue
    entry.manager = manager.title
    if (!entry.isExpired) manager.shares.push(entry)
  }
  const byConsent = new Map<string, (GrantedAccess & { together: GrantedAccess[] })[]>()
  for (const [at, entry] of granted.entries()) {
    const consent = consentIdOf({ id: parseAccessId(entry.id).base, clientData: views[at]?.clientData ?? {} })
    if (consent === undefined || entry.isExpired) continue
    const others = byConsent.get(consent) ?? []
    for (const other of others) {
      other.together.push(entry)
      entry.together.push(other)
    }
    byConsent.set(consent, [...others, entry])
  }
  const isAlive = ({ id }: GrantedAccess): boolean => (sessionExpiry(db, prefix, parseAccessId(id).base) ?? 0) > now
  const listed = granted.filter(isShown)
  return {
    accesses: listed.filter(({ type }) => type !== 'personal').sort((a, b) => Number(a.isExpired) - Number(b.isExpired)),
    sessions: listed
      .filter((entry) => entry.type === 'personal' && isAlive(entry))
      .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || (b.lastUsed ?? b.created) - (a.lastUsed ?? a.created)),
  }
}

function kindOf(access: AccessView): GrantKind {
  const marked = { clientData: access.clientData ?? {} }
  if (isManaged(marked)) return 'delegate'
  if (access.type === 'personal') return 'session'
  if (capabilityOf(marked) !== undefined) return 'offer'
  if (isCounterparty(marked)) return 'consent'
  if (sessionConsentOf(marked) !== undefined) return 'client'
  return access.type === 'app' ? 'app' : 'link'
}

/** Maximum number of characters of a note. */
export const MAX_NOTE = 1000

/** Member of client data with the note to the reader of a link. */
export const NOTE = 'note'

/** Returns the note to the reader of a link; undefined without one. */
function noteOf({ clientData }: Pick<AccessView, 'clientData'>): string | undefined {
  const note = clientData?.[NOTE]
  return typeof note === 'string' && note !== '' ? note.slice(0, MAX_NOTE) : undefined
}

const nameOf = (delegate: Identity | undefined): string =>
  delegate === undefined ? '' : `${delegate.username} (${delegate.hostSlug})`

/** Finds the access of an id, whatever version the id names. */
export function grantedAccess({ accesses, sessions }: GrantedAccesses, id: string): GrantedAccess | undefined {
  const { base } = parseAccessId(id)
  return [...accesses, ...sessions].find((entry) => parseAccessId(entry.id).base === base)
}

/** Describes the permissions of an access, one line each; with the stream id where the name differs from it. */
export function permissionLines(visit: Visit & { session: Session }, permissions: readonly Permission[]): { text: string; streamId?: string }[] {
  return permissions.map((permission) => {
    if (!('streamId' in permission)) return { text: permissionText(permission, undefined, visit.language) }
    const { streamId } = permission
    const name = streamName(visit, streamId)
    const text = permissionText(permission, clip(name), visit.language)
    return { text, ...(name === streamId ? {} : { streamId: clip(streamId) }) }
  })
}

/** Returns the name of a stream, or its id when the stream does not exist. */
export function streamName({ node, session }: Visit & { session: Session }, id: string): string {
  return session.account.tree.get(id)?.name ?? node.systemStreams.view(id)?.name ?? id
}
