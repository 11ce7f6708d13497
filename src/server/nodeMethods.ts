/** What the operator can ask of a running or opened node beside the methods of the interface. */
import type { NodeMethod } from './control.js'
import { mfaMethods } from './operator/mfa.js'
import { statusMethods } from './operator/node.js'
import { passwordMethods } from './operator/passwords.js'
import { profileMethods } from './operator/profiles.js'
import { sessionMethods } from './operator/sessions.js'
import { userMethods } from './operator/users.js'

export const nodeMethods: Readonly<Record<string, NodeMethod>> = {
  ...mfaMethods,
  ...statusMethods,
  ...userMethods,
  ...passwordMethods,
  ...sessionMethods,
  ...profileMethods,
}
