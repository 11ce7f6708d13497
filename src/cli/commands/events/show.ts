import { command } from '../../command.js'
import { usageError } from '../../exit.js'
import { saveAttachments } from '../../files/save.js'
import { listOf, numberOf, textOf } from '../../node/answer.js'
import type { Record_ } from '../../node/answer.js'
import { actingAs, authorityOf } from '../../node/access.js'
import { flag, text } from '../../option.js'
import { bytes, when } from '../../output/words.js'
import { contentText, eventOf, streamsText } from './fields.js'

/** `coffer events show`. */
export const show = command({
  path: ['events', 'show'],
  summary: 'Show one event',
  arguments: { id: text('The event', { required: true }) },
  options: {
    history: flag('Also its earlier versions, as far as the node keeps them'),
    saveAttachments: text('Folder to save its files in', { placeholder: 'folder', completes: 'folder' }),
    force: flag('Replaces files of the same names there'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer events show ckq2v8x0a0000abcd1234efgh --history', says: 'an event and what it was before' },
    { type: 'coffer events show ckq2v8x0a0000abcd1234efgh --save-attachments ./files', says: 'an event, and its files' },
  ],
  json: '{"event":{…}}, with "history":[…] and "saved":[{"id","path","size"}] if asked; else the result of events.getOne',
  offline: true,
  async run({ out, connect }, { id, history, saveAttachments: folder, force, user, access }) {
    if (force && folder === undefined) throw usageError('--force goes with --save-attachments <folder>')
    const door = await connect()
    const params = { id, ...(history ? { includeHistory: true } : {}) }
    const as = await authorityOf(door, { user, access })
    const answer = await door.call('events.getOne', params, as)
    const saved = folder === undefined ? undefined : await saveAttachments(door, as, eventOf(answer), { folder, force })
    await out.result(saved === undefined ? answer : { ...answer, saved }, {
      id,
      tell: async () => {
        for (const line of eventLines(eventOf(answer))) await out.line(line)
        if (history) await out.line(`  Versions  ${listOf(answer['history']).length}`)
        for (const version of listOf(answer['history'])) {
          await out.line('')
          for (const line of eventLines(version)) await out.line(line)
        }
        for (const { path } of saved ?? []) out.done(`Saved ${path}`)
      },
    })
  },
})

/** An event for people, field by field. */
export function eventLines(event: Record_): string[] {
  const { time, duration, description, tags, clientData, trashed, deleted, created, modified } = event
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const stamp = (at: unknown, by: unknown): string => {
    const seconds = numberOf(at)
    return seconds === undefined ? '' : `${when(seconds)}${textOf(by) === '' ? '' : ` by ${textOf(by)}`}`
  }
  const files = listOf(event['attachments']).map((file) => `${textOf(file['fileName'])} (${bytes(numberOf(file['size']) ?? 0)})`)
  return [
    textOf(event['id']),
    ...line('Time', stamp(time, undefined)),
    ...line('Lasts', duration === null ? 'still going on' : duration === undefined ? '' : `${textOf(duration)} s`),
    ...line('Streams', streamsText(event)),
    ...line('Type', textOf(event['type'])),
    ...line('Content', contentText(event['content'])),
    ...line('Words', textOf(description)),
    ...line('Tags', Array.isArray(tags) ? tags.map(textOf).join(', ') : ''),
    ...line('Files', files.join(', ')),
    ...line('Data', clientData === undefined ? '' : JSON.stringify(clientData)),
    ...line('State', trashed === true ? 'in the trash' : ''),
    ...line('Deleted', stamp(deleted, undefined)),
    ...line('Created', stamp(created, event['createdBy'])),
    ...line('Changed', modified === created ? '' : stamp(modified, event['modifiedBy'])),
  ]
}
