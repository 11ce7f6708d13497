/**
 * The control interface over HTTP, below `/system/admin/control/`, for callers with the operator key. Enabled by the setting
 * `remoteControl.active`. Offers the methods of the control socket, except those restricted to the machine of the node. Files are
 * transferred as bytes (remoteFiles.ts) instead of paths.
 */
import { ConfigError } from '../config/problem.js'
import type { NodeControl } from './control.js'
import { controlRequests } from './controlRequests.js'
import { assertAdmin } from '../auth/adminKey.js'
import { clientOrigin } from '../auth/origin.js'
import type { CommandHandler } from '../http/listen.js'
import { sendFailure } from '../http/respond.js'
import type { Node } from '../index.js'
import { remoteFiles } from './remoteFiles.js'

const PREFIX = '/system/admin/control/'

/**
 * Returns the handler; undefined when remote control is disabled. `control` is one for callers on other machines.
 * @throws ConfigError when it is enabled without an operator key
 */
export function remoteControl(node: Node, control: NodeControl): CommandHandler | undefined {
  const { config } = node
  const key = 'remoteControl.active'
  if (!config.get(key)) return undefined
  if (config.get('auth.adminAccessKey') === null) {
    throw new ConfigError([{ key, origin: config.origin(key), message: `${key} = true requires an operator key: set auth.adminAccessKey` }])
  }
  const handle = controlRequests(node, control)
  const files = remoteFiles(node, control)
  return {
    has: (path) => path.startsWith(PREFIX),
    request(request, response, { path, query }) {
      const origin = clientOrigin(node, request)
      try {
        assertAdmin(node, origin, request.headers.authorization)
      } catch (error) {
        return sendFailure(node, request, response, error)
      }
      const method = path.slice(PREFIX.length)
      const from = origin.ip === undefined ? {} : { ip: origin.ip }
      void (files.accepts(request) ? files.request(request, response, method, from) : handle(request, response, `${method}?${query}`, from))
    },
  }
}
