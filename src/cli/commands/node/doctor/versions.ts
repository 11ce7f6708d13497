/** Checks that the running Node.js version is new enough for coffer, and still gets security fixes. */
import { requiredNode } from '../../../../server/base/version.js'
import { isOlder } from '../shared/versionOrder.js'
import { fault, fine, warning, type Check } from './finding.js'

/** End of support of each release line, as announced by the Node.js project. */
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
    const version = (facts?.['nodeVersion'] ?? '') || process.version
    const major = Number(/^v(\d+)/.exec(version)?.[1])
    const end = SUPPORT_ENDS[major]
    const needed = requiredNode()
    const newest = 'install a Node.js version with long-term support: https://nodejs.org'
    if (isOlder(version, needed)) return [fault(`Node.js ${version} is too old: coffer needs ${needed} or newer`, newest)]
    if (end === undefined) return [warning(`Node.js ${version} is not a long-term support version known to this coffer`, newest)]
    if (Date.parse(end) / 1000 < now) return [warning(`Node.js ${version} has had no security fixes since ${end}`, newest)]
    return [fine(`Node.js ${version} gets security fixes until ${end}`)]
  },
}
