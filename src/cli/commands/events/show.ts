import { command, type Context } from '../../command.js'
import { decryptOptions, keyringOf } from './decrypt/keyring.js'
import { eventTexts } from '../../../store/model/events/fields.js'
import { usageError } from '../../framework/exit.js'
import { saveAttachments, type Saved } from './files/save.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { actingAs } from '../../client/access.js'
import { authorityHolding } from '../../client/holder.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { flag, text } from '../../framework/option.js'
import { bytes } from '../../terminal/output/format.js'
import type { Output } from '../../terminal/output/out.js'
import { decryptResult } from './decrypted.js'
import { capitalised, contentText, eventOf, streamsText } from './eventText.js'

/** `coffer events show`. */
export const show = command({
  path: ['events', 'show'],
  summary: 'Show one event',
  description:
    "With --decrypt, events and files that a client encrypted (types encrypted/…) are shown and saved decrypted. Decryption happens in this command; the keys never reach the node: 32 bytes, raw or in Base64, for aes-256-gcm; the private key of P-256, as a JWK or PKCS#8, for ecies-aes-256-gcm; the passphrase for aes-text-base64. Events contain the name of their key; --key-file assigns a file to a name and is repeatable. Without it, the key is read from stdin or a prompt.",
  arguments: { id: text('Event id', { required: true, names: 'event' }) },
  options: {
    history: flag('Include earlier versions, if the node stores them'),
    saveAttachments: text('Folder to save attached files to', { placeholder: 'folder', completes: 'folder' }),
    force: flag('Overwrite existing files'),
    ...decryptOptions,
    ...actingAs,
  },
  examples: [
    { type: 'coffer events show ckq2v8x0a0000abcd1234efgh --history', description: 'include earlier versions' },
    { type: 'coffer events show ckq2v8x0a0000abcd1234efgh --save-attachments ./files', description: 'save attached files' },
    {
      type: 'coffer events show ckq2v8x0a0000abcd1234efgh --decrypt --key-file team=team.key',
      description: 'decrypt with the key "team"',
    },
  ],
  json: '{"event":{…}}, the result of events.getOne, with "history":[…] and "saved":[{"id","path","size"}] if asked; decrypted events have "decryptedFrom", the stored event',
  offline: true,
  async run(context, { id, history, saveAttachments: folder, force, decrypt, keyFile, user, access }) {
    if (force && folder === undefined) throw usageError('--force requires --save-attachments <folder>')
    if (keyFile.length > 0 && !decrypt) throw usageError('--key-file requires --decrypt')
    const { out, connect } = context
    const keyring = decrypt ? await keyringOf(context, keyFile) : undefined
    const client = await connect()
    const params = { id, ...(history ? { includeHistory: true } : {}) }
    const as = await authorityHolding(client, { user, access }, { kind: 'event', id })
    const result = await client.call('events.getOne', params, as)
    const { answer, opening } = keyring === undefined ? { answer: result, opening: undefined } : await decryptResult(context, result, keyring)
    const event = eventOf(answer)
    const saved = folder === undefined ? undefined : await saveFiles(context, client, as, event, { folder, force, opening })
    await out.result(saved === undefined ? answer : { ...answer, saved }, {
      id,
      print: async () => {
        for (const line of eventLines(event, out.time)) await out.line(line)
        if (history) await out.line(`  Versions  ${listOf(answer['history']).length}`)
        for (const version of listOf(answer['history'])) {
          await out.line('')
          for (const line of eventLines(version, out.time)) await out.line(line)
        }
        for (const { path } of saved ?? []) out.done(`Saved ${path}`)
      },
    })
  },
})

/** Saves the files of an event, with a progress bar on a terminal if the node is remote. */
async function saveFiles({ out }: Context, client: NodeClient, as: Authority, event: Record_, place: Omit<Parameters<typeof saveAttachments>[3], 'onBytes'>): Promise<Saved[]> {
  if (client.transfers === undefined) return saveAttachments(client, as, event, place)
  const total = listOf(event['attachments']).reduce((sum, file) => sum + (numberOf(file['size']) ?? 0), 0)
  const bar = out.progress('saving', total, bytes)
  return saveAttachments(client, as, event, { ...place, onBytes: (count) => bar.advance(count) }).finally(() => bar.end())
}

/** Formats an event, one line per field. */
function eventLines(event: Record_, timeText: Output['time']): string[] {
  const { time, duration, tags, clientData, trashed, deleted, created, modified } = event
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const stamp = (at: unknown, by: unknown): string => {
    const seconds = numberOf(at)
    return seconds === undefined ? '' : `${timeText(seconds)}${textOf(by) === '' ? '' : ` by ${textOf(by)}`}`
  }
  const files = listOf(event['attachments']).map((file) => `${textOf(file['fileName'])} (${bytes(numberOf(file['size']) ?? 0)})`)
  return [
    textOf(event['id']),
    ...line('Time', stamp(time, undefined)),
    ...line('Duration', duration === null ? 'running' : duration === undefined ? '' : `${textOf(duration)} s`),
    ...line('Streams', streamsText(event)),
    ...line('Type', textOf(event['type'])),
    ...line('Content', contentText(event['content'])),
    ...line('Stored as', storedAs(recordOf(event['decryptedFrom']))),
    ...eventTexts.flatMap((field) => line(field === 'description' ? 'Details' : capitalised(field), textOf(event[field]))),
    ...line('Tags', Array.isArray(tags) ? tags.map(textOf).join(', ') : ''),
    ...line('Files', files.join(', ')),
    ...line('Data', clientData === undefined ? '' : JSON.stringify(clientData)),
    ...line('State', trashed === true ? 'in the trash' : ''),
    ...line('Deleted', stamp(deleted, undefined)),
    ...line('Created', stamp(created, event['createdBy'])),
    ...line('Changed', modified === created ? '' : stamp(modified, event['modifiedBy'])),
  ]
}

/** Formats how a decrypted event is stored: `encrypted/aes-256-gcm, key team`. */
function storedAs(encrypted: Record_): string {
  const keyRef = textOf(recordOf(encrypted['content'])['keyRef'])
  return `${textOf(encrypted['type'])}${keyRef === '' ? '' : `, key ${keyRef}`}`
}
