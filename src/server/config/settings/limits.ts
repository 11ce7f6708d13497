/**
 * Settings of how much a request may bring, how much of answers waits, and how much an account may hold; `coffer users
 * set-quota` decides the latter for one account (quota.ts).
 */
import { positive, setting, whole } from '../setting.js'

export const limitSettings = {
  'limits.json.maxSizeMb': setting(positive(' of megabytes'), {
    default: 10,
    summary: 'Largest JSON body of a request, in megabytes.',
  }),
  'limits.json.maxSizeWithoutTokenKb': setting(whole(1, 1_000_000, ' of kilobytes'), {
    default: 64,
    summary: 'Largest body of a request without a valid token or operator key, in kilobytes.',
  }),
  'limits.batch.maxTotalItems': setting(whole(1), {
    default: 100_000,
    summary: 'Most items that one batch or websocket call may answer.',
  }),
  'limits.batch.maxCalls': setting(whole(1, 1_000_000), { default: 1000, summary: 'Most calls in one batch.' }),
  'limits.account.dbDocuments': setting(whole(0, undefined, ' of bytes'), {
    default: null,
    summary: 'Most bytes on disk of the records of an account; beyond, it takes no more. Unset: any number.',
  }),
  'limits.account.attachedFiles': setting(whole(0, undefined, ' of bytes'), {
    default: null,
    summary: 'Most bytes of the attached files of an account; beyond, it takes no more. Unset: any number.',
  }),
  'limits.answers.maxWaitingMb': setting(positive(' of megabytes'), {
    default: 64,
    summary: 'Most megabytes of answers that wait in memory for clients to take them, beside 256 KB for each connection.',
  }),
  'limits.answers.timeoutMs': setting(whole(1000, 3_600_000, ' of milliseconds'), {
    default: 60_000,
    summary: 'A client that takes nothing of its answer for this many milliseconds is disconnected.',
  }),
} as const
