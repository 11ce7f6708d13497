/** What the operator can ask of a running or opened node beside the methods of the interface. */
import type { NodeMethod } from './control.js'
import { accountMethods } from './operator/accounts.js'
import { statusMethods } from './operator/node.js'
import { profileMethods } from './operator/profiles.js'
import { userMethods } from './operator/users.js'

export const nodeMethods: Readonly<Record<string, NodeMethod>> = {
  ...statusMethods,
  ...userMethods,
  ...accountMethods,
  ...profileMethods,
}
