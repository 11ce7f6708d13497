/** Settings of accounts that have moved to another node (relocation.ts). */
import { setting, whole } from '../setting.js'

const thirtyDays = 30 * 24 * 60 * 60 * 1000

export const moveSettings = {
  'account.relocationMaxAge': setting(whole(1, undefined, ' of milliseconds'), {
    default: thirtyDays,
    summary: 'Callers of an account that has moved are told its new address for this many milliseconds.',
  }),
} as const
