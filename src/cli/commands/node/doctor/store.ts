/** Checks that the store opens, and that a sample of its records, or all, are intact. */
import { CommandError, hintText } from '../../../framework/exit.js'
import { amount, counted } from '../../../terminal/output/format.js'
import { openStoreWork, placeOf } from '../../store/shared/work.js'
import { fault, fine, type Check, type Finding } from './finding.js'

const SAMPLE = 200
const SHOWN = 5

export const store: Check = {
  name: 'store',
  async run({ context, facts, deep }) {
    const { commandFor } = context
    const findings: Finding[] = []
    if (facts?.['state'] === 'read-only') {
      findings.push(fault('the disk failed: the node is read-only', `${commandFor('stop')}, then ${commandFor('start')} once the disk is repaired`))
    }
    if (facts?.['state'] === 'full') findings.push(fault('the disk is full: writes are refused', 'free some space; the node resumes by itself'))
    try {
      const work = await openStoreWork(context)
      try {
        if (work.keyProblem !== undefined) {
          const { message, hint } = work.keyProblem
          findings.push(fault(message, hint?.split('\n')[0] ?? 'restore the key file of this store'))
        }
        const format = await work.do('store.format', {})
        findings.push(fine(`opens, format ${format.format}`))
        const { checked, problems, found } = await work.do('store.check', deep ? {} : { sample: SAMPLE })
        for (const problem of problems.slice(0, SHOWN)) {
          findings.push({ state: 'damage', says: `${placeOf(problem)} ${problem.what}`, next: problem.next })
        }
        const more = found - SHOWN
        if (more > 0) findings.push({ state: 'damage', says: `${amount(more)} more${deep ? '' : ' in the sample'}`, next: commandFor('store', 'check') })
        if (found === 0) {
          const sampled = checked['sampled records'] ?? 0
          findings.push(fine(`end of the chain and high-water mark, ${counted(checked['commits'] ?? 0, 'commit')}`))
          findings.push(fine(deep ? 'all records and index entries intact' : `${counted(sampled, 'sampled record')} intact`))
        }
      } finally {
        await work.close()
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      const [text = ''] = error.message.split('\n')
      const next = error.hint === undefined ? commandFor('store', 'check') : hintText(error.hint, commandFor)
      findings.push({ state: error.exit === 13 ? 'damage' : 'fault', says: text, next: next.split('\n')[0] ?? next })
    }
    return findings
  },
}
