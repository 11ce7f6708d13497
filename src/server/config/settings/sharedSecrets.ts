/** Settings of shared secrets (consent supplement 5.8); each call reads them anew. */
import { positive, setting, whole, yesOrNo } from '../setting.js'

const thirtyDays = 30 * 24 * 60 * 60

export const sharedSecretSettings = {
  'sharedSecrets.enabled': setting(yesOrNo, {
    default: true,
    summary: 'Apps may keep values here that are handed over once, to whoever has the key.',
  }),
  'sharedSecrets.maxSizeBytes': setting(whole(1, undefined, ' of bytes'), {
    default: 4096,
    summary: 'Largest value of a shared secret, as JSON.',
  }),
  'sharedSecrets.maxTtl': setting(positive(' of seconds'), {
    default: thirtyDays,
    summary: 'Most seconds for which a shared secret can be redeemed.',
  }),
} as const
