import { z } from 'zod'
import { streamDeletionsSince } from '../../store/streams.js'
import { Failure } from '../../store/model/failure.js'
import { mayList } from '../../store/model/permission.js'
import type { Stream, StreamView as View } from '../../store/model/stream.js'
import { ACCOUNT_ROOT } from '../../store/model/systemStreams.js'
import { method, type Call, type Result } from '../method.js'
import { StreamDeletionView, StreamView } from './schema.js'

type State = 'default' | 'all'

/** Data supplement 4.2. */
export const get = method({
  id: 'streams.get',
  summary: 'Lists the streams as a tree.',
  http: { verb: 'GET', path: '/streams' },
  query: { includeDeletionsSince: 'number' },
  input: z.strictObject({
    parentId: z.string().nullish(),
    id: z.string().nullish(),
    state: z.enum(['default', 'all']).nullish(),
    includeDeletionsSince: z.number().optional(),
    auth: z.string().optional(),
  }),
  output: z.object({ streams: z.array(StreamView), streamDeletions: z.array(StreamDeletionView).optional() }),
  fails: ['invalid-parameters-format', 'invalid-request-structure', 'unknown-referenced-resource', 'forbidden'],
  async run(call, asked) {
    const { id, parentId } = asked
    const state = asked.state ?? 'default'
    if (id != null && parentId != null) {
      throw new Failure('invalid-request-structure', 'Ask for either id or parentId, not both.')
    }
    const result: Result = { streams: listed(call, id ?? undefined, parentId ?? undefined, state) }
    if (asked.includeDeletionsSince !== undefined) {
      result['streamDeletions'] = await streamDeletionsSince(call.account, asked.includeDeletionsSince)
    }
    return result
  },
})

function listed(call: Call, id: string | undefined, parentId: string | undefined, state: State): View[] {
  if (id !== undefined) return [single(call, id, { id }, state)]
  if (parentId !== undefined && parentId !== '*') return single(call, parentId, { parentId }, state).children
  return call.caller.scope.personal ? ownRoots(call, state) : permittedRoots(call, state)
}

/** One stream that is asked for by name. */
function single(call: Call, id: string, named: Record<string, string>, state: State): View {
  const { account, caller, node } = call
  const { tree } = account
  const { scope } = caller
  const refused = scope.personal
    ? new Failure('unknown-referenced-resource', `Unknown stream "${id}".`, named)
    : new Failure('forbidden')
  if (!scope.personal && !mayList(scope, id, tree)) throw refused
  const ofAccount = node.systemStreams.view(id)
  if (ofAccount !== undefined) return asRoot(call, accountListing(call, ofAccount))
  const stream = tree.get(id)
  if (stream === undefined) throw refused
  return asRoot(call, listing(call, stream, state))
}

/** A stream at the root of an answer: of a parent that the caller may not see, it does not tell. */
function asRoot({ account, caller }: Call, view: View): View {
  const { parentId } = view
  return parentId === null || mayList(caller.scope, parentId, account.tree) ? view : { ...view, parentId: null }
}

/** An account stream without what the caller may not see below it. */
function accountListing(call: Call, view: View): View {
  const { scope } = call.caller
  if (scope.personal) return view
  const children = view.children.filter((below) => mayList(scope, below.id, call.account.tree))
  return { ...view, children: children.map((below) => accountListing(call, below)) }
}

const listing = (call: Call, stream: Stream, state: State): View => {
  const { scope } = call.caller
  const { tree } = call.account
  return scope.personal
    ? tree.view(stream, { state })
    : tree.view(stream, { state }, (below) => mayList(scope, below.id, tree))
}

function shownRoots(call: Call, state: State): Stream[] {
  const roots = call.account.tree.childrenOf(null)
  return state === 'all' ? roots : roots.filter((stream) => stream.trashed !== true)
}

function ownRoots(call: Call, state: State): View[] {
  const own = shownRoots(call, state).map((stream) => listing(call, stream, state))
  const account = call.node.systemStreams.view(ACCOUNT_ROOT)
  return account === undefined ? own : [account, ...own]
}

/** The streams that an access names, each with what is below; as roots when their parents are not to be seen. */
function permittedRoots(call: Call, state: State): View[] {
  const { account, caller, node } = call
  const { tree } = account
  const { scope } = caller
  const views: View[] = []
  for (const [id, level] of scope.levels) {
    if (level === 'none') continue
    if (id === '*') {
      const roots = shownRoots(call, state).filter((stream) => mayList(scope, stream.id, tree))
      views.push(...roots.map((stream) => listing(call, stream, state)))
      continue
    }
    const ofAccount = node.systemStreams.view(id)
    const stream = tree.get(id)
    let view: View | undefined
    if (ofAccount !== undefined) view = accountListing(call, ofAccount)
    else if (stream !== undefined && (state === 'all' || tree.isVisible(id))) view = listing(call, stream, state)
    if (view === undefined) continue
    views.push(asRoot(call, view))
  }
  return views
}
