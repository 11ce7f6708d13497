/** Settings of how much an account may hold; `coffer users set-quota` decides for one account (quota.ts). */
import { setting, whole } from '../config/setting.js'

export const limitSettings = {
  'limits.account.dbDocuments': setting(whole(0, undefined, ' of bytes'), {
    default: null,
    summary: 'Most bytes on disk of the records of an account; beyond, it takes no more. Unset: any number.',
  }),
  'limits.account.attachedFiles': setting(whole(0, undefined, ' of bytes'), {
    default: null,
    summary: 'Most bytes of the attached files of an account; beyond, it takes no more. Unset: any number.',
  }),
} as const
