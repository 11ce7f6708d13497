import { command } from '../../command.js'
import { accessNamed } from '../../client/access.js'
import { numberOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { ago } from '../../terminal/output/format.js'
import type { Output } from '../../terminal/output/out.js'
import { permissionLines } from './permissions.js'

/** `coffer accesses show`. */
export const show = command({
  path: ['accesses', 'show'],
  summary: 'Show one access',
  description: 'The token is omitted unless --reveal is given; --json includes it.',
  arguments: { access: text('Id or name of the access', { required: true, names: 'access' }) },
  options: {
    history: flag('Include earlier versions'),
    reveal: flag('Print only the link with the token'),
    user: userOption,
  },
  examples: [
    { type: `coffer accesses show 'Dr Weber'`, description: 'show by name' },
    { type: 'coffer accesses show ckq2v8x0a0000abcd1234efgh --history', description: 'include earlier versions' },
    { type: `coffer accesses show 'Dr Weber' --reveal`, description: 'print the link to share it again' },
  ],
  json: '{"access":{…}}, with "history":[…] if asked; the result of accesses.getOne',
  offline: true,
  async run({ out, connect, now }, { access: word, history, reveal, user }) {
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'access', id: word })
    const found = await accessNamed(client, as, word)
    const id = textOf(found['id'])
    const answer = await client.call('accesses.getOne', { id, ...(history ? { includeHistory: true } : {}) }, as)
    const { access } = answer
    const endpoint = access.apiEndpoint
    const at = now()
    await out.result(answer, {
      id,
      print: async () => {
        const lines = accessLines(access, at, out.time)
        if (reveal) {
          for (const line of lines) out.note(line)
          return out.line(endpoint)
        }
        for (const line of lines) await out.line(line)
        for (const former of answer.history ?? []) {
          await out.line('')
          for (const line of accessLines(former, at, out.time)) await out.line(line)
        }
      },
    })
  },
})

/** Formats an access, one line per field. */
function accessLines(access: Record_, now: number, time: Output['time']): string[] {
  const { id, type, name, deviceName, expires, lastUsed, clientData, alias, created, createdBy, modified } = access
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const end = numberOf(expires)
  const may = type === 'personal' ? ['everything'] : permissionLines(access['permissions'])
  return [
    `${textOf(name)}  ${textOf(id)}`,
    ...line('Type', textOf(type)),
    ...line('Device', textOf(deviceName)),
    ...may.flatMap((words, index) => line(index === 0 ? 'May' : '', words)),
    ...line('Expires', end === undefined ? '' : `${time(end)}${end <= now ? ' (expired)' : ''}`),
    ...line('Last used', ago(numberOf(lastUsed), now)),
    ...line('Alias', textOf(alias)),
    ...line('Data', clientData === undefined ? '' : JSON.stringify(clientData)),
    ...line('Created', `${time(numberOf(created) ?? 0)} by ${textOf(createdBy)}`),
    ...line('Changed', modified === created ? '' : time(numberOf(modified) ?? 0)),
  ]
}
