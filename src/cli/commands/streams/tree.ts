import { isPeopleStream } from '../../../store/model/peopleStreams.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { placedStreams } from '../../client/streams.js'
import type { PlacedStream } from '../../client/streams.js'
import { streamSums, withSums } from '../../client/streamSums.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { flag, text } from '../../framework/option.js'
import { alignedTable } from '../../terminal/output/table.js'
import type { Column } from '../../terminal/output/table.js'
import { amount, counted } from '../../terminal/output/format.js'
import { isPlain } from '../../terminal/plot/plain.js'
import { sparkline } from '../../terminal/plot/spark.js'
import { contentText } from '../events/eventText.js'

/** Number of values in the trend column. */
const RECENT = 12

/** `coffer streams tree`. */
export const tree = command({
  path: ['streams', 'tree'],
  summary: 'Show the streams of an account as a tree',
  description:
    'In a pipe: one stream per line with its id, the id of its parent and its name, separated by tabs.\n\nThe streams of the system (account fields :_system:account, messages and consents :_cmc:) are left out, also with --json and in counts, unless --all is given or [id] names one.\n\n--counts shows the number of events in each stream itself and including the streams below it. Trashed events count too, and an event in several streams counts once; audit records (:_audit:) are not counted. --latest shows the latest event in each stream itself, its age, and a trend of the numbers before it. In a pipe these columns follow the name: the two counts; the time of the event, its type and its content.',
  arguments: { id: text('Only this stream and the streams below it', { names: 'stream' }) },
  options: {
    all: flag('Include trashed streams, and those of the system: account fields, messages and consents'),
    trashed: flag('Include trashed streams'),
    counts: flag('Show the number of events'),
    latest: flag('Show the latest event of each stream'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer streams tree', description: 'all streams' },
    { type: 'coffer streams tree heart --trashed', description: 'one stream and those below it, including trashed ones' },
    { type: 'coffer streams tree --counts --latest', description: 'event counts and latest events' },
    { type: 'coffer streams tree -q', description: 'print only the ids, one per line' },
  ],
  json: '{"streams":[…]}, the result of streams.get; after --counts each stream has "events":{"own","total"}, null for audit records; after --latest it has "last", null or {"id","type","time","duration","content"}, and "recent", its latest numbers of that type, oldest first',
  offline: true,
  async run(context, { id, all, trashed: isTrashShown, counts, latest: last, user, access }) {
    const { out, connect, terminal } = context
    const trashed = all || isTrashShown
    const client = await connect()
    const options = { ...(id === undefined ? {} : { id }), ...(trashed ? { state: 'all' } : {}) }
    const as = await authorityOf(client, { user, access })
    const found: Record_ = await client.call('streams.get', options, as)
    let answer = all || id !== undefined ? found : { ...found, streams: peopleStreams(found['streams']) }
    if (counts || last) {
      const wanted = { counts, last, trashed, recent: RECENT }
      const sums = await streamSums(client, as, placedStreams(answer['streams']), wanted)
      answer = { ...answer, streams: withSums(answer['streams'], sums) }
    }
    const rows = placedStreams(answer['streams'])
    const count = counted(rows.length, 'stream')
    if (terminal.outIsTerminal && !out.json && !out.quiet) {
      const lines = counts || last ? sumLines(rows, context, { counts, last }) : treeLines(rows, terminal.width)
      for (const line of lines) await out.line(line)
      return out.note(count)
    }
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: ({ stream }) => textOf(stream['id']) },
        { title: 'PARENT', cell: ({ stream }) => textOf(stream['parentId']) },
        { title: 'NAME', cell: ({ stream }) => textOf(stream['name']) },
        ...(counts ? [eventsColumn('own', textOf), eventsColumn('total', textOf)] : []),
        ...(last ? lastCells : []),
      ],
      rows,
      id: ({ stream }) => textOf(stream['id']),
      count,
    })
  },
})

/** Leaves out the streams of the system, with those below them. */
const peopleStreams = (streams: unknown): Record_[] => listOf(streams).filter(({ id }) => isPeopleStream(textOf(id)))

const eventsColumn = (which: 'own' | 'total', format: (count: unknown) => string): Column<PlacedStream> => ({
  title: which === 'own' ? 'EVENTS' : 'WITH BELOW',
  align: 'right',
  drops: 'late',
  cell: ({ stream }) => format(recordOf(stream['events'])[which]),
})

const lastOf = ({ stream }: PlacedStream): Record_ => recordOf(stream['last'])

const lastCells: Array<Column<PlacedStream>> = [
  { title: 'TIME', time: (row) => lastOf(row)['time'] },
  { title: 'TYPE', cell: (row) => textOf(lastOf(row)['type']) },
  { title: 'CONTENT', cell: (row) => contentText(lastOf(row)['content']) },
]

/** Draws the tree: names after branches, with their ids. */
export function treeLines(rows: readonly PlacedStream[], width: number): string[] {
  const [, ...lines] = alignedTable(branchColumns, rows, width)
  return lines
}

/** Draws the tree with counts or latest events, under a header. */
function sumLines(
  rows: readonly PlacedStream[],
  context: Pick<Context, 'terminal' | 'env' | 'flags'>,
  { counts, last }: { counts: boolean; last: boolean },
): string[] {
  const plain = isPlain(context)
  const many = (count: unknown): string => (typeof count === 'number' ? amount(count) : '')
  const columns: Array<Column<PlacedStream>> = [
    ...branchColumns,
    ...(counts ? [eventsColumn('own', many), eventsColumn('total', many)] : []),
    ...(last ? latestColumns(plain) : []),
  ]
  return alignedTable(columns, rows, context.terminal.width)
}

const latestColumns = (plain: boolean): Array<Column<PlacedStream>> => [
  { title: 'LAST', cell: (row) => `${contentText(lastOf(row)['content'])} ${textOf(lastOf(row)['type'])}`.trim(), shrinks: true, drops: 'late' },
  { title: 'WHEN', time: (row) => lastOf(row)['time'], drops: 'late', none: '' },
  { title: 'TREND', cell: ({ stream }) => sparkline(numbersOf(stream['recent']), plain), drops: true },
]

const numbersOf = (value: unknown): number[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [])

const branchColumns: Array<Column<PlacedStream>> = [
  { title: 'STREAM', cell: ({ stream, lasts }) => `${branches(lasts)}${textOf(stream['name'])}`, shrinks: true },
  { title: 'ID', cell: ({ stream }) => textOf(stream['id']) },
  { title: '', cell: ({ stream }) => (stream['trashed'] === true ? '(in the trash)' : '') },
]

function branches(lasts: readonly boolean[]): string {
  // Root streams have no branch.
  const [, ...below] = lasts
  return below.map((last, index) => (index < below.length - 1 ? (last ? '   ' : '│  ') : last ? '└─ ' : '├─ ')).join('')
}
