import { command } from '../../command.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { text } from '../../framework/option.js'
import { amount, bytes } from '../../terminal/output/format.js'
import { alignedTable, tabbedTable, type Column } from '../../terminal/output/table.js'
import { runMaintenance } from './shared/work.js'

interface Row {
  name: string
  entries: number
  bytes: number
}

const columns: readonly Column<Row>[] = [
  { title: 'CONTENT', cell: ({ name }) => name, shrinks: true },
  { title: 'ENTRIES', cell: ({ entries }) => amount(entries), align: 'right' },
  { title: 'BYTES', cell: (row) => bytes(row.bytes), align: 'right' },
]

/** `coffer store stats`. */
export const stats = command({
  path: ['store', 'stats'],
  summary: 'Show the size of the store by account and kind',
  description:
    'Counts the entries of each account and kind, and estimates their size on disk; attached files are measured exactly. Reads every key once.',
  options: { user: text('Only this account', { placeholder: 'username', names: 'user' }) },
  examples: [
    { type: 'coffer store stats', description: 'the whole store' },
    { type: "coffer store stats --jq '.accounts[].bytes'", description: 'for scripts' },
  ],
  json: '{"folder","format","newestFormat","node","created","commits","bytes":{"store","files"},"accounts":[{"username","entries","bytes","events","files":{"count","bytes"},"families":[{"family","entries","bytes"}]}],"own":{"node":[…],"platform":[…]}}; without "own" with --user',
  offline: true,
  async run(context, { user }) {
    const { out, terminal } = context
    const answer = await runMaintenance(context, 'store.stats', user === undefined ? {} : { user })
    await out.result(answer, {
      print: async () => {
        await out.line(`Store    ${answer.folder}`)
        await out.line(`Format   ${answer.format}, created ${out.time(answer.created)}`)
        await out.line(`Commits  ${amount(answer.commits)}`)
        await out.line(`On disk  ${bytes(answer.bytes.store)}, plus ${bytes(answer.bytes.files)} of attached files`)
        const rows = rowsOf(answer)
        for (const line of terminal.outIsTerminal ? alignedTable(columns, rows, terminal.width) : tabbedTable(columns, rows)) {
          await out.line(line)
        }
      },
    })
  },
})

function rowsOf({ accounts, own }: ResultOf<'store.stats'>): Row[] {
  const families = (owner: string, list: readonly { family: string; entries: number; bytes: number }[] = []): Row[] =>
    list.map(({ family, entries, bytes: size }) => ({ name: `${owner}  ${family}`, entries, bytes: size }))
  return [
    ...accounts.flatMap(({ username, entries, bytes: size, files, families: kinds }) => [
      { name: username, entries, bytes: size },
      ...families('', kinds),
      { name: '  attached files', entries: files.count, bytes: files.bytes },
    ]),
    ...families('node', own?.node),
    ...families('platform', own?.platform),
  ]
}
