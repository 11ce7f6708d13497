/**
 * The control door over HTTP, below `/system/admin/control/`: for whoever shows the operator key, where the setting
 * `remoteControl.active` opens it. It gives what the control socket gives, but for what belongs to the machine of the node;
 * files go in and come out as bytes (remoteFiles.ts), where the socket passes their paths.
 */
import { ConfigError } from '../config/problem.js'
import { createControl } from './control.js'
import { controlRequests } from './controlRequests.js'
import { assertAdmin } from '../guard/adminKey.js'
import { clientOrigin } from '../guard/origin.js'
import type { CommandHandler } from '../http/listen.js'
import { sendFailure } from '../http/respond.js'
import type { Method } from '../method.js'
import type { Node } from '../node.js'
import { machineCommands, operatorMethods } from './nodeMethods.js'
import { remoteFiles } from './remoteFiles.js'

const PREFIX = '/system/admin/control/'

/**
 * The door; undefined when it is closed.
 * @throws ConfigError when it is open and there is no key to it
 */
export function remoteControl(node: Node, methods: readonly Method[]): CommandHandler | undefined {
  const { config } = node
  const key = 'remoteControl.active'
  if (!config.get(key)) return undefined
  if (config.get('auth.adminAccessKey') === null) {
    throw new ConfigError([{ key, origin: config.origin(key), message: `${key} = true needs a key that opens it: set auth.adminAccessKey` }])
  }
  const control = createControl(node, methods, operatorMethods, machineCommands)
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
      void (files.concerns(request) ? files.request(request, response, method, from) : handle(request, response, `${method}?${query}`, from))
    },
  }
}
