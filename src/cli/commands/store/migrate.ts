import { command } from '../../command.js'
import { numberOf, textOf } from '../../node/answer.js'
import { flag } from '../../option.js'
import { workedOn } from '../../store/work.js'

/** `coffer store migrate`. */
export const migrate = command({
  path: ['store', 'migrate'],
  summary: 'Say which format the store has, and bring it to the newest',
  description:
    'There is one format so far, so there is nothing to bring anywhere; a store of a newer format, made by a newer coffer, is refused by every command.',
  options: { dryRun: flag('Only say what would be done', { short: 'n' }) },
  examples: [{ type: 'coffer store migrate --dry-run', says: 'which format, and what would be done' }],
  json: '{"format","newestFormat","steps":[],"dryRun"}',
  reach: 'machine',
  offline: true,
  async run(context, { dryRun }) {
    const { out } = context
    const { format, newestFormat } = await workedOn(context, 'store.format', {})
    const answer = { format: numberOf(format), newestFormat: numberOf(newestFormat), steps: [], dryRun }
    await out.result(answer, {
      tell: () => out.line(`The store has format ${textOf(format)}, which is the newest: nothing to do`),
    })
  },
})
