import { command } from '../../command.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { amount, bytes, when } from '../../terminal/output/format.js'
import { alignedTable, tabbedTable, type Column } from '../../terminal/output/table.js'
import { workedOn } from '../../store/work.js'

interface Row {
  what: string
  entries: unknown
  bytes: unknown
}

const size = (value: unknown): string => bytes(numberOf(value) ?? 0)

const columns: readonly Column<Row>[] = [
  { title: 'WHAT', cell: ({ what }) => what, shrinks: true },
  { title: 'ENTRIES', cell: ({ entries }) => amount(numberOf(entries) ?? 0), align: 'right' },
  { title: 'BYTES', cell: (row) => size(row.bytes), align: 'right' },
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
    { type: 'coffer store stats --json | jq .accounts[].bytes', description: 'for scripts' },
  ],
  json: '{"folder","format","newestFormat","node","created","commits","bytes":{"store","files"},"accounts":[{"username","entries","bytes","events","files":{"count","bytes"},"families":[{"family","entries","bytes"}]}],"own":{"node":[…],"platform":[…]}}; without "own" with --user',
  offline: true,
  async run(context, { user }) {
    const { out, terminal } = context
    const answer = await workedOn(context, 'store.stats', user === undefined ? {} : { user })
    await out.result(answer, {
      print: async () => {
        const sizes = recordOf(answer['bytes'])
        const created = numberOf(answer['created']) ?? 0
        await out.line(`Store    ${textOf(answer['folder'])}`)
        await out.line(`Format   ${textOf(answer['format'])}, created ${when(created)}`)
        await out.line(`Commits  ${amount(numberOf(answer['commits']) ?? 0)}`)
        await out.line(`On disk  ${size(sizes['store'])}, plus ${size(sizes['files'])} of attached files`)
        const rows = rowsOf(answer)
        for (const line of terminal.outIsTerminal ? alignedTable(columns, rows, terminal.width) : tabbedTable(columns, rows)) {
          await out.line(line)
        }
      },
    })
  },
})

function rowsOf(answer: Record_): Row[] {
  const families = (owner: string, list: unknown): Row[] =>
    listOf(list).map(({ family, entries, bytes: held }) => ({ what: `${owner}  ${textOf(family)}`, entries, bytes: held }))
  const own = recordOf(answer['own'])
  return [
    ...listOf(answer['accounts']).flatMap((account) => {
      const name = textOf(account['username'])
      const { count, bytes: held } = recordOf(account['files'])
      return [
        { what: name, entries: account['entries'], bytes: account['bytes'] },
        ...families('', account['families']),
        { what: '  attached files', entries: count, bytes: held },
      ]
    }),
    ...families('node', own['node']),
    ...families('platform', own['platform']),
  ]
}
