/** Settings of commands from other machines. */
import { setting, yesOrNo } from '../setting.js'

export const remoteControlSettings = {
  'remoteControl.active': setting(yesOrNo, {
    default: false,
    summary:
      'Whoever holds auth.adminAccessKey may give commands to this node from another machine (coffer nodes), and so act ' +
      'as any of its accounts.',
  }),
} as const
