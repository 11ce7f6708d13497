import * as z from 'zod'
import { streamDeletionsSince } from '../../../store/streams/streams.js'
import { auditStreamOfAccess, isAuditId } from '../../../store/model/auditStreams.js'
import { isDelegationStream } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { isInternal, mayList, type Scope } from '../../../store/model/permission.js'
import { isSecretsStream } from '../../../store/model/sharedSecret.js'
import type { Stream, StreamView as View } from '../../../store/model/stream.js'
import { ACCOUNT_ROOT } from '../../../store/model/systemStreams.js'
import type { Tree } from '../../../store/model/tree.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { RawJson } from '../../call/results.js'
import { accessView, auditRoot, auditView } from './audit.js'
import { secretsView } from './sharedSecrets.js'
import { StreamDeletionView, StreamView } from './schema.js'
import type { QueryCacheDeps } from '../events/queryCache.js'

type State = 'default' | 'all'

/** Route that lists streams. See docs/interface/streams.md#listing. */
export const get = method({
  id: 'streams.get',
  summary: 'Lists the streams as a tree.',
  http: { verb: 'GET', path: '/streams', query: { includeDeletionsSince: 'number' } },
  caller: anyAccess,
  input: z.strictObject({
    parentId: z.string().nullish().describe('Only the streams below this one; null or none: all.'),
    id: z.string().nullish().describe('Only this stream with those below it.'),
    state: z.enum(['default', 'all']).nullish().describe('default or all; default leaves out trashed streams.'),
    includeDeletionsSince: z.number().optional().describe('Include streams deleted after this time, in seconds since 1970.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({
    streams: z.array(StreamView).describe('Streams at the top; children within them.'),
    streamDeletions: z.array(StreamDeletionView).optional().describe('Deleted streams.'),
  }),
  fails: ['invalid-parameters-format', 'invalid-request-structure', 'unknown-referenced-resource', 'forbidden'],
  async run(call: Call<QueryCacheDeps>, input) {
    const { id, parentId } = input
    const state = input.state ?? 'default'
    if (id != null && parentId != null) {
      throw new Failure('invalid-request-structure', 'Use either id or parentId, not both.')
    }
    const result: Result = { streams: await streamsOf(call, id ?? undefined, parentId ?? undefined, state) }
    if (input.includeDeletionsSince !== undefined) {
      result['streamDeletions'] = await streamDeletionsSince(call.account, input.includeDeletionsSince, call.origin.reader?.assertConnected)
    }
    return result
  },
})

/** Returns the list as JSON text, cached per access and tree. Audit and secret streams are not part of the tree. */
async function streamsOf(
  call: Call<QueryCacheDeps>,
  id: string | undefined,
  parentId: string | undefined,
  state: State,
): Promise<RawJson> {
  const { account, node } = call
  const { id: access, modified } = call.caller.access
  const { version } = account.tree
  const query = `streams/${access}/${modified}/${JSON.stringify([id, parentId, state])}`
  const [known] = node.queryCache.get(account, query, version)?.lists ?? []
  if (known !== undefined) return new RawJson(known.joined)
  const views = await listed(call, id, parentId, state)
  const joined = JSON.stringify(views)
  const named = id ?? parentId ?? ''
  const isOfTree = !isAuditId(named) && !isSecretsStream(named)
  if (isOfTree) node.queryCache.put(account, query, version, { lists: [{ joined, count: views.length }], scope: '' })
  return new RawJson(joined)
}

async function listed(
  call: Call,
  id: string | undefined,
  parentId: string | undefined,
  state: State,
): Promise<View[]> {
  if (id !== undefined) return [await single(call, id, { id }, state)]
  // The delegation stream never has children.
  if (parentId !== undefined && isDelegationStream(parentId)) return []
  if (parentId !== undefined && parentId !== '*') return (await single(call, parentId, { parentId }, state)).children
  return call.caller.scope.personal ? ownRoots(call, state) : permittedRoots(call, state)
}

/** Returns one stream requested by name. */
async function single(call: Call, id: string, named: Record<string, string>, state: State): Promise<View> {
  const { account, caller, node } = call
  const { tree } = account
  const { scope } = caller
  const refused = scope.personal
    ? new Failure('unknown-referenced-resource', `Unknown stream "${id}".`, named)
    : new Failure('forbidden')
  if (isSecretsStream(id)) {
    const view = await secretsView(call, id)
    if (view === undefined) throw refused
    return view
  }
  if (!isListed(scope, id, tree)) throw refused
  const ofStore = isAuditId(id) ? await auditView(call, id) : node.systemStreams.view(id)
  if (ofStore !== undefined) return asRoot(call, storeListing(call, ofStore))
  const stream = tree.get(id)
  if (stream === undefined) throw refused
  return asRoot(call, listing(call, stream, state))
}

/** Returns a stream as the root of a response; hides a parent that the caller may not see. */
function asRoot({ account, caller }: Call, view: View): View {
  const { parentId } = view
  return parentId === null || mayList(caller.scope, parentId, account.tree) ? view : { ...view, parentId: null }
}

/** Returns a stream of the account or audit store, without children that the caller may not see. */
function storeListing(call: Call, view: View): View {
  const { scope } = call.caller
  if (scope.personal) return view
  const children = view.children.filter((below) => mayList(scope, below.id, call.account.tree))
  return { ...view, children: children.map((below) => storeListing(call, below)) }
}

/** Checks whether an access sees a stream; node streams only when granted by name. */
const isListed = (scope: Scope, id: string, tree: Tree): boolean =>
  isInternal(id) ? scope.levels.has(id) && mayList(scope, id, tree) : scope.personal || mayList(scope, id, tree)

const listing = (call: Call, stream: Stream, state: State): View => {
  const { scope } = call.caller
  const { tree } = call.account
  return tree.view(stream, { state }, (below) => isListed(scope, below.id, tree))
}

function shownRoots(call: Call, state: State): Stream[] {
  const roots = call.account.tree.childrenOf(null)
  return state === 'all' ? roots : roots.filter((stream) => stream.trashed !== true)
}

function ownRoots(call: Call, state: State): View[] {
  const roots = shownRoots(call, state)
  // The node's own streams precede the owner's (docs/interface/streams.md#listing).
  const areas = roots.filter(({ id }) => id.startsWith(':'))
  const own = [...areas, ...roots.filter(({ id }) => !id.startsWith(':'))].map((stream) => listing(call, stream, state))
  const { systemStreams, audit } = call.node
  const account = systemStreams.view(ACCOUNT_ROOT)
  if (account !== undefined) own.unshift(account)
  if (audit.isActive) own.unshift(auditRoot)
  return own
}

/** Returns the audit stream of a permission: nearly always that of the caller's own calls, found without a lookup. */
function auditEntry(call: Call, id: string): Promise<View | undefined> | View {
  const { id: own } = call.caller.access
  return id === auditStreamOfAccess(own) ? accessView(own) : auditView(call, id)
}

/** Lists the streams that an access names, with descendants; as roots when their parents are not visible. */
async function permittedRoots(call: Call, state: State): Promise<View[]> {
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
    const ofStore = isAuditId(id) ? await auditEntry(call, id) : node.systemStreams.view(id)
    const stream = tree.get(id)
    let view: View | undefined
    if (ofStore !== undefined) view = storeListing(call, ofStore)
    else if (stream !== undefined && (state === 'all' || tree.isVisible(id))) view = listing(call, stream, state)
    if (view === undefined) continue
    views.push(asRoot(call, view))
  }
  return views
}
