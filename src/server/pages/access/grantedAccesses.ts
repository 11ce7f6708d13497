/** Who has access to an account, as its owner's page tells it: apps and shared accesses, and sessions of trusted apps. */
import { sessionExpiry } from '../../../store/accesses/accesses.js'
import { parseAccessId, type Access, type Permission } from '../../../store/model/access.js'
import { delegateOf, isManaged, markerOf, type Identity } from '../../../store/model/delegation.js'
import type { ClientData } from '../../../store/model/event.js'
import { PAGES_APP } from '../../apiEndpoint.js'
import { inLanguage, permissionText, displayed } from '../../accessRequest/consentWords.js'
import { consentIdOf } from '../../accesses/dependents.js'
import { get } from '../../accesses/get.js'
import { listApps } from '../../register/appDirectory.js'
import type { Session, Visit } from '../page.js'
import { callAsOwner } from '../session.js'
import { accessWords } from './words.js'

/** An access, or a delegate; times in seconds. */
export interface GrantedAccess {
  /** As the interface names it: with the number of its changes. */
  id: string
  type: Access['type']
  /** What it is called: apps of the operator's directory by their name there. */
  title: string
  /** The id of an app whose title is another. */
  appId?: string
  device?: string
  permissions: readonly Permission[]
  created: number
  lastUsed?: number
  expires?: number
  isExpired: boolean
  /** Whose session this page is shown in. */
  isOwn: boolean
  /** By whose right it is there, when not by the owner's. */
  delegate?: string
  /** Whether it is the delegate's own, rather than what was given by one. */
  isDelegation: boolean
  /** What the app that made it is called. */
  manager?: string
  /** What it calls its own: goes with it. Those that have expired stay. */
  shares: readonly GrantedAccess[]
  /** What was given with it by one OAuth consent, and ends with it. */
  together: readonly GrantedAccess[]
}

export interface GrantedAccesses {
  /** Apps, shared accesses and delegates, expired ones last. */
  accesses: GrantedAccess[]
  /** Personal accesses whose session is alive; the latest used first. */
  sessions: GrantedAccess[]
}

interface Seen {
  id: string
  type: Access['type']
  name: string
  deviceName?: string | null
  permissions?: Permission[]
  created: number
  createdBy: string
  lastUsed?: number
  expires?: number
  clientData?: ClientData
}

const MAX_SHOWN = 80

/** A text that somebody chose, without what could disguise it, and not longer than a line or two. */
export function clipped(text: string): string {
  // Names may be as long as a request; what is shown of them is not read to its end.
  const plain = [...displayed(text.slice(0, 10 * MAX_SHOWN))]
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN).join('')}…` : plain.join('')
}

/** Everything that the owner has given, or somebody in the owner's name. */
export async function grantedAccesses(visit: Visit & { session: Session }): Promise<GrantedAccesses> {
  const { node, session, language } = visit
  const { db, prefix } = session.account
  const now = node.clock.now()
  const answer = await callAsOwner(visit, session, get, { includeExpired: true })
  const directory = new Map((await listApps(node)).map((app) => [app.id, inLanguage(app.displayName, language)]))
  const given: (GrantedAccess & { shares: GrantedAccess[]; together: GrantedAccess[] })[] = []
  const apps = new Map<string, GrantedAccess & { shares: GrantedAccess[] }>()
  const seen = answer['accesses'] as Seen[]
  for (const each of seen) {
    const { id, type, name, deviceName, permissions = [], created, lastUsed, expires } = each
    const delegate = delegateOf(each)
    const isDelegation = isManaged(each)
    const { base } = parseAccessId(id)
    const listed = type === 'shared' ? undefined : directory.get(name)
    const isPages = type === 'personal' && name === PAGES_APP
    const one: GrantedAccess & { shares: GrantedAccess[]; together: GrantedAccess[] } = {
      id,
      type,
      title: isPages ? accessWords[language].pages : clipped(isDelegation ? nameOf(delegate) : (listed ?? name)),
      ...(delegate === undefined ? {} : { delegate: clipped(nameOf(delegate)) }),
      isDelegation,
      ...(listed === undefined || listed === name ? {} : { appId: clipped(name) }),
      ...(deviceName === undefined || deviceName === null ? {} : { device: clipped(deviceName) }),
      permissions,
      created,
      ...(lastUsed === undefined ? {} : { lastUsed }),
      ...(expires === undefined ? {} : { expires }),
      isExpired: expires !== undefined && expires <= now,
      isOwn: base === session.caller.access.id,
      shares: [],
      together: [],
    }
    given.push(one)
    if (type === 'app') apps.set(base, one)
  }
  // Of the accesses by which a delegation works, one stands for the delegate.
  const isShown = (_: GrantedAccess, at: number): boolean => {
    const one = seen[at]
    return one === undefined || !isManaged(one) || markerOf(one)?.kind === 'control'
  }
  for (const [at, one] of given.entries()) {
    // What follows a blank was said by the caller.
    const maker = parseAccessId(seen[at]?.createdBy.split(' ')[0] ?? '').base
    const manager = one.type === 'shared' ? apps.get(maker) : undefined
    if (manager === undefined) continue
    one.manager = manager.title
    if (!one.isExpired) manager.shares.push(one)
  }
  const byConsent = new Map<string, (GrantedAccess & { together: GrantedAccess[] })[]>()
  for (const [at, one] of given.entries()) {
    const consent = consentIdOf({ id: parseAccessId(one.id).base, clientData: seen[at]?.clientData ?? {} })
    if (consent === undefined || one.isExpired) continue
    const others = byConsent.get(consent) ?? []
    for (const other of others) {
      other.together.push(one)
      one.together.push(other)
    }
    byConsent.set(consent, [...others, one])
  }
  const isAlive = ({ id }: GrantedAccess): boolean => (sessionExpiry(db, prefix, parseAccessId(id).base) ?? 0) > now
  const listed = given.filter(isShown)
  return {
    accesses: listed.filter(({ type }) => type !== 'personal').sort((a, b) => Number(a.isExpired) - Number(b.isExpired)),
    sessions: listed
      .filter((one) => one.type === 'personal' && isAlive(one))
      .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || (b.lastUsed ?? b.created) - (a.lastUsed ?? a.created)),
  }
}

const nameOf = (delegate: Identity | undefined): string =>
  delegate === undefined ? '' : `${delegate.username} (${delegate.hostSlug})`

/** The access of an id, whatever version it names. */
export function grantedAccess({ accesses, sessions }: GrantedAccesses, id: string): GrantedAccess | undefined {
  const { base } = parseAccessId(id)
  return [...accesses, ...sessions].find((one) => parseAccessId(one.id).base === base)
}

/** What an access may do, one line for each permission; with the id of a stream that is called otherwise. */
export function mayLines(visit: Visit & { session: Session }, permissions: readonly Permission[]): { text: string; streamId?: string }[] {
  return permissions.map((permission) => {
    if (!('streamId' in permission)) return { text: permissionText(permission, undefined, visit.language) }
    const { streamId } = permission
    const name = streamName(visit, streamId)
    const text = permissionText(permission, clipped(name), visit.language)
    return { text, ...(name === streamId ? {} : { streamId: clipped(streamId) }) }
  })
}

/** The name of a stream, or its id when there is none. */
export function streamName({ node, session }: Visit & { session: Session }, id: string): string {
  return session.account.tree.get(id)?.name ?? node.systemStreams.view(id)?.name ?? id
}
