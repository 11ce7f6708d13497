/**
 * Intersects permission lists: the result allows nothing that one list refuses, for every possible stream tree. Replicas
 * may have different trees when they merge, so the tree is never consulted. Where one list names a stream and another does
 * not, the other counts as its minimum there. The result is independent of the order of the lists.
 */
import type { FeaturePermission, Level, Permission } from './access.js'
import { AUDIT_ROOT } from './auditStreams.js'
import { canonicalText } from './canonicalText.js'
import { lesser } from './grant.js'
import { allowsReading, compileScope, isReachedByStar, levelOnTag, type Scope } from './permission.js'
import { splitStorePrefix } from './slug.js'

/** Stream of the entry that is prepended to the stored permissions of every access. */
const ACCOUNT = ':_system:account'

/** Intersects permission lists; returns one of several equal lists unchanged. */
export function intersectPermissions(lists: readonly (readonly Permission[])[]): readonly Permission[] {
  const distinct = [...new Map(lists.map((list) => [canonicalText(list), list])).values()]
  const [only] = distinct
  if (only === undefined || distinct.length === 1) return only ?? []
  const scopes = limitedBySelfAudit(distinct.map((permissions) => compileScope({ id: '', type: 'shared', permissions: [...permissions] }, false)))
  return [...streamPermissions(scopes, distinct), ...tagPermissions(scopes), ...featurePermissions(scopes, distinct)]
}

/**
 * Limits levels on audit streams to reading, in scopes that do not forbid `selfAudit` while another does. There, an access has
 * exactly the level `read` on its own audit stream (docs/interface/permissions.md#features), and the result, which forbids
 * the feature, would no longer enforce that.
 */
function limitedBySelfAudit(scopes: Scope[]): Scope[] {
  const forbids = ({ features }: Scope): boolean => features.get('selfAudit') === 'forbidden'
  if (!scopes.some(forbids)) return scopes
  const limited = ([id, level]: [string, Level]): [string, Level] => [id, id.startsWith(AUDIT_ROOT) ? lesser(level, 'read') : level]
  return scopes.map((scope) => (forbids(scope) ? scope : { ...scope, levels: new Map([...scope.levels].map(limited)) }))
}

/** Returns the highest level within both; undefined if one is absent. */
const within = (a: Level | undefined, b: Level | undefined): Level =>
  a === undefined || b === undefined ? 'none' : lesser(a, b)

const lowest = (levels: readonly (Level | undefined)[]): Level => levels.reduce<Level>((min, level) => within(min, level), 'manage')

/** Lists names in code-unit order, without `*`. */
const namesIn = (maps: readonly ReadonlyMap<string, unknown>[]): string[] =>
  [...new Set(maps.flatMap((map) => [...map.keys()]))].filter((name) => name !== '*').sort()

function streamPermissions(scopes: readonly Scope[], lists: readonly (readonly Permission[])[]): Permission[] {
  const entries = new Map<string, Level>()
  const stars = scopes.map(({ levels }) => levels.get('*'))
  if (stars.every((level) => level !== undefined)) entries.set('*', lowest(stars))
  // A level without read access also hides events from tags; omitting it would expose them.
  else if (stars.some((level) => level !== undefined && !allowsReading(level))) entries.set('*', 'none')
  /** Streams that can inherit, since no inherited level exceeds these. */
  const inheriting: [id: string, least: Level][] = []
  for (const id of namesIn(scopes.map(({ levels }) => levels))) {
    const named = scopes.flatMap(({ levels }) => levels.get(id) ?? [])
    const level = lowest([...named, ...scopes.filter(({ levels }) => !levels.has(id)).map((scope) => minOn(scope, id))])
    if (level === 'none' && named.length < scopes.length && named.every(allowsReading)) inheriting.push([id, lowest(named)])
    else if (id !== ACCOUNT || lists.some(namesAccount)) entries.set(id, level)
  }
  const given = [...entries.values()]
  for (const [id, min] of inheriting) {
    if (!given.every((level) => lesser(level, min) === level)) entries.set(id, 'none')
  }
  return [...entries].map(([streamId, level]) => ({ streamId, level }))
}

const namesAccount = (list: readonly Permission[]): boolean =>
  list.some((permission) => 'streamId' in permission && permission.streamId === ACCOUNT)

/** Returns the minimum that a scope grants on an unnamed stream: any stream of the same store may be its ancestor. */
function minOn({ levels }: Scope, id: string): Level {
  const { store } = splitStorePrefix(id)
  const above = [...levels].filter(([other]) => other !== '*' && splitStorePrefix(other).store === store).map(([, level]) => level)
  return lowest([isReachedByStar(id) ? levels.get('*') : undefined, ...above])
}

function tagPermissions(scopes: readonly Scope[]): Permission[] {
  const stars = scopes.map(({ tags }) => tags.get('*'))
  const star = stars.every((level) => level !== undefined) ? lowest(stars) : 'none'
  const entries: Permission[] = star === 'none' ? [] : [{ tag: '*', level: star }]
  for (const tag of namesIn(scopes.map(({ tags }) => tags))) {
    const level = lowest(scopes.map((scope) => levelOnTag(scope, tag)))
    // With a level for all tags, no entry excludes this one.
    if (level !== 'none' || star !== 'none') entries.push({ tag, level })
  }
  return entries
}

/** Combines the prohibitions of both lists and the streams that either requires of events. */
function featurePermissions(scopes: readonly Scope[], lists: readonly (readonly Permission[])[]): Permission[] {
  const forced = [...new Set(scopes.flatMap(({ forcedStreams }) => forcedStreams))].sort()
  return namesIn(scopes.map(({ features }) => features)).flatMap((feature): FeaturePermission[] => {
    const settings = scopes.map(({ features }) => features.get(feature))
    const setting = settings.includes('forbidden') ? 'forbidden' : 'allowed'
    if (feature === 'forcedStreams' && lists.some(namesForced)) return [{ feature, setting, streams: forced }]
    return setting === 'forbidden' || settings.every((one) => one === 'allowed') ? [{ feature, setting }] : []
  })
}

const namesForced = (list: readonly Permission[]): boolean =>
  list.some((permission) => 'feature' in permission && permission.feature === 'forcedStreams' && permission.streams !== undefined)
