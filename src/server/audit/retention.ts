/** Prunes audit records by the settings `audit.retention`: every hour, in small steps. */
import { planPrune, prune, type RetentionLimits } from '../../store/accounts/auditRetention.js'
import { listUsernames } from '../../store/accounts/users.js'
import type { Store } from '../../store/index.js'
import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Config } from '../config/config.js'
import type { Auditor } from './auditor.js'

const FIRST_MS = 60_000
const HOUR_MS = 3600 * 1000
const DAY_SECONDS = 86_400
const MB = 1024 * 1024

interface RetentionDeps {
  store: Store
  config: Config
  clock: Clock
  log: Log
  audit: Auditor
}

/** Reads the retention limits from the settings; undefined where everything is kept. */
function retentionLimits({ config }: Pick<RetentionDeps, 'config'>): RetentionLimits | undefined {
  const days = config.get('audit.retention.maxAgeDays')
  const megabytes = config.get('audit.retention.maxMbPerAccount')
  if (days === 0 && megabytes === 0) return undefined
  return {
    ...(days === 0 ? {} : { maxAgeSeconds: days * DAY_SECONDS }),
    ...(megabytes === 0 ? {} : { maxBytes: megabytes * MB }),
  }
}

/** Prunes the records of one account after another. Loads only accounts with records to remove. */
export async function pruneRecords(node: RetentionDeps, isStopped: () => boolean = () => false): Promise<void> {
  const limits = retentionLimits(node)
  if (limits === undefined) return
  const { store, clock, log, audit } = node
  for (const { account: prefix, username } of await listUsernames(store.db)) {
    if (isStopped() || store.state !== 'writable') return
    const plan = await planPrune({ db: store.db, prefix }, limits, clock.now())
    if (plan.before === undefined && !plan.mustStoreState) continue
    const account = await store.account(prefix)
    const count = await prune(account, plan, (name) => audit.forgetListed(account, name))
    if (count > 0) log.info('old audit records removed', { user: username, records: count, before: plan.before })
  }
}

/** Prunes shortly after the start, then hourly. Returns the function that stops, resolving when no read is running. */
export function startRetention(node: RetentionDeps): () => Promise<void> {
  if (retentionLimits(node) === undefined) return () => Promise.resolve()
  let isStopped = false
  let running: Promise<void> | undefined
  const run = (): void => {
    running ??= pruneRecords(node, () => isStopped)
      .catch((error: unknown) => node.log.error('old audit records not removed', { error: String(error) }))
      .finally(() => (running = undefined))
  }
  const first = setTimeout(run, FIRST_MS)
  const hourly = setInterval(run, HOUR_MS)
  first.unref()
  hourly.unref()
  return async () => {
    isStopped = true
    clearTimeout(first)
    clearInterval(hourly)
    await running
  }
}
