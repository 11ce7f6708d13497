import { command, type Context } from '../../command.js'
import { CommandError, type ExitCode } from '../../framework/exit.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../../client/answer.js'
import { text, whole } from '../../framework/option.js'
import { amount, counted } from '../../terminal/output/format.js'
import { placeOf, workedOn } from '../../store/work.js'

/** As many problems as fit on a screen; all are in the JSON form. */
const SHOWN = 20

/** `coffer store check`. */
export const check = command({
  path: ['store', 'check'],
  summary: 'Verify that the store is whole',
  description:
    'Reads everything: the chain of commits and the high-water mark, each index against the records, references and the bytes of files, integrity hashes, and each record against what Automerge makes of its changes. Nothing is changed. On a running node it looks at one moment, in slices between calls; what is written meanwhile is not looked at.\n\n' +
    '--sample looks at some records only, chosen by chance, with all that belongs to them, and at the last 1000 commits.\n\n' +
    'Exits 13 when something is damaged. Each problem is told with its place and the command that goes on from there: coffer store repair, from a backup or from a paired node that has a copy.',
  options: {
    user: text('This account only, beside the chain', { placeholder: 'username', names: 'user' }),
    sample: whole('Look at this many records only', { from: 1 }),
  },
  examples: [
    { type: 'coffer store check', says: 'everything' },
    { type: 'coffer store check --sample 200', says: 'a quick look' },
    { type: 'coffer store check --user ana-lovelace --json', says: 'one account, for scripts' },
  ],
  json: '{"ok":true,"checked":{"commits",…},"problems":[{"where","what","user","next"}],"found"}; at most 1000 problems are listed, "found" counts all',
  offline: true,
  async run(context, { user, sample }) {
    const params = { ...(user === undefined ? {} : { user }), ...(sample === undefined ? {} : { sample }) }
    const answer = await workedOn(context, 'store.check', params).catch((error: unknown) => damagedFiles(error))
    await context.out.result(answer, { print: () => print(context, answer, sample) })
    return answer['ok'] === true ? 0 : (13 satisfies ExitCode)
  },
})

/** What a store does not even open for is a finding too. */
function damagedFiles(error: unknown): Record_ {
  if (!(error instanceof CommandError) || error.exit !== 13) throw error
  const damage = listOf(recordOf(error.data)['damage'])
  const problems = damage.map(({ file, what, offset }) => {
    const place = offset === undefined ? textOf(file) : `${textOf(file)}, byte ${textOf(offset)}`
    return { where: place, what: textOf(what), next: 'coffer store repair --from <folder of the backups>' }
  })
  return { ok: false, checked: { files: problems.length }, problems, found: problems.length }
}

async function print({ out, terminal }: Context, answer: Record_, sample: number | undefined): Promise<void> {
  const problems = listOf(answer['problems'])
  for (const problem of problems.slice(0, SHOWN)) {
    await terminal.write(`${terminal.paintOut.red('✖')} `)
    await out.line(`${placeOf(problem)}: ${textOf(problem['what'])}`)
    await out.line(`  → ${textOf(problem['next'])}`)
  }
  const found = numberOf(answer['found']) ?? problems.length
  if (found > SHOWN) await out.line(`… and ${amount(found - SHOWN)} more; see --json`)
  const checked = Object.entries(recordOf(answer['checked'])).map(([kind, count]) => `${amount(numberOf(count) ?? 0)} ${kind}`)
  if (checked.length > 0) await out.line(`Looked at ${checked.join(', ')}`)
  if (found > 0) await out.line(`${counted(found, 'problem')}. Nothing was changed; keep a copy of the home before anything else.`)
  else out.done(sample === undefined ? 'The store is whole' : 'The sample is whole')
}
