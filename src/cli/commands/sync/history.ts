import { command } from '../../command.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { amount, bytes, counted, span, when } from '../../terminal/output/format.js'
import { peerOption, which } from '../../sync/peer.js'

/** `coffer sync history`. */
export const history = command({
  path: ['sync', 'history'],
  summary: 'List contacts with paired nodes, and what came of them',
  description: 'The latest first; 200 are kept of each peer. Attempts that fail alike one after another are one line.',
  options: { user: userOption, peer: peerOption, limit: whole('How many at most; 20 without it', { from: 1, to: 10_000 }) },
  examples: [{ type: 'coffer sync history --peer laptop', says: 'of one peer' }],
  json: '{"contacts":[{"peer","user","began","ended","sent","received","bytesSent","bytesReceived","met","result","inSyncAt","attempts"}]}',
  offline: true,
  async run({ out, connect, terminal }, { limit, ...options }) {
    const client = await connect()
    const answer = await client.call('sync.history', { ...which(options), ...(limit === undefined ? {} : { limit }) }, {})
    const contacts = listOf(answer['contacts'])
    const number = (value: unknown): number => numberOf(value) ?? 0
    await out.list(answer, {
      columns: [
        { title: 'BEGAN', cell: ({ began }) => (terminal.outIsTerminal ? when(number(began)) : String(began)) },
        { title: 'PEER', cell: ({ peer }) => textOf(peer), shrinks: true },
        { title: 'FOR', cell: ({ began, ended }) => span(number(ended) - number(began)), align: 'right', drops: true },
        { title: 'SENT', cell: ({ sent }) => amount(number(sent)), align: 'right' },
        { title: 'RECEIVED', cell: ({ received }) => amount(number(received)), align: 'right' },
        { title: 'BYTES', cell: (each) => bytes(number(each['bytesSent']) + number(each['bytesReceived'])), align: 'right', drops: true },
        { title: 'RESULT', cell: ({ result, attempts }) => `${textOf(result)}${attempts === undefined ? '' : ` (${number(attempts)} attempts)`}`, shrinks: true },
      ],
      rows: contacts,
      id: ({ began }) => String(began),
      count: counted(contacts.length, 'contact'),
    })
  },
})
