/** Settings of consents and messages between accounts (docs/interface/messages.md#delivery). */
import { setting, yesOrNo } from '../setting.js'

export const consentSettings = {
  'cmc.retryLoop.enabled': setting(yesOrNo, {
    default: true,
    summary: 'Retry messages to other accounts that could not be delivered, up to 6 times with increasing delays.',
  }),
} as const
