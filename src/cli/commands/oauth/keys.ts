import { command } from '../../command.js'
import { confirm } from '../../terminal/input/confirm.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
import { flag, text } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'

const keyArgument = text('Its thumbprint, 43 characters', { required: true })
const EXAMPLE = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

/** `coffer oauth keys list`. */
export const list = command({
  path: ['oauth', 'keys', 'list'],
  summary: 'List the DPoP keys that clients have proved to hold, and those that are revoked',
  options: { client: text('Those of one client', { placeholder: 'id', names: 'client' }) },
  examples: [
    { type: 'coffer oauth keys list', says: 'all' },
    { type: 'coffer oauth keys list --client heart-lab', says: 'those of one client' },
  ],
  json: '{"keys":[{"jkt","clientId","firstSeenAt","lastSeenAt","revokedAt"}]}; times in milliseconds',
  offline: true,
  async run({ out, connect, terminal }, { client }) {
    const handler = await connect()
    const answer = await handler.call('oauth.keys.list', client === undefined ? {} : { clientId: client }, {})
    const keys = listOf(answer['keys'])
    const time = (value: unknown): string => {
      const milliseconds = numberOf(value)
      if (milliseconds === undefined) return '—'
      return terminal.outIsTerminal ? when(milliseconds / 1000) : String(milliseconds / 1000)
    }
    await out.list(answer, {
      columns: [
        { title: 'KEY', cell: ({ jkt }) => textOf(jkt) },
        { title: 'CLIENT', cell: ({ clientId }) => textOf(clientId) || '—', shrinks: true },
        { title: 'FIRST SEEN', cell: ({ firstSeenAt }) => time(firstSeenAt), drops: true },
        { title: 'LAST SEEN', cell: ({ lastSeenAt }) => time(lastSeenAt) },
        { title: 'REVOKED', cell: ({ revokedAt }) => time(revokedAt) },
      ],
      rows: keys,
      id: ({ jkt }) => textOf(jkt),
      count: counted(keys.length, 'key'),
    })
  },
})

/** `coffer oauth keys revoke`. */
export const revoke = command({
  path: ['oauth', 'keys', 'revoke'],
  summary: 'Refuse a DPoP key: whatever is bound to it, now or later',
  arguments: { key: keyArgument },
  options: { yes: flag('Do not ask') },
  examples: [{ type: `coffer oauth keys revoke ${EXAMPLE}`, says: 'asks first; take it back with restore' }],
  json: '{"key":{"jkt","revoked"}}',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { key: jkt, yes }) {
    const handler = await connect()
    await confirm(terminal, `Refuse the key ${jkt}, with all tokens that are bound to it?`, yes)
    const answer = await handler.call('oauth.keys.revoke', { jkt }, {})
    await out.result(answer, {
      id: jkt,
      print: () => {
        out.done(`Key ${jkt} revoked`)
        out.note(`  Take it back: ${commandFor('oauth', 'keys', 'restore', jkt)}`)
      },
    })
  },
})

/** `coffer oauth keys restore`. */
export const restore = command({
  path: ['oauth', 'keys', 'restore'],
  summary: 'Take a DPoP key that was revoked again',
  arguments: { key: keyArgument },
  examples: [{ type: `coffer oauth keys restore ${EXAMPLE}`, says: 'what is bound to it calls again' }],
  json: '{"key":{"jkt","revoked"}}',
  offline: true,
  async run({ out, connect }, { key: jkt }) {
    const handler = await connect()
    const answer = await handler.call('oauth.keys.restore', { jkt }, {})
    await out.result(answer, { id: jkt, print: () => out.done(`Key ${jkt} restored`) })
  },
})
