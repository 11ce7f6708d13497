/** Settings of consents and messages between accounts (consent supplement 1.18). */
import { setting, yesOrNo } from '../setting.js'

export const consentSettings = {
  'cmc.retryLoop.enabled': setting(yesOrNo, {
    default: true,
    summary: 'Messages to other accounts that could not be delivered are sent again, 6 times at most, after longer and longer pauses.',
  }),
} as const
