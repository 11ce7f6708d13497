import { command } from '../../command.js'
import { numberOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { whole } from '../../framework/option.js'
import { amount, bytes, counted, span } from '../../terminal/output/format.js'
import { peerOption, which } from './shared/peer.js'

/** `coffer sync history`. */
export const history = command({
  path: ['sync', 'history'],
  summary: 'List sync sessions with paired nodes and their results',
  description: 'Latest first; the last 200 are stored per peer. Consecutive attempts with the same failure are shown as one line.',
  options: { user: userOption, peer: peerOption, limit: whole('Maximum number of sessions; defaults to 20', { from: 1, to: 10_000 }) },
  examples: [{ type: 'coffer sync history --peer laptop', description: 'sessions with one peer' }],
  json: '{"contacts":[{"peer","user","began","ended","sent","received","bytesSent","bytesReceived","met","result","inSyncAt","attempts"}]}',
  offline: true,
  async run({ out, connect }, { limit, ...options }) {
    const client = await connect()
    const answer = await client.call('sync.history', { ...which(options), ...(limit === undefined ? {} : { limit }) }, {})
    const { contacts } = answer
    const number = (value: unknown): number => numberOf(value) ?? 0
    await out.list(answer, {
      columns: [
        { title: 'STARTED', time: ({ began }) => began },
        { title: 'PEER', cell: ({ peer }) => peer, shrinks: true },
        { title: 'DURATION', cell: ({ began, ended }) => span(number(ended) - number(began)), align: 'right', drops: true },
        { title: 'SENT', cell: ({ sent }) => amount(number(sent)), align: 'right' },
        { title: 'RECEIVED', cell: ({ received }) => amount(number(received)), align: 'right' },
        { title: 'BYTES', cell: (each) => bytes(number(each.bytesSent) + number(each.bytesReceived)), align: 'right', drops: true },
        { title: 'RESULT', cell: ({ result, attempts }) => `${result}${attempts === undefined ? '' : ` (${number(attempts)} attempts)`}`, shrinks: true },
      ],
      rows: contacts,
      id: ({ began }) => String(began),
      count: counted(contacts.length, 'session'),
    })
  },
})
