import { command } from '../../command.js'
import { flag } from '../../framework/option.js'
import { runMaintenance } from './shared/work.js'

/** Migration steps, by the format they start from. */
const STEPS: readonly { from: number; text: string }[] = [
  { from: 1, text: 'Profile sets: convert documents to registers, without earlier values' },
]

/** `coffer store migrate`. */
export const migrate = command({
  path: ['store', 'migrate'],
  summary: 'Show the format of the store, and migrate it to the newest',
  description:
    'A node migrates its store to the newest format when it starts; this command migrates it beforehand, or lists the steps. From format 1 to 2, profile sets are converted to registers: earlier values of their keys are dropped, and leave the files with the next compaction. Earlier versions of coffer cannot open a migrated store.',
  options: { dryRun: flag('Only list the pending steps', { short: 'n' }) },
  examples: [{ type: 'coffer store migrate --dry-run', description: 'show the format and the pending steps' }],
  json: '{"format","newestFormat","steps":[…],"dryRun"}; the steps that were pending',
  reach: 'machine',
  offline: true,
  async run(context, { dryRun }) {
    const { out } = context
    const { format, newestFormat, from } = await runMaintenance(context, 'store.format', {})
    const steps = STEPS.filter((step) => step.from >= from).map(({ text }) => text)
    // Opening the store migrates it.
    if (steps.length > 0 && !dryRun) await context.connectToAccounts()
    const answer = { format: steps.length > 0 && !dryRun ? newestFormat : format, newestFormat, steps, dryRun }
    await out.result(answer, {
      print: async () => {
        if (steps.length === 0) return out.line(`The store already has the newest format, ${format}`)
        for (const step of steps) await out.line(step)
        if (!dryRun) out.done(`The store now has format ${newestFormat}`)
      },
    })
  },
})
