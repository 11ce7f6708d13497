/** Operator methods for accounts, besides the methods of the API. */
import { apiEndpoint } from '../../apiEndpoint.js'
import type { NodeMethod } from '../control.js'
import { register } from '../../register/createUser.js'
import { erase } from '../../register/deleteUser.js'
import { readRegistration } from '../../register/input.js'
import { accountReading, describe } from './accountReading.js'
import { loadedOf } from './loaded.js'

/** The app id of sessions that the command line opens. */
const CLI_APP = 'coffer-cli'

export const userMethods: Readonly<Record<string, NodeMethod>> = {
  ...accountReading,
  async 'users.create'(node, params) {
    const input = readRegistration({ appId: CLI_APP, ...params }, node.systemStreams)
    const { user, token, welcomed: greeted } = await register(node, input, 'operator')
    // In a store opened for this command only, nothing else waits for the mail.
    await greeted
    const loaded = await loadedOf(node, { username: user.username })
    return {
      user: await describe(node, loaded),
      apiEndpoint: apiEndpoint(node, user.username, token.reveal()),
    }
  },
  async 'users.delete'(node, params) {
    const loaded = await loadedOf(node, params)
    await erase(node, loaded)
    return { userDeletion: { username: loaded.user.username } }
  },
}
