/** What clients of a node see of an account, as far as it is the same on all nodes. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Failure } from '../../../src/store/model/failure.js'
import { call } from './steps.js'
import type { Place } from './world.js'

type Json = Record<string, unknown>

export interface View {
  /** Answers by what was asked for, as JSON text. */
  answers: Map<string, string>
  events: Map<string, Json>
  streams: Map<string, { parentId: string | null; name: string }>
  accesses: Set<string>
  points: Set<string>
  /** SHA-256 of attached files, `<event> <name>` → digest, or why there are no bytes. */
  files: Map<string, string>
}

async function ask(place: Place, method: string, params: Json, access?: string): Promise<Json> {
  const answer = await call(place, method, params, access)
  if (answer instanceof Failure) throw new Error(`n${place.index} refuses ${method} ${JSON.stringify(params)}: ${answer.id} ${answer.message}`)
  return answer
}

const isOwn = ({ id }: Json): boolean => String(id).startsWith(':')

/** What is each node's own goes: how an access was used, and by which address it is reached. */
function shared({ lastUsed: _l, calls: _c, apiEndpoint: _a, ...rest }: Json): Json {
  return rest
}

function withoutReadTokens(event: Json): Json {
  const files = event['attachments'] as Json[] | undefined
  return files === undefined ? event : { ...event, attachments: files.map(({ readToken: _, ...file }) => file) }
}

export async function viewOf(place: Place): Promise<View> {
  const view: View = { answers: new Map(), events: new Map(), streams: new Map(), accesses: new Set(), points: new Set(), files: new Map() }
  const { answers } = view
  const found = await ask(place, 'events.get', { state: 'all', limit: 100_000, includeDeletions: true, modifiedSince: 0 })
  const events = (found['events'] as Json[]).filter((event) => !isOwn(event)).map(withoutReadTokens)
  answers.set('events', JSON.stringify(events))
  answers.set('event deletions', JSON.stringify(found['eventDeletions']))
  for (const event of events) view.events.set(String(event['id']), event)
  const tree = await ask(place, 'streams.get', { state: 'all', includeDeletionsSince: 0 })
  const streams = (tree['streams'] as Json[]).filter((stream) => !isOwn(stream))
  answers.set('streams', JSON.stringify(streams))
  answers.set('stream deletions', JSON.stringify(tree['streamDeletions']))
  note(view, streams)
  const granted = await ask(place, 'accesses.get', { includeExpired: true, includeDeletions: true })
  const isShared = ({ type }: Json): boolean => type !== 'personal'
  const accesses = (granted['accesses'] as Json[]).filter(isShared).map(shared)
  answers.set('accesses', JSON.stringify(accesses))
  answers.set('access deletions', JSON.stringify((granted['accessDeletions'] as Json[]).filter(isShared).map(shared)))
  for (const { id } of accesses) view.accesses.add(String(id).split(':')[0] as string)
  for (const id of ['public', 'private']) answers.set(`profile ${id}`, JSON.stringify(await ask(place, 'profile.get', { id })))
  for (const { id, type } of accesses) {
    if (type !== 'app') continue
    answers.set(`profile of ${String(id)}`, JSON.stringify(await ask(place, 'profile.getApp', {}, String(id).split(':')[0])))
  }
  for (const event of events) await look(place, view, event)
  return view
}

function note(view: View, streams: readonly Json[]): void {
  for (const stream of streams) {
    const { id, name, parentId, children } = stream as { id: string; name: string; parentId: string | null; children: Json[] }
    view.streams.set(id, { name, parentId })
    note(view, children)
  }
}

async function look(place: Place, view: View, event: Json): Promise<void> {
  const id = String(event['id'])
  if (String(event['type']).startsWith('series:')) {
    const series = await ask(place, 'series.get', { id, toDeltaTime: 1e6 })
    view.answers.set(`series ${id}`, JSON.stringify(series))
    for (const [deltaTime] of series['points'] as number[][]) view.points.add(`${id} ${deltaTime}`)
  }
  for (const { id: fileId, fileName } of (event['attachments'] ?? []) as Json[]) {
    const answer = await call(place, 'events.getAttachment', { id, fileId })
    const path = answer instanceof Failure ? undefined : String((answer['file'] as Json)['path'])
    const bytes = path === undefined ? String(answer) : createHash('sha256').update(readFileSync(path)).digest('hex')
    view.files.set(`${id} ${String(fileName)}`, bytes)
  }
}

/** What is wrong with a tree of streams. */
export function faultsOfTree(streams: View['streams']): string[] {
  const faults: string[] = []
  const names = new Set<string>()
  for (const [id, { name, parentId }] of streams) {
    if (parentId !== null && !streams.has(parentId)) faults.push(`stream ${id} lies in ${parentId}, which is not there`)
    const place = `${parentId ?? ''}/${name}`
    if (names.has(place)) faults.push(`two streams are called ${name} in ${parentId}`)
    names.add(place)
    const above = new Set([id])
    for (let up = parentId; up !== null && !faults.length; up = streams.get(up)?.parentId ?? null) {
      if (above.has(up)) faults.push(`stream ${id} lies below itself`)
      above.add(up)
    }
  }
  return faults
}
