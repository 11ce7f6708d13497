/** Creates events that act on other accounts, and waits for their result. */
import { scopeChain } from '../../../../store/model/cmc.js'
import { Failure } from '../../../../store/model/failure.js'
import type { Context } from '../../../command.js'
import { CommandError } from '../../../framework/exit.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { failureError } from './reasons.js'
import { contentOf } from '../../../../server/api/consents/relations.js'

/** First polling interval, because most events are completed at once; it doubles up to MAX_POLL_MS. */
const FIRST_POLL_MS = 25
const MAX_POLL_MS = 200
const DEFAULT_TIMEOUT_MS = 10_000

/** An event to create. */
interface Trigger {
  streamId: string
  type: string
  content: Record_
}

/**
 * Creates a trigger event and waits until it is done, for `--timeout` or ten seconds.
 * @returns the event with its final state
 * @throws CommandError when it failed; 8 when it is not done in time
 */
export async function runTrigger(context: Context, client: NodeClient, as: Authority, trigger: Trigger): Promise<Record_> {
  const { out, flags, commandFor } = context
  const { streamId, type, content } = trigger
  const { event: written } = await client.call('events.create', { streamIds: [streamId], type, content }, as)
  const { id } = written
  const progress = out.progress('Waiting for the other account', undefined, (ms) => `${Math.floor(ms / 1000)} s`)
  const until = performance.now() + (flags.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  try {
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 2)) {
      const event = (await client.call('events.getOne', { id }, as)).event
      const { status, failure } = contentOf(event)
      if (status === 'completed') return event
      if (status === 'failed') throw failureError(failure)
      if (performance.now() >= until) throw stillWorking(commandFor('events', 'show', id, ...(as.user === undefined ? [] : ['--user', as.user])))
      progress.advance(pause)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  } finally {
    progress.end()
  }
}

function stillWorking(showCommand: string): CommandError {
  return new CommandError('The node is still working; the result will be stored in the event.', { exit: 8, hint: `See: ${showCommand}` })
}

/** Creates the missing streams of a scope and returns its id. */
export async function provideScope(client: NodeClient, as: Authority, scope: string): Promise<string> {
  let parentId = ':_cmc:apps'
  for (const id of scopeChain(scope)) {
    try {
      await client.call('streams.create', { id, name: id.slice(parentId.length + 1), parentId }, as)
    } catch (error) {
      if (!(error instanceof Failure) || error.id !== 'item-already-exists') throw error
    }
    parentId = id
  }
  return scope
}
