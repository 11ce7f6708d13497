/** Stopped webhooks, for the operator. */
import { listUsernames } from '../../store/accounts/users.js'
import { listWebhooks, readRuns } from '../../store/accesses/webhooks.js'
import type { WebhookRuns } from '../../store/model/webhook.js'
import { isAccessValid } from '../auth/authenticate.js'
import type { Context } from '../call/context.js'

interface StoppedWebhook {
  user: string
  id: string
  host: string
  /** Consecutive failures before the stop; 0 when its access had ended and is valid again. */
  failed: number
  /** Time of the first of these failures in the recorded runs, in seconds; null without any. */
  since: number | null
}

/**
 * Lists the webhooks of all accounts that can be restarted: those that failed too often, or were stopped while their access was
 * invalid. Excludes those whose access is invalid now. Scans all webhooks.
 */
export async function stoppedWebhooks({ store: { db, seal }, clock }: Pick<Context, 'store' | 'clock'>): Promise<StoppedWebhook[]> {
  const stopped = []
  for (const { username, account } of await listUsernames(db)) {
    for (const { id, url, accessId } of await listWebhooks({ db, prefix: account }, seal)) {
      const runs = readRuns(db, account, id)
      const mayStart = runs.isStopped === true && isAccessValid(db, account, accessId, clock.now())
      if (mayStart) stopped.push({ user: username, id, host: URL.canParse(url) ? new URL(url).host : url, ...streakOf(runs) })
    }
  }
  return stopped
}

function streakOf({ runs, currentRetries }: WebhookRuns): Pick<StoppedWebhook, 'failed' | 'since'> {
  return { failed: currentRetries, since: runs.slice(0, currentRetries).at(-1)?.timestamp ?? null }
}
