/** Actions of the page of an event: stop, trash, restore, delete, and restore an earlier version. */
import { remove } from '../../../api/events/delete.js'
import { update } from '../../../api/events/update.js'
import type { Event } from '../../../../store/model/event.js'
import type { Answer } from '../../page.js'
import { callAsOwner } from '../../session.js'
import { redirectTo, type ConsoleFormVisit } from '../consolePage.js'
import { EVENT_PATH, loadEvent, missingEvent, type LoadedEvent } from './eventData.js'

/** Shortest duration in seconds of a period that is stopped: 0 would remove its duration. */
const MIN_DURATION = 0.001

/**
 * Runs the action that the form names. An action that the event is no longer in the state for changes nothing.
 * @throws Failure of events.update and events.delete
 */
export async function runAction(submission: ConsoleFormVisit): Promise<Answer> {
  const { form, session, node } = submission
  const action = form.get('do')
  const loaded = await loadEvent(submission, form.get('id') ?? '', action === 'version')
  if (loaded === undefined) return missingEvent(submission)
  const { event } = loaded
  const change = (values: object): Promise<unknown> => callAsOwner(submission, session, update, { id: event.id, update: values })
  const shown = (done?: string): Answer => redirectTo(submission, EVENT_PATH, { id: event.id, ...(done === undefined ? {} : { done }) })
  switch (action) {
    case 'stop':
      if (event.duration !== null) return shown()
      await change({ duration: Math.max(node.clock.now() - event.time, MIN_DURATION) })
      return shown('stopped')
    case 'trash':
      await change({ trashed: true })
      return shown('trashed')
    case 'restore':
      await change({ trashed: false })
      return shown('restored')
    case 'delete':
      if (event.trashed !== true) return shown()
      await callAsOwner(submission, session, remove, { id: event.id })
      return redirectTo(submission, '/data', { state: 'trashed', done: 'event-deleted' })
    case 'version':
      return (await restoreVersion(submission, loaded, change)) ? shown('version') : shown()
    default:
      return shown()
  }
}

/** Changes an event to what it was in an earlier version. Returns false if there is no such version. */
async function restoreVersion({ form }: ConsoleFormVisit, { event, history }: LoadedEvent, change: (values: object) => Promise<unknown>): Promise<boolean> {
  const modified = Number(form.get('modified'))
  const at = Number(form.get('version'))
  // Old versions may have been removed since the page was shown.
  const version = history[at]?.modified === modified ? history[at] : history.find((one) => one.modified === modified)
  if (version === undefined) return false
  await change(valuesOf(version, event))
  return true
}

/** Returns the update that gives an event the values of a version. Its files stay. */
function valuesOf({ type, content, time, duration = 0, streamIds, description, tags, clientData = {} }: Event, now: Event): object {
  const removed = Object.keys(now.clientData ?? {}).filter((key) => !Object.hasOwn(clientData, key))
  return {
    ...(now.type.startsWith('series:') ? {} : { type, content: content ?? null }),
    time,
    duration,
    streamIds,
    description: description ?? null,
    tags,
    clientData: { ...clientData, ...Object.fromEntries(removed.map((key) => [key, null])) },
  }
}
