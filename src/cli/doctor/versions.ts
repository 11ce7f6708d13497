/** Whether the Node.js that runs this still gets security fixes. */
import { textOf } from '../client/answer.js'
import { fine, warning, type Check } from './finding.js'

/** The last day of each line, as the Node.js project has announced it. */
const SUPPORT_ENDS: Readonly<Record<number, string>> = {
  18: '2025-04-30',
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
}

export const versions: Check = {
  name: 'versions',
  run: async ({ facts, now }) => {
    const version = textOf(facts?.['nodeVersion']) || process.version
    const major = Number(/^v(\d+)/.exec(version)?.[1])
    const end = SUPPORT_ENDS[major]
    const newest = 'install a line of Node.js with long-term support: https://nodejs.org'
    if (end === undefined) return [warning(`Node.js ${version} is no line with long-term support that this coffer knows`, newest)]
    if (Date.parse(end) / 1000 < now) return [warning(`Node.js ${version} gets no security fixes since ${end}`, newest)]
    return [fine(`Node.js ${version} gets security fixes until ${end}`)]
  },
}
