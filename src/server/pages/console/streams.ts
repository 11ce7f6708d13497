/** Streams of the shown account as a list, for pages that name, choose or count streams. */
import { isPeopleStream } from '../../../store/model/peopleStreams.js'
import type { StreamView } from '../../../store/model/stream.js'
import { get } from '../../api/streams/get.js'
import { readAsOwner } from '../session.js'
import type { OwnVisit } from '../page.js'

export interface ListedStream {
  id: string
  name: string
  parentId: string | null
  /** Number of streams above it. */
  depth: number
  /** True for a trashed stream and for those below it. */
  isTrashed: boolean
  /** Names from the top to the stream, joined by ` / `. */
  path: string
}

export interface StreamList {
  /** Each stream before those below it, in the order of `streams.get`. */
  ordered: readonly ListedStream[]
  byId: ReadonlyMap<string, ListedStream>
  /** Returns the path of a stream; its id if it is not in the list. */
  pathOf: (id: string) => string
}

/** Creates a condition on streams: their path contains all words of a text, or the text is their id. */
export function streamSearch(text: string): (stream: ListedStream) => boolean {
  const terms = text.toLowerCase().split(/\s+/).filter((term) => term !== '')
  return ({ path, id }) => id === text || terms.every((term) => path.toLowerCase().includes(term))
}

/** Lists by access and state, until the tree of streams of their account changes. */
const lists = new WeakMap<object, Map<string, StreamList>>()

/**
 * Lists the streams of people in the shown account.
 * @throws Failure of streams.get
 */
export async function loadStreams(visit: OwnVisit, state: 'default' | 'all' = 'default'): Promise<StreamList> {
  const { account, caller } = visit.session
  const { version } = account.tree
  const name = `${state}/${caller.access.id}/${caller.access.modified}`
  const known = lists.get(version)?.get(name)
  if (known !== undefined) return known
  const list = await readStreams(visit, state)
  if (account.tree.version === version) lists.set(version, new Map([...(lists.get(version) ?? []), [name, list]]))
  return list
}

async function readStreams(visit: OwnVisit, state: 'default' | 'all'): Promise<StreamList> {
  const { streams } = (await readAsOwner(visit, visit.session, get, { state })) as { streams: StreamView[] }
  const ordered: ListedStream[] = []
  const waiting = streams.map((stream) => ({ stream, depth: 0, above: '', isBelowTrashed: false })).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { stream, depth, above, isBelowTrashed } = next
    const { id, name, parentId, children } = stream
    if (!isPeopleStream(id)) continue
    const path = above === '' ? name : `${above} / ${name}`
    const isTrashed = isBelowTrashed || stream.trashed === true
    ordered.push({ id, name, parentId, depth, isTrashed, path })
    for (const child of [...children].reverse()) waiting.push({ stream: child, depth: depth + 1, above: path, isBelowTrashed: isTrashed })
  }
  const byId = new Map(ordered.map((stream) => [stream.id, stream]))
  return { ordered, byId, pathOf: (id) => byId.get(id)?.path ?? id }
}
