import { command } from '../../command.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { secondsOf } from '../../terminal/output/timestamps.js'

const keyArgument = text('Thumbprint of the key, 43 characters', { required: true })
const EXAMPLE = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

/** `coffer oauth keys list`. */
export const list = command({
  path: ['oauth', 'keys', 'list'],
  summary: 'List the DPoP keys that clients have used, and revoked keys',
  options: { client: text('Only keys of this client', { placeholder: 'id', names: 'client' }) },
  examples: [
    { type: 'coffer oauth keys list', description: 'all keys' },
    { type: 'coffer oauth keys list --client heart-lab', description: 'keys of one client' },
  ],
  json: '{"keys":[{"jkt","clientId","firstSeenAt","lastSeenAt","revokedAt"}]}; times in milliseconds',
  offline: true,
  async run({ out, connect }, { client }) {
    const handler = await connect()
    const answer = await handler.call('oauth.keys.list', client === undefined ? {} : { clientId: client }, {})
    const { keys } = answer
    await out.list(answer, {
      columns: [
        { title: 'KEY', cell: ({ jkt }) => jkt },
        { title: 'CLIENT', cell: ({ clientId }) => clientId ?? '—', shrinks: true },
        { title: 'FIRST SEEN', time: ({ firstSeenAt }) => secondsOf(firstSeenAt), drops: true },
        { title: 'LAST SEEN', time: ({ lastSeenAt }) => secondsOf(lastSeenAt), drops: true },
        { title: 'REVOKED', time: ({ revokedAt }) => secondsOf(revokedAt), drops: 'late' },
      ],
      rows: keys,
      id: ({ jkt }) => jkt,
      count: counted(keys.length, 'key'),
    })
  },
})

/** `coffer oauth keys revoke`. */
export const revoke = command({
  path: ['oauth', 'keys', 'revoke'],
  summary: 'Revoke a DPoP key and everything bound to it',
  arguments: { key: keyArgument },
  options: { yes: yesOption() },
  examples: [{ type: `coffer oauth keys revoke ${EXAMPLE}`, description: 'ask for confirmation; undo it with restore' }],
  json: '{"key":{"jkt","revoked"}}',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { key: jkt, yes }) {
    const handler = await connect()
    await confirm(terminal, `Revoke the key ${jkt} and all tokens bound to it?`, yes)
    const answer = await handler.call('oauth.keys.revoke', { jkt }, {})
    await out.result(answer, {
      id: jkt,
      print: () => {
        out.done(`Key ${jkt} revoked`)
        out.note(`  Undo: ${commandFor('oauth', 'keys', 'restore', jkt)}`)
      },
    })
  },
})

/** `coffer oauth keys restore`. */
export const restore = command({
  path: ['oauth', 'keys', 'restore'],
  summary: 'Restore a revoked DPoP key',
  arguments: { key: keyArgument },
  examples: [{ type: `coffer oauth keys restore ${EXAMPLE}`, description: 'tokens bound to it work again' }],
  json: '{"key":{"jkt","revoked"}}',
  offline: true,
  async run({ out, connect }, { key: jkt }) {
    const handler = await connect()
    const answer = await handler.call('oauth.keys.restore', { jkt }, {})
    await out.result(answer, { id: jkt, print: () => out.done(`Key ${jkt} restored`) })
  },
})
