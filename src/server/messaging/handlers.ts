/** Who deals with what: one handler for each type of event that asks for something, and for each kind of task beside. */
import { Failure } from '../../store/model/failure.js'
import { invalidateLink } from './invalidateLink.js'
import type { Handler, Work } from './work.js'
import * as types from '../consent/types.js'

const triggers: Readonly<Record<string, Handler>> = {
  [types.INVALIDATE_LINK]: invalidateLink,
}

const responses: Readonly<Record<string, Handler>> = {}

const arrivals: Readonly<Record<string, Handler>> = {}

/** What is told to other accounts without an event of one's own. */
const notices: Readonly<Record<string, Handler>> = {}

/** The handler of a task. */
export function handlerOf({ task, event }: Pick<Work, 'task' | 'event'>): Handler {
  const byType = { trigger: triggers, response: responses, arrival: arrivals }
  const handler = task.kind === 'notice' ? notices[String(task.payload?.['notice'])] : byType[task.kind][event.type]
  if (handler === undefined) throw new Failure('unexpected-error', `Nobody deals with a ${task.kind} of type "${event.type}".`)
  return handler
}
