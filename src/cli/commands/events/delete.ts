import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirmByName, riskOption } from '../../terminal/input/confirm.js'
import { numberOf, textOf } from '../../client/answer.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { contentText, eventOf } from './eventText.js'
import { assertNotAccountField, trashEvent } from './fields.js'

/** `coffer events delete`. */
export const remove = command({
  path: ['events', 'delete'],
  summary: 'Permanently delete an event',
  description:
    'Erases the content of the event and its attached files; only the id stays, so that it is never reused. To hide an event without deleting it, use coffer events trash.',
  arguments: { id: text('Event id', { required: true, names: 'event' }) },
  options: {
    acceptRisk: riskOption('lose-data'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events delete ckq2v8x0a0000abcd1234efgh', description: 'confirm by typing the id' },
    { type: 'coffer events delete ckq2v8x0a0000abcd1234efgh --accept-risk=lose-data', description: 'for scripts' },
  ],
  json: '{"eventDeletion":{"id"}}',
  offline: true,
  async run({ out, connect, terminal }, { id, acceptRisk, user, access }) {
    assertNotAccountField(id)
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id })
    const event = eventOf(await client.call('events.getOne', { id }, as))
    const deleted = numberOf(event['deleted'])
    if (deleted !== undefined) throw new CommandError(`The event ${id} was deleted on ${when(deleted)}.`, { exit: 5, hint: ['List the events', 'events', 'list'] })
    const what = `${textOf(event['type'])} ${contentText(event['content']).slice(0, 60)}`.trim()
    const warning = `The event of ${when(numberOf(event['time']) ?? 0)}, ${what}, will be permanently deleted.`
    await confirmByName(terminal, { name: id, risk: 'lose-data', warning }, acceptRisk)
    if (event['trashed'] !== true) await trashEvent(client, as, id)
    const answer = await client.call('events.delete', { id }, as)
    await out.result(answer, { id, print: () => out.done(`Event ${id} deleted`) })
  },
})
