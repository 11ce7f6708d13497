/** Operator method for the retention of audit records. */
import { readRetention } from '../../../store/accounts/auditRetention.js'
import type { NodeMethod } from '../control.js'
import { loadedOf } from './loaded.js'

export const auditMethods: Readonly<Record<string, NodeMethod>> = {
  /**
   * Returns the retention of audit records. `since`: the time from which records are complete, null when none was removed. Limits
   * are null when unlimited.
   */
  async 'audit.retention'(node, params) {
    const { account } = await loadedOf(node, params)
    return {
      since: readRetention(account).since ?? null,
      maxAgeDays: node.config.get('audit.retention.maxAgeDays') || null,
      maxMbPerAccount: node.config.get('audit.retention.maxMbPerAccount') || null,
    }
  },
}
