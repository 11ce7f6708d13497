import { wordOrInput } from '../../terminal/input/text.js'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { attachedPaths, callWithFiles } from './files/attach.js'
import { readObject } from '../../terminal/input/jsonObject.js'
import { textOf } from '../../client/answer.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import { flag, list, text } from '../../framework/option.js'
import { eventOf } from './eventText.js'
import { eventFields, fieldsOf, isEmpty } from './fields.js'
import { assertTypesKnown } from './types.js'

/** `coffer events update`. */
export const update = command({
  path: ['events', 'update'],
  summary: 'Update an event',
  description:
    'Fields that are not given stay as they are. Changes are given by options, by a JSON object as in the API, or by both; options override the object. In JSON, null removes a field.\n\nFiles are added after the existing ones, once the other changes are made.',
  arguments: {
    id: text('Event id', { required: true, names: 'event' }),
    changes: text('Changes as a JSON object, or - for stdin', { stdin: 'dash' }),
  },
  options: {
    ...eventFields,
    attach: list('File to add', { placeholder: 'file', completes: 'file' }),
    restore: flag('Restore it from the trash'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events update ckq2v8x0a0000abcd1234efgh --content 62.7', description: 'change the content' },
    { type: `coffer events update ckq2v8x0a0000abcd1234efgh '{"description":null}'`, description: 'remove the description' },
    { type: 'coffer events update ckq2v8x0a0000abcd1234efgh --attach receipt.pdf', description: 'add a file' },
    { type: 'coffer events update ckq2v8x0a0000abcd1234efgh --restore', description: 'restore from the trash' },
  ],
  json: '{"event":{…}}',
  offline: true,
  async run(context, { id, changes, restore, attach, user, access, ...given }) {
    const { out, connect, terminal, commandFor } = context
    const base = changes === undefined ? {} : readObject('[changes]', await wordOrInput(terminal, changes, 'the changes'))
    const isUnchanged = isEmpty(base) && !restore && isEmpty(fieldsOf({ ...given, content: undefined }, undefined)) && given.content === undefined
    if (isUnchanged && attach.length === 0) {
      throw usageError('Nothing to change: no option given', 'See: coffer events update --help')
    }
    const files = attachedPaths(attach)
    const client = await connect()
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id })
    if (given.type !== undefined) {
      await assertTypesKnown(client, as, [given.type], `For a type of your own, pass the change as JSON: ${commandFor('events', 'update', id, JSON.stringify({ type: given.type }))}`)
    }
    let type = given.type ?? (typeof base['type'] === 'string' ? base['type'] : undefined)
    if (given.content !== undefined && type === undefined) {
      type = textOf(eventOf(await client.call('events.getOne', { id }, as))['type'])
    }
    const fields = fieldsOf(given, type)
    if ('streamIds' in fields) delete base['streamId']
    const changeSet = { ...base, ...fields, ...(restore ? { trashed: false } : {}) }
    const changed = isUnchanged ? {} : await client.call('events.update', { id, update: changeSet }, as)
    const undone = isUnchanged ? 'Nothing was attached' : 'The event was changed, but nothing was attached'
    const answer = files.length === 0 ? changed : await callWithFiles(context, client, { method: 'events.addAttachment', params: { id }, as, files, undone })
    await out.result(answer, { id, print: () => out.done(`Event ${id} updated`) })
  },
})
