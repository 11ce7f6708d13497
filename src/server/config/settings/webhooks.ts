/** Settings of webhooks (docs/interface/webhooks.md#delivery, docs/interface/limits.md#settings). */
import { isIP } from 'node:net'
import * as z from 'zod'
import { listOf, setting, whole } from '../setting.js'

/** Checks whether a value is a host name, an IP address or a network. */
function isHostEntry(value: string): boolean {
  const [address = '', prefix, more] = value.split('/')
  const version = isIP(address)
  if (prefix === undefined) return version !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(value)
  return version !== 0 && more === undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

const DAY_MS = 86_400_000

export const webhookSettings = {
  'webhooks.minIntervalMs': setting(whole(0, DAY_MS, ' of milliseconds'), {
    default: 5000,
    summary: 'Minimum milliseconds between two calls of a webhook; changes in between are combined. Applies to new webhooks.',
  }),
  'webhooks.maxRetries': setting(whole(0, 100), {
    default: 5,
    summary: 'Number of consecutive failed calls after which a webhook is deactivated. Applies to new webhooks.',
  }),
  'webhooks.runsSize': setting(whole(1, 1000), { default: 20, summary: 'Number of recent calls that a webhook lists.' }),
  'webhooks.requestTimeoutMs': setting(whole(1, DAY_MS, ' of milliseconds'), {
    default: 10_000,
    summary: 'Milliseconds after which a call of a webhook times out.',
  }),
  'webhooks.allowedPrivateHosts': setting(
    listOf(() => z.string().refine(isHostEntry), 'a list of host names, IP addresses and networks (10.0.0.0/8)'),
    {
      default: [],
      summary:
        'Hosts in private networks that webhooks, and messages to other accounts, may call. A node that is only reachable from ' +
        'this machine may call this machine too.',
    },
  ),
} as const
