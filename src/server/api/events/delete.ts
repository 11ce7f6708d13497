import * as z from 'zod'
import { findEvent, removeEvent, replaceEvent, type AddIntegrity } from '../../../store/events/events.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { eventIntegrity } from '../../../store/model/integrity.js'
import { mayContribute } from '../../../store/model/permission.js'
import { writeAccount } from '../../dispatch/accountWrite.js'
import { assertOwnChange } from '../consents/update.js'
import { withStableTexts } from '../../call/json/stableTexts.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { deleteSecret } from '../sharedSecrets/delete.js'
import { eventResult } from '../../auth/readToken.js'
import { assertNotRelationship, assertNotInternal } from './rules.js'
import { withIntegrity } from '../shared/integrity.js'
import { DeletionView, EventView } from './schema.js'
import { assertMayChange } from './update.js'

/**
 * The first call moves an event to the trash, the second deletes it permanently. See docs/interface/events.md#trash-and-deletion.
 */
export const remove = method({
  id: 'events.delete',
  summary: 'Moves an event to the trash; deletes a trashed one permanently.',
  http: { verb: 'DELETE', path: '/events/:id' },
  caller: anyAccess,
  input: z.strictObject({ id: z.string().describe('Id of the event.'), auth: z.string().optional() }),
  output: () => z.union([z.object({
    event: EventView.describe('The trashed event: first call.'),
  }), z.object({ eventDeletion: DeletionView.describe('The deleted event: second call.') })]),
  synchronous: true,
  fails: ['unknown-resource', 'forbidden', 'invalid-operation'],
  run(call, { id }) {
    const { node, account } = call
    const { scope } = call.caller
    if (node.systemStreams.byStream(id) !== undefined) {
      if (!scope.personal && !mayContribute(scope, id, account.tree)) throw new Failure('forbidden')
      throw new Failure('invalid-operation', 'Account fields cannot be deleted.', { streamId: id })
    }
    return withStableTexts((known) => writeAccount(call, (t) => {
      const before = findEvent(t, t.account, id)
      if (before === undefined) {
        const secret = deleteSecret(call, t, id)
        if (secret !== undefined) return secret
        assertNotRelationship(t, id)
        throw new Failure('unknown-resource', `Unknown event "${id}".`)
      }
      assertNotInternal(id, before.streamIds)
      assertMayChange(call, before)
      assertOwnChange(call, before)
      const now = node.clock.now()
      if (before.trashed === true) {
        removeEvent(t, node.store.recorder, before, now, node.config.get('versioning.deletionMode'), deletionIntegrity(node))
        return { eventDeletion: { id } }
      }
      const after: Event = { ...before, trashed: true, modified: now, modifiedBy: call.author }
      withIntegrity(call, after, known)
      return { event: eventResult(call, replaceEvent(t, node.store.recorder, before, after)) }
    }))
  },
})

/** Returns the function that adds an integrity hash to deleted events, if integrity is enabled. */
export function deletionIntegrity(node: Context): AddIntegrity {
  const { config } = node
  if (!config.get('integrity.isActive.events')) return (stored) => stored
  const algorithm = config.get('integrity.algorithm')
  return (stored) => ({ ...stored, integrity: eventIntegrity(stored, algorithm) })
}
