/** Settings of accounts that moved to another node (relocation.ts). */
import { setting, whole } from '../setting.js'

const thirtyDays = 30 * 24 * 60 * 60 * 1000

export const moveSettings = {
  'account.relocationMaxAge': setting(whole(1, undefined, ' of milliseconds'), {
    default: thirtyDays,
    summary: 'Milliseconds for which callers of a moved account are redirected to its new address.',
  }),
} as const
