import { command } from '../../command.js'
import { textOf } from '../../node/answer.js'
import { placedStreams } from '../../node/streams.js'
import type { PlacedStream } from '../../node/streams.js'
import { actingAs, authorityOf } from '../../node/access.js'
import { flag, text } from '../../option.js'
import { alignedTable } from '../../output/table.js'
import { counted } from '../../output/words.js'

/** `coffer streams tree`. */
export const tree = command({
  path: ['streams', 'tree'],
  summary: 'Show the streams of an account as a tree',
  description: 'In a pipe: one stream a line, its id, the id of its parent and its name parted by tabs.',
  arguments: { id: text('Only this stream and what is below it', { names: 'stream' }) },
  options: { all: flag('Also what lies in the trash'), ...actingAs },
  examples: [
    { type: 'coffer streams tree', says: 'all streams' },
    { type: 'coffer streams tree heart --all', says: 'one stream, and what is below it, trashed ones too' },
    { type: 'coffer streams tree -q', says: 'the ids alone, one a line' },
  ],
  json: '{"streams":[…]}, the result of streams.get',
  offline: true,
  async run({ out, connect, terminal }, { id, all, user, access }) {
    const door = await connect()
    const asked = { ...(id === undefined ? {} : { id }), ...(all ? { state: 'all' } : {}) }
    const answer = await door.call('streams.get', asked, await authorityOf(door, { user, access }))
    const rows = placedStreams(answer['streams'])
    const count = counted(rows.length, 'stream')
    if (terminal.outIsTerminal && !out.json && !out.quiet) {
      for (const line of treeLines(rows, terminal.width)) await out.line(line)
      return out.note(count)
    }
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: ({ stream }) => textOf(stream['id']) },
        { title: 'PARENT', cell: ({ stream }) => textOf(stream['parentId']) },
        { title: 'NAME', cell: ({ stream }) => textOf(stream['name']) },
      ],
      rows,
      id: ({ stream }) => textOf(stream['id']),
      count,
    })
  },
})

/** The drawing: names behind branches, ids beside them. */
export function treeLines(rows: readonly PlacedStream[], width: number): string[] {
  const [, ...lines] = alignedTable(
    [
      { title: '', cell: ({ stream, lasts }) => `${branches(lasts)}${textOf(stream['name'])}`, shrinks: true },
      { title: '', cell: ({ stream }) => textOf(stream['id']) },
      { title: '', cell: ({ stream }) => (stream['trashed'] === true ? '(in the trash)' : '') },
    ],
    rows,
    width,
  )
  return lines
}

function branches(lasts: readonly boolean[]): string {
  // Roots hang from nothing.
  const [, ...below] = lasts
  return below.map((last, index) => (index < below.length - 1 ? (last ? '   ' : '│  ') : last ? '└─ ' : '├─ ')).join('')
}
