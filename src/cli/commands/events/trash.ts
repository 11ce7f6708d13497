import { command } from '../../command.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { text } from '../../framework/option.js'
import { assertNotAccountField, trashEvent } from './fields.js'

/** `coffer events trash`. */
export const trash = command({
  path: ['events', 'trash'],
  summary: 'Move an event to the trash',
  description: 'Hides the event without deleting it. Restore it with coffer events update --restore.',
  arguments: { id: text('Event id', { required: true, names: 'event' }) },
  options: { ...actingAs },
  examples: [{ type: 'coffer events trash ckq2v8x0a0000abcd1234efgh', description: 'hide an event' }],
  json: '{"event":{…}}',
  offline: true,
  async run({ out, connect }, { id, user, access }) {
    assertNotAccountField(id)
    const client = await connect()
    const answer = await trashEvent(client, await authorityHolding(client, { user, access }, { kind: 'event', id }), id)
    await out.result(answer, { id, print: () => out.done(`Event ${id} moved to the trash`) })
  },
})
