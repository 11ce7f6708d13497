import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { createYielder, type Yielder } from '../../../store/engine/yield.js'
import { shownLatest, type LatestInStream, type StreamCountDeps, type StreamCounts } from '../../../store/events/streamCounts.js'
import { latestEvent, sumStreams, type ExclusionOf, type ForestStream, type StreamStats } from '../../../store/events/streamStats.js'
import { isDelegationStream } from '../../../store/model/delegation.js'
import { recordStreamIds } from '../../../store/model/eventRecord.js'
import { Failure } from '../../../store/model/failure.js'
import { isInternal, mayRead } from '../../../store/model/permission.js'
import { isSecretsStream } from '../../../store/model/sharedSecret.js'
import { createExpansion } from '../../../store/model/streamsExpansion.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { RawJson } from '../../call/results.js'
import { accountStreamsOf } from '../shared/accountStreams.js'
import type { QueryCacheDeps } from '../events/queryCache.js'

/** Maximum time in milliseconds for which other calls wait for this one. */
const SLICE_MS = 5
/** Streams between two checks of the clock. */
const STEP = 100

const Summary = z.object({
  id: z.string().describe('Id of the stream.'),
  events: z.int().describe('Number of events in the stream itself, without trashed ones.'),
  trashed: z.int().describe('Number of trashed events in the stream itself.'),
  total: z.int().describe('Number of events in the stream and below it, each counted once, without trashed ones.'),
  last: z.object({
    id: z.string().describe('Id of the event.'),
    type: z.string().describe('Event type.'),
    time: z.number().describe('Time, in seconds since 1970.'),
    content: z.unknown().optional().describe('Content, if it has at most 200 characters as JSON.'),
  }).optional().describe('The latest event in the stream itself that is not trashed; absent for none.'),
})

type Input = z.output<typeof Input>

const Input = z.strictObject({
  parentId: z.string().optional().describe('Only the streams below this one; default: all.'),
  state: z.enum(['default', 'all']).optional().describe('default or all; default leaves out trashed streams.'),
  auth: z.string().optional(),
})

/** The method streams.summary (docs/interface/streams.md#summaries). */
export const summary = method({
  id: 'streams.summary',
  summary: 'Counts the events of streams, and returns the latest event of each.',
  http: { verb: 'GET', path: '/streams/summary' },
  caller: anyAccess,
  input: Input,
  output: () => z.object({ streams: z.array(Summary).describe('The streams whose events the access may read, parents first.') }),
  fails: ['invalid-parameters-format', 'unknown-referenced-resource', 'forbidden'],
  async run(call: Call<QueryCacheDeps & StreamCountDeps>, input): Promise<Result> {
    const { account, node, caller } = call
    const { id, modified } = caller.access
    const { version } = account
    const query = `streams.summary/${id}/${modified}/${JSON.stringify([input.parentId ?? null, input.state ?? 'default'])}`
    const [known] = node.queryCache.get(account, query, version)?.lists ?? []
    if (known !== undefined) return { streams: new RawJson(known.joined) }
    const { joined, count } = await summarised(call, input)
    if (version === account.version) node.queryCache.put(account, query, version, { lists: [{ joined, count }], scope: '' })
    return { streams: new RawJson(joined) }
  },
})

/** Returns the summaries as JSON text. */
async function summarised(call: Call<StreamCountDeps>, input: Input): Promise<{ joined: string; count: number }> {
  const { account, node } = call
  const pause = createYielder(SLICE_MS, call.origin.reader?.assertConnected)
  assertParent(call, input)
  // The first count of an account may take seconds, during which streams may move.
  await node.streamCounts.of(account)
  const forest = await forestOf(call, input, pause)
  const counts = await node.streamCounts.of(account, forest.map(({ id }) => id))
  const exclusionOf = exclusionsOf(call, input)
  const sums = sumStreams(forest, counts.sets.values(), exclusionOf)
  const texts: string[] = []
  for (const [place, { id }] of forest.entries()) {
    texts.push(await summaryText(account, id, sums[place], counts, exclusionOf, pause))
    if (place % STEP === 0) await paused(pause)
  }
  return { joined: `[${texts.join(',')}]`, count: texts.length }
}

async function paused(pause: Yielder): Promise<void> {
  const pausing = pause()
  if (pausing !== undefined) await pausing
}

/** @throws Failure `unknown-referenced-resource`, or `forbidden` for accesses that need not know the stream */
function assertParent({ account, caller }: Call, { parentId }: Input): void {
  if (parentId == null || parentId === '*') return
  if (account.tree.has(parentId) && !isInternal(parentId) && mayRead(caller.scope, parentId, account.tree)) return
  if (!caller.scope.personal) throw new Failure('forbidden')
  throw new Failure('unknown-referenced-resource', `Unknown stream "${parentId}".`, { parentId })
}

/** Streams that events.get never searches by name in the events of the account. */
const isOutside = (id: string): boolean => isInternal(id) || isDelegationStream(id) || isSecretsStream(id)

/** Returns the streams whose events the access may read, parents first; each with its nearest readable ancestor. */
async function forestOf({ account, caller }: Call, { parentId, state }: Input, pause: Yielder): Promise<ForestStream[]> {
  const { tree } = account
  const top = parentId == null || parentId === '*' ? null : parentId
  const forest: ForestStream[] = []
  if (top !== null && state !== 'all' && !tree.isVisible(top)) return forest
  const pending: { id: string; parent?: number }[] = []
  const push = (id: string | null, parent?: number): void => {
    const children = tree.childrenOf(id).filter((stream) => (stream.trashed !== true || state === 'all') && !isOutside(stream.id))
    for (const child of children.reverse()) pending.push({ id: child.id, ...(parent === undefined ? {} : { parent }) })
  }
  push(top)
  for (let next = pending.pop(), seen = 0; next !== undefined; next = pending.pop(), seen++) {
    let { parent } = next
    if (mayRead(caller.scope, next.id, tree)) {
      forest.push(next)
      parent = forest.length - 1
    }
    push(next.id, parent)
    if (seen % STEP === 0) await paused(pause)
  }
  return forest
}

/** Returns the events that events.get excludes although one of their streams is readable (docs/interface/permissions.md#read-exclusions). */
function exclusionsOf({ account, caller, node }: Call, { state }: Input): ExclusionOf {
  const { scope } = caller
  const context = { scope, tree: account.tree, state: state ?? 'default', systemStreams: accountStreamsOf(node.systemStreams) }
  const { all, not } = createExpansion(context).resolve({ any: [], all: [], not: [] })
  if (all.length === 0 && not.size === 0) return () => []
  return (streamIds) => {
    if (!all.every((set) => streamIds.some((id) => set.has(id)))) return null
    const excluding = streamIds.filter((id) => not.has(id))
    return excluding.every((id) => mayRead(scope, id, account.tree)) ? excluding : null
  }
}

/** Returns the summary of a stream as JSON text. */
async function summaryText(
  account: Account,
  id: string,
  sums: StreamStats | undefined,
  counts: StreamCounts,
  exclusionOf: ExclusionOf,
  pause: Yielder,
): Promise<string> {
  const { own, total } = sums ?? { own: { live: 0, trashed: 0 }, total: { live: 0 } }
  let last = own.live === 0 ? undefined : counts.latest.get(id)
  const isShown = (streamIds: readonly string[]): boolean => exclusionOf(streamIds)?.every((other) => other === id) === true
  if (last !== undefined && !isShown(last.streamIds)) last = await latestShown(account, id, isShown, pause)
  const text = `{"id":${JSON.stringify(id)},"events":${own.live},"trashed":${own.trashed},"total":${total.live}`
  return last === undefined ? `${text}}` : `${text},"last":${latestText(last)}}`
}

/** Reads the latest event of a stream that the access may read. */
async function latestShown(
  account: Account,
  stream: string,
  isShown: (streamIds: readonly string[]) => boolean,
  pause: Yielder,
): Promise<LatestInStream | undefined> {
  const accepts = (record: string): boolean => isShown(recordStreamIds(record))
  const snapshot = account.db.snapshot()
  try {
    const found = await latestEvent(account, stream, { max: 1, trashed: false, accepts }, snapshot, pause)
    return found === undefined ? undefined : shownLatest(found.record)
  } finally {
    await snapshot.close()
  }
}

const latestText = ({ id, type, time, content }: LatestInStream): string =>
  `{"id":${JSON.stringify(id)},"type":"${type}","time":${time}${content === undefined ? '' : `,"content":${content}`}}`
