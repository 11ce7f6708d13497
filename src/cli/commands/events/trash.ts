import { command } from '../../command.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { text } from '../../framework/option.js'
import { assertNotAccountField, trashEvent } from './fields.js'

/** `coffer events trash`. */
export const trash = command({
  path: ['events', 'trash'],
  summary: 'Put an event in the trash',
  description: 'It is hidden and nothing is lost. coffer events update --restore takes it out.',
  arguments: { id: text('The event', { required: true, names: 'event' }) },
  options: { ...actingAs },
  examples: [{ type: 'coffer events trash ckq2v8x0a0000abcd1234efgh', says: 'hide it' }],
  json: '{"event":{…}}',
  offline: true,
  async run({ out, connect }, { id, user, access }) {
    assertNotAccountField(id)
    const client = await connect()
    const answer = await trashEvent(client, await authorityOf(client, { user, access }), id)
    await out.result(answer, { id, print: () => out.done(`Event ${id} is in the trash`) })
  },
})
