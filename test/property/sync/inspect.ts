/** Content of an account as clients of a node read it, as far as it is equal on all nodes. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Failure } from '../../../src/store/model/failure.js'
import { call } from './steps.js'
import type { Machine } from './network.js'

type Json = Record<string, unknown>

export interface View {
  /** Results by request, as JSON text. */
  results: Map<string, string>
  events: Map<string, Json>
  streams: Map<string, { parentId: string | null; name: string }>
  accesses: Set<string>
  points: Set<string>
  /** SHA-256 of attached files, `<event> <name>` → digest, or the reason without bytes. */
  files: Map<string, string>
}

async function ask(machine: Machine, method: string, params: Json, access?: string): Promise<Json> {
  const answer = await call(machine, method, params, access)
  if (answer instanceof Failure) throw new Error(`n${machine.index} refuses ${method} ${JSON.stringify(params)}: ${answer.id} ${answer.message}`)
  return answer
}

const isOwn = ({ id }: Json): boolean => String(id).startsWith(':')

/** Removes fields that differ between nodes: usage of an access, and its address. */
function shared({ lastUsed: _l, calls: _c, apiEndpoint: _a, ...rest }: Json): Json {
  return rest
}

function withoutReadTokens(event: Json): Json {
  const files = event['attachments'] as Json[] | undefined
  return files === undefined ? event : { ...event, attachments: files.map(({ readToken: _, ...file }) => file) }
}

export async function viewOf(machine: Machine): Promise<View> {
  const view: View = { results: new Map(), events: new Map(), streams: new Map(), accesses: new Set(), points: new Set(), files: new Map() }
  const { results } = view
  const found = await ask(machine, 'events.get', { state: 'all', limit: 100_000, includeDeletions: true, modifiedSince: 0 })
  const events = (found['events'] as Json[]).filter((event) => !isOwn(event)).map(withoutReadTokens)
  results.set('events', JSON.stringify(events))
  results.set('event deletions', JSON.stringify(found['eventDeletions']))
  for (const event of events) view.events.set(String(event['id']), event)
  const tree = await ask(machine, 'streams.get', { state: 'all', includeDeletionsSince: 0 })
  const streams = (tree['streams'] as Json[]).filter((stream) => !isOwn(stream))
  results.set('streams', JSON.stringify(streams))
  results.set('stream deletions', JSON.stringify(tree['streamDeletions']))
  recordStreams(view, streams)
  const granted = await ask(machine, 'accesses.get', { includeExpired: true, includeDeletions: true })
  const isShared = ({ type }: Json): boolean => type !== 'personal'
  const accesses = (granted['accesses'] as Json[]).filter(isShared).map(shared)
  results.set('accesses', JSON.stringify(accesses))
  results.set('access deletions', JSON.stringify((granted['accessDeletions'] as Json[]).filter(isShared).map(shared)))
  for (const { id } of accesses) view.accesses.add(String(id).split(':')[0] as string)
  for (const id of ['public', 'private']) results.set(`profile ${id}`, JSON.stringify(await ask(machine, 'profile.get', { id })))
  for (const { id, type } of accesses) {
    if (type !== 'app') continue
    results.set(`profile of ${String(id)}`, JSON.stringify(await ask(machine, 'profile.getApp', {}, String(id).split(':')[0])))
  }
  for (const event of events) await readDetails(machine, view, event)
  return view
}

function recordStreams(view: View, streams: readonly Json[]): void {
  for (const stream of streams) {
    const { id, name, parentId, children } = stream as { id: string; name: string; parentId: string | null; children: Json[] }
    view.streams.set(id, { name, parentId })
    recordStreams(view, children)
  }
}

async function readDetails(machine: Machine, view: View, event: Json): Promise<void> {
  const id = String(event['id'])
  if (String(event['type']).startsWith('series:')) {
    const series = await ask(machine, 'series.get', { id, toDeltaTime: 1e6 })
    view.results.set(`series ${id}`, JSON.stringify(series))
    for (const [deltaTime] of series['points'] as number[][]) view.points.add(`${id} ${deltaTime}`)
  }
  for (const { id: fileId, fileName } of (event['attachments'] ?? []) as Json[]) {
    const answer = await call(machine, 'events.getAttachment', { id, fileId })
    const path = answer instanceof Failure ? undefined : String((answer['file'] as Json)['path'])
    const bytes = path === undefined ? String(answer) : createHash('sha256').update(readFileSync(path)).digest('hex')
    view.files.set(`${id} ${String(fileName)}`, bytes)
  }
}

/** Returns the faults of a tree of streams. */
export function faultsOfTree(streams: View['streams']): string[] {
  const faults: string[] = []
  const names = new Set<string>()
  for (const [id, { name, parentId }] of streams) {
    if (parentId !== null && !streams.has(parentId)) faults.push(`stream ${id} is below ${parentId}, which does not exist`)
    const path = `${parentId ?? ''}/${name}`
    if (names.has(path)) faults.push(`two streams are named ${name} in ${parentId}`)
    names.add(path)
    const above = new Set([id])
    for (let up = parentId; up !== null && !faults.length; up = streams.get(up)?.parentId ?? null) {
      if (above.has(up)) faults.push(`stream ${id} is below itself`)
      above.add(up)
    }
  }
  return faults
}
