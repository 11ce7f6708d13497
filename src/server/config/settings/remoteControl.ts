/** Settings of remote administration. */
import { setting, yesOrNo } from '../setting.js'

export const remoteControlSettings = {
  'remoteControl.active': setting(yesOrNo, {
    default: false,
    summary:
      'Allow anyone with auth.adminAccessKey to run commands on this node from another machine (coffer nodes), and thereby to act ' +
      'as any of its accounts.',
  }),
} as const
