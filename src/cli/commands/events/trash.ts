import { command } from '../../command.js'
import { accountOf, userOption } from '../../node/user.js'
import { text } from '../../option.js'
import { refuseAccountField, trashEvent } from './fields.js'

/** `coffer events trash`. */
export const trash = command({
  path: ['events', 'trash'],
  summary: 'Put an event in the trash',
  description: 'It is hidden and nothing is lost. coffer events update --restore takes it out.',
  arguments: { id: text('The event', { required: true }) },
  options: { user: userOption },
  examples: [{ type: 'coffer events trash ckq2v8x0a0000abcd1234efgh', says: 'hide it' }],
  json: '{"event":{…}}',
  offline: true,
  async run({ out, connect }, { id, user }) {
    refuseAccountField(id)
    const door = await connect()
    const answer = await trashEvent(door, await accountOf(door, user), id)
    await out.result(answer, { id, tell: () => out.done(`Event ${id} is in the trash`) })
  },
})
