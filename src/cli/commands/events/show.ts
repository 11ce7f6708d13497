import { command, type Context } from '../../command.js'
import { decryptOptions, keyringOf } from '../../decrypt/keyring.js'
import { usageError } from '../../framework/exit.js'
import { saveAttachments, type Saved } from '../../files/save.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { flag, text } from '../../framework/option.js'
import { bytes, when } from '../../terminal/output/format.js'
import { decrypted } from './decrypted.js'
import { contentText, eventOf, streamsText } from './fields.js'

/** `coffer events show`. */
export const show = command({
  path: ['events', 'show'],
  summary: 'Show one event',
  description:
    "With --decrypt, what a client encrypted (types encrypted/…) is shown and saved as it was before. This command does it, by keys that never reach the node: 32 bytes, raw or in Base64, for aes-256-gcm; the private key of P-256, as a JWK or PKCS#8, for ecies-aes-256-gcm; the passphrase for aes-text-base64. Events say the name of their key; --key-file takes one for a name, and may be given several times. Without it the key is read from stdin, or asked for.",
  arguments: { id: text('The event', { required: true, names: 'event' }) },
  options: {
    history: flag('Also its earlier versions, as far as the node keeps them'),
    saveAttachments: text('Folder to save its files in', { placeholder: 'folder', completes: 'folder' }),
    force: flag('Replaces files of the same names there'),
    ...decryptOptions,
    ...actingAs,
  },
  examples: [
    { type: 'coffer events show ckq2v8x0a0000abcd1234efgh --history', says: 'an event and what it was before' },
    { type: 'coffer events show ckq2v8x0a0000abcd1234efgh --save-attachments ./files', says: 'an event, and its files' },
    {
      type: 'coffer events show ckq2v8x0a0000abcd1234efgh --decrypt --key-file team=team.key',
      says: 'what is encrypted in it, by the key "team"',
    },
  ],
  json: '{"event":{…}}, the result of events.getOne, with "history":[…] and "saved":[{"id","path","size"}] if asked; decrypted events have "decryptedFrom", the event as it is kept',
  offline: true,
  async run(context, { id, history, saveAttachments: folder, force, decrypt, keyFile, user, access }) {
    if (force && folder === undefined) throw usageError('--force goes with --save-attachments <folder>')
    if (keyFile.length > 0 && !decrypt) throw usageError('--key-file goes with --decrypt')
    const { out, connect } = context
    const keyring = decrypt ? await keyringOf(context, keyFile) : undefined
    const client = await connect()
    const params = { id, ...(history ? { includeHistory: true } : {}) }
    const as = await authorityOf(client, { user, access })
    const stored = await client.call('events.getOne', params, as)
    const { answer, opening } = keyring === undefined ? { answer: stored, opening: undefined } : await decrypted(context, stored, keyring)
    const event = eventOf(answer)
    const saved = folder === undefined ? undefined : await savedFrom(context, client, as, event, { folder, force, opening })
    await out.result(saved === undefined ? answer : { ...answer, saved }, {
      id,
      print: async () => {
        for (const line of eventLines(event)) await out.line(line)
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

/** Saves the files of an event, with a bar on a terminal where they come from another machine. */
async function savedFrom({ out }: Context, client: NodeClient, as: Authority, event: Record_, place: Omit<Parameters<typeof saveAttachments>[3], 'told'>): Promise<Saved[]> {
  if (client.transfers === undefined) return saveAttachments(client, as, event, place)
  const total = listOf(event['attachments']).reduce((sum, file) => sum + (numberOf(file['size']) ?? 0), 0)
  const bar = out.progress('saving', total, bytes)
  return saveAttachments(client, as, event, { ...place, described: (count) => bar.advance(count) }).finally(() => bar.end())
}

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
    ...line('Kept as', storedAs(recordOf(event['decryptedFrom']))),
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

/** `encrypted/aes-256-gcm, key team`, of an event that was decrypted. */
function storedAs(encrypted: Record_): string {
  const keyRef = textOf(recordOf(encrypted['content'])['keyRef'])
  return `${textOf(encrypted['type'])}${keyRef === '' ? '' : `, key ${keyRef}`}`
}
