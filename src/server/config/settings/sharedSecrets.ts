/** Settings of shared secrets (docs/interface/limits.md#sizes), read again for each call. */
import { positive, setting, whole, yesOrNo } from '../setting.js'

const thirtyDays = 30 * 24 * 60 * 60

export const sharedSecretSettings = {
  'sharedSecrets.enabled': setting(yesOrNo, {
    default: true,
    summary: 'Let apps store values that can be retrieved once, by anyone who has the key.',
  }),
  'sharedSecrets.maxSizeBytes': setting(whole(1, undefined, ' of bytes'), {
    default: 4096,
    summary: 'Maximum size of a shared secret as JSON, in bytes.',
  }),
  'sharedSecrets.maxTtl': setting(positive(' of seconds'), {
    default: thirtyDays,
    summary: 'Maximum lifetime of a shared secret, in seconds.',
  }),
} as const
