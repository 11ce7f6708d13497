/**
 * Settings of request sizes, pending answers and account quotas. `coffer users set-quota` overrides the quotas of one account
 * (quota.ts).
 */
import { positive, setting, whole } from '../setting.js'

export const limitSettings = {
  'limits.json.maxSizeMb': setting(positive(' of megabytes'), {
    default: 10,
    summary: 'Maximum JSON body size of a request, in megabytes.',
  }),
  'limits.json.maxSizeWithoutTokenKb': setting(whole(1, 1_000_000, ' of kilobytes'), {
    default: 64,
    summary: 'Maximum body size of a request without a valid token or operator key, in kilobytes.',
  }),
  'limits.batch.maxTotalItems': setting(whole(1), {
    default: 100_000,
    summary: 'Maximum number of items in the result of one batch or websocket call.',
  }),
  'limits.batch.maxCalls': setting(whole(1, 1_000_000), { default: 1000, summary: 'Maximum number of calls in one batch.' }),
  'limits.account.dbDocuments': setting(whole(0, undefined, ' of bytes'), {
    default: null,
    summary: 'Maximum disk space of the records of an account, in bytes; further writes are rejected. Unset: unlimited.',
  }),
  'limits.account.attachedFiles': setting(whole(0, undefined, ' of bytes'), {
    default: null,
    summary: 'Maximum disk space of the attachments of an account, in bytes; further writes are rejected. Unset: unlimited.',
  }),
  'limits.answers.maxWaitingMb': setting(positive(' of megabytes'), {
    default: 64,
    summary: 'Maximum megabytes of answers buffered in memory for slow clients, besides 256 KB per connection.',
  }),
  'limits.answers.timeoutMs': setting(whole(1000, 3_600_000, ' of milliseconds'), {
    default: 60_000,
    summary: 'Milliseconds after which a client that reads nothing of its answer is disconnected.',
  }),
} as const
