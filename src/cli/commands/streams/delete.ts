import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { confirm, confirmByName, riskOption, yesOption } from '../../terminal/input/confirm.js'
import { listOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { idsOf, streamWithBelow } from '../../client/streams.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer streams delete`. */
export const remove = command({
  path: ['streams', 'delete'],
  summary: 'Permanently delete a stream and all streams below it',
  description:
    'If they contain events, choose what to do with them: --merge-events-with-parent moves them to the parent of the stream, --delete-events deletes those that are in no other stream.\n\nDeleting a stream that is not in the trash asks for confirmation.',
  arguments: { id: text('Stream id', { required: true, names: 'stream' }) },
  options: {
    mergeEventsWithParent: flag('Move the events to the parent of the stream'),
    deleteEvents: flag('Delete the events that are in no other stream'),
    yes: yesOption('Skip the confirmation if no events are deleted'),
    acceptRisk: riskOption('lose-data'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer streams delete rate --merge-events-with-parent', description: 'keep the events, in the parent' },
    { type: 'coffer streams delete rate --delete-events --accept-risk=lose-data', description: 'for scripts' },
  ],
  json: '{"updatedEvents":[{"id","action"}],"streamDeletion":{"id"}}',
  offline: true,
  async run(context, options) {
    const { id, mergeEventsWithParent, deleteEvents } = options
    if (mergeEventsWithParent && deleteEvents) {
      throw usageError('--merge-events-with-parent and --delete-events cannot be combined')
    }
    const client = await context.connect()
    const as = await authorityOf(client, options)
    const stream = await streamWithBelow(client, as, id)
    if (mergeEventsWithParent && stream['parentId'] === null) {
      throw usageError(`Stream ${id} is a root stream without a parent`, 'Delete its events: --delete-events')
    }
    const { events } = await client.call('events.get', { streams: [id], state: 'all', limit: 1 }, as)
    const hasEvents = events.length > 0
    if (hasEvents && !mergeEventsWithParent && !deleteEvents) {
      throw usageError(
        'The stream contains events: --merge-events-with-parent or --delete-events is required',
        `List them: ${context.commandFor('events', 'list', '--stream', id, '--state', 'all')}`,
      )
    }
    await confirmDeletion(context, stream, { losesEvents: hasEvents && deleteEvents, ...options })
    if (stream['trashed'] !== true) await client.call('streams.update', { id, update: { trashed: true } }, as)
    // Without an option about events, the node rejects the call if events were added in between.
    const eventOption = mergeEventsWithParent || deleteEvents ? { mergeEventsWithParent } : {}
    const answer = await client.call('streams.delete', { id, ...eventOption }, as)
    await context.out.result(answer, { id, print: () => context.out.done(`Deleted: ${deletionSummary(answer, stream)}`) })
  },
})

async function confirmDeletion(
  { terminal }: Context,
  stream: Record_,
  { losesEvents, yes, acceptRisk }: { losesEvents: boolean; yes: boolean; acceptRisk: readonly string[] },
): Promise<void> {
  const name = textOf(stream['id'])
  const what = `${textOf(stream['name'])} (${name})${belowWords(stream)}`
  if (losesEvents) {
    const warning = `Stream ${what} will be permanently deleted, with the events that are in no other stream.`
    return confirmByName(terminal, { name, risk: 'lose-data', warning }, acceptRisk, yes)
  }
  if (stream['trashed'] === true) return
  await confirm(terminal, `Permanently delete stream ${what}?`, yes || acceptRisk.includes('lose-data'))
}

function belowWords(stream: Record_): string {
  const below = idsOf(stream).length - 1
  return below === 0 ? '' : below === 1 ? ' and the stream below it' : ` and the ${below} streams below it`
}

function deletionSummary(answer: Record_, stream: Record_): string {
  const counts = new Map<string, number>()
  for (const { action } of listOf(answer['updatedEvents'])) {
    counts.set(textOf(action), (counts.get(textOf(action)) ?? 0) + 1)
  }
  const words: Record<string, string> = {
    deleted: 'deleted with it',
    mergedToParent: 'moved to its parent',
    updatedStreamIds: 'kept in other streams',
  }
  const events = [...counts].map(([action, n]) => `${counted(n, 'event')} ${words[action] ?? action}`)
  return [`stream ${textOf(stream['name'])}${belowWords(stream)}`, ...events].join(', ')
}
