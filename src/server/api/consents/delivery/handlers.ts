/** Message handlers: one for each event type that triggers an action, and one for each kind of task. */
import { Failure } from '../../../../store/model/failure.js'
import { accept } from './accept.js'
import { chat, scopeRequest, systemMessage } from './channelMessage.js'
import { invalidateLink } from './invalidateLink.js'
import { peerRevoke } from './peerRevoke.js'
import { refuse } from './refuse.js'
import { accepted, refused } from './response.js'
import { revoke } from './revoke.js'
import { scopeUpdate } from './scopeUpdate.js'
import { notifyPeer } from './notifyPeer.js'
import type { Handler, Job } from './jobTypes.js'
import { PEER_NOTICE } from '../peerNotices.js'
import * as types from '../types.js'

const triggers: Readonly<Record<string, Handler>> = {
  [types.ACCEPT]: accept,
  [types.REFUSE]: refuse,
  [types.INVALIDATE_LINK]: invalidateLink,
  [types.CHAT]: chat,
  [types.ALERT]: systemMessage,
  [types.ACK]: systemMessage,
  [types.SCOPE_REQUEST]: scopeRequest,
  [types.SCOPE_UPDATE]: scopeUpdate,
  [types.REVOKE]: revoke,
}

const responses: Readonly<Record<string, Handler>> = {
  [types.ACCEPT]: accepted,
  [types.REFUSE]: refused,
}

const arrivals: Readonly<Record<string, Handler>> = {
  [types.REVOKE]: peerRevoke,
}

/** Handler of notices to other accounts, which have no event. */
const notices: Readonly<Record<string, Handler>> = {
  [PEER_NOTICE]: notifyPeer,
}

/** Returns the handler of a task. */
export function handlerOf({ task, event }: Pick<Job, 'task' | 'event'>): Handler {
  const byType = { trigger: triggers, response: responses, arrival: arrivals }
  const handler = task.kind === 'notice' ? notices[String(task.payload?.['notice'])] : byType[task.kind][event.type]
  if (handler === undefined) throw new Failure('unexpected-error', `No handler for a ${task.kind} of type "${event.type}".`)
  return handler
}
