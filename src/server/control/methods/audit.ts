/** Retention of audit records, for the command line. */
import { readRetention } from '../../../store/accounts/auditRetention.js'
import type { NodeMethod } from '../control.js'
import { loadedOf } from './loaded.js'

export const auditMethods: Readonly<Record<string, NodeMethod>> = {
  /** `since`: the time from which all records of an account are there, null when none was removed. The limits are null where there is none. */
  async 'audit.retention'(node, params) {
    const { account } = await loadedOf(node, params)
    return {
      since: readRetention(account).since ?? null,
      maxAgeDays: node.config.get('audit.retention.maxAgeDays') || null,
      maxMbPerAccount: node.config.get('audit.retention.maxMbPerAccount') || null,
    }
  },
}
