/** Operator methods that redirect callers of a moved account (relocation.ts). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { apiEndpoint } from '../../apiEndpoint.js'
import type { NodeMethod } from '../control.js'
import { newAddress } from '../../relocation.js'
import { changeUser, loadedOf } from './loaded.js'

/** `seconds`: duration of the redirect; default: from the settings. */
const Asked = z.object({ username: z.string(), url: z.string(), seconds: z.number().positive().optional() })

export const moveMethods: Readonly<Record<string, NodeMethod>> = {
  async 'users.relocate'(node, params) {
    const { username, url: input, seconds } = parseInput(Asked, params)
    const loaded = await loadedOf(node, { username })
    const url = newAddress(input)
    if (url === apiEndpoint(node, loaded.user.username)) {
      throw new Failure('invalid-operation', 'This is the address of the account on this node. Pass its new address.')
    }
    const until = node.clock.now() + (seconds ?? node.config.get('account.relocationMaxAge') / 1000)
    const user = await changeUser(loaded, (former) => ({ ...former, relocated: { url, until } }))
    return { user: { username: user.username, relocated: { url, until } } }
  },
  async 'users.cancelRelocation'(node, params) {
    const loaded = await loadedOf(node, params)
    const user = await changeUser(loaded, ({ relocated: _, ...rest }) => rest)
    return { user: { username: user.username, relocated: null } }
  },
}
