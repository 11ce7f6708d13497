import { command, type Context } from '../../command.js'
import { CommandError, type ExitCode } from '../../framework/exit.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { text, whole } from '../../framework/option.js'
import { amount, counted } from '../../terminal/output/format.js'
import { placeOf, runMaintenance } from './shared/work.js'

/** Maximum number of problems printed; --json lists more. */
const MAX_SHOWN = 20

type CheckResult = ResultOf<'store.check'>

/** `coffer store check`. */
export const check = command({
  path: ['store', 'check'],
  summary: 'Check the integrity of the store',
  description:
    'Checks everything: the commit chain and the high-water mark, each index against the records, references and the contents of files, integrity hashes, and each record against its Automerge changes. Nothing is changed. On a running node it reads a consistent snapshot, in slices between calls; later writes are not checked.\n\n' +
    '--sample checks only some random records, with everything that belongs to them, and the last 1000 commits.\n\n' +
    'Prints what was checked, the counts and the result, and every problem; --verbose lists all counts. Exits with 13 if something is damaged. Each problem is reported with its location and the next command: coffer store repair, from a backup or from a paired node that has a copy.',
  options: {
    user: text('Only this account, and the commit chain', { placeholder: 'username', names: 'user' }),
    sample: whole('Check only this many records', { from: 1 }),
  },
  examples: [
    { type: 'coffer store check', description: 'check everything' },
    { type: 'coffer store check --sample 200', description: 'a quick check' },
    { type: 'coffer store check --user ana-lovelace --json', description: 'one account, for scripts' },
  ],
  json: '{"ok":true,"checked":{"commits",…},"problems":[{"where","what","user","next"}],"found"}; at most 1000 problems are listed, "found" counts all',
  offline: true,
  async run(context, { user, sample }) {
    const params = { ...(user === undefined ? {} : { user }), ...(sample === undefined ? {} : { sample }) }
    const answer = await runMaintenance(context, 'store.check', params).catch((error: unknown) => damageResult(error))
    await context.out.result(answer, { print: () => print(context, answer, { user, sample }) })
    return answer.ok ? 0 : (13 satisfies ExitCode)
  },
})

/** Reports damaged files that prevent the store from opening as problems. */
function damageResult(error: unknown): CheckResult {
  if (!(error instanceof CommandError) || error.exit !== 13) throw error
  const damage = listOf(recordOf(error.data)['damage'])
  const problems = damage.map(({ file, what, offset }) => {
    const place = offset === undefined ? textOf(file) : `${textOf(file)}, byte ${textOf(offset)}`
    return { where: place, what: textOf(what), next: 'coffer store repair --from <folder of the backups>' }
  })
  return { ok: false, checked: { files: problems.length }, problems, found: problems.length }
}

interface Scope {
  user: string | undefined
  sample: number | undefined
}

const KIND_WIDTH = 28
const COUNT_WIDTH = 12

/** Kinds that people know; the others are indexes and records about these. */
const MAIN_KINDS = [
  ['commits', 'commit'],
  ['accounts', 'account'],
  ['streams', 'stream'],
  ['events', 'event'],
  ['accesses', 'access'],
  ['attachments', 'attachment'],
] as const

/** Formats the counts: `5 commits, 1 account, 7 events; 48 other entries`. */
function countsText(checked: CheckResult['checked']): string {
  const main = MAIN_KINDS.flatMap(([kind, one]) => (checked[kind] === undefined ? [] : [counted(checked[kind], one, kind)]))
  const others = Object.entries(checked).reduce((sum, [kind, count]) => (MAIN_KINDS.some(([known]) => known === kind) ? sum : sum + count), 0)
  return `${[main.join(', '), ...(others > 0 ? [counted(others, 'other entry', 'other entries')] : [])].filter((each) => each !== '').join('; ')}`
}

async function print({ out, terminal, flags, place }: Context, { problems, found, checked }: CheckResult, { user, sample }: Scope): Promise<void> {
  for (const problem of problems.slice(0, MAX_SHOWN)) {
    await terminal.write(`${terminal.paintOut.red('✖')} `)
    await out.line(`${placeOf(problem)}: ${problem.what}`)
    await out.line(`  → ${problem.next}`)
  }
  if (found > MAX_SHOWN) await out.line(`… and ${amount(found - MAX_SHOWN)} more; use --json to list them`)
  const of = user === undefined ? `the store of ${place}` : `the account ${user} and the commit chain of ${place}`
  await out.line(`Checked ${sample === undefined ? '' : `a sample of ${counted(sample, 'record')} of `}${of}`)
  await out.line(countsText(checked))
  if (flags.verbose) for (const [kind, count] of Object.entries(checked)) await out.line(`  ${kind.padEnd(KIND_WIDTH)}  ${amount(count).padStart(COUNT_WIDTH)}`)
  if (found > 0) await out.line(`${counted(found, 'problem')}. Nothing was changed. Make a copy of the home before you continue.`)
  else out.done(sample === undefined ? 'No problems found' : 'No problems found in the sample')
}
