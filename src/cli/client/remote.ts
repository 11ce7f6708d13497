/** Client of a remote node over HTTP with its operator key, for `--node` and `coffer nodes use`. */
import type { IncomingMessage } from 'node:http'
import { errorMessage } from '../../store/model/errorMessage.js'
import { CommandError } from '../framework/exit.js'
import type { NamedNode } from './nodeRegistry.js'
import { httpRequest } from './httpRequest.js'
import { createControlClient } from './controlClient.js'
import type { NodeClient } from './nodeClient.js'

/** Header in every response of the control interface. */
const CONTROL_HEADER = 'coffer-door'
/** Path below the address of a node. */
const COMMANDS = 'system/admin/control/'
const CHECK_HINT = 'Check that it is running and that the address is correct. On its machine: coffer status'

/**
 * Creates the client of a remote node. Sends no request before the first call.
 * @param timeoutMs how long to wait for the start of a response; undefined means no limit
 */
export async function openRemote(node: NamedNode, timeoutMs?: number): Promise<NodeClient> {
  const base = new URL(node.url)
  const isSecure = base.protocol === 'https:'
  const { request: send } = isSecure ? await import('node:https') : await import('node:http')
  const authorization = node.key.reveal()
  return createControlClient({
    kind: 'remote',
    nextCommand: `Check the node: coffer nodes whoami --node ${node.name}`,
    request: async ({ method, target, body, accept }) => {
      const { hostname, port, pathname } = new URL(COMMANDS + target.replace(/\?.*/, ''), base)
      const query = /\?.*/.exec(target)?.[0] ?? ''
      const options = {
        ...{ method, protocol: base.protocol, path: pathname + query, headers: { authorization, ...(accept === undefined ? {} : { accept }) } },
        ...{ hostname: hostname.replace(/^\[|\]$/g, ''), ...(port === '' ? {} : { port }) },
      }
      const answer = await httpRequest({ send, options, body, timeoutMs }, (cause) => unreachable(cause, node))
      assertControlResponse(answer, node)
      return answer
    },
  })
}

/** Checks that a response comes from a control interface. @throws CommandError 4 or 7 otherwise */
function assertControlResponse(answer: IncomingMessage, { url }: NamedNode): void {
  const { statusCode = 0, headers } = answer
  if (headers[CONTROL_HEADER] !== undefined) return
  answer.resume()
  if (statusCode >= 300 && statusCode < 400) {
    const to = headers.location === undefined ? ' elsewhere' : ` to ${headers.location}`
    throw new CommandError(`${url} redirects${to}.`, { exit: 7, hint: 'Add the node with its own address: coffer nodes add' })
  }
  // Remote control is off, or the key is wrong: the node answers both in the same way.
  if (statusCode === 404 && headers['api-version'] !== undefined) {
    throw new CommandError(`The node at ${url} does not accept remote commands with this key.`, {
      exit: 4,
      hint:
        'On its machine, coffer config get remoteControl.active must be true, with coffer restart after a change,\n' +
        'and coffer config get auth.adminAccessKey --reveal prints the key.',
    })
  }
  throw new CommandError(`The server at ${url} is not a coffer node, or is not ready (HTTP ${statusCode}).`, {
    exit: 7,
    hint: CHECK_HINT,
  })
}

function unreachable(cause: unknown, { url }: NamedNode): CommandError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = errorTexts[code] ?? errorMessage(cause)
  const isTrust = /CERT|SIGNATURE|TLS|SSL/.test(code)
  const hint = isTrust
    ? 'For a certificate of your own authority, set NODE_EXTRA_CA_CERTS to the file of that authority.'
    : CHECK_HINT
  return new CommandError(`The node at ${url} cannot be reached: ${why}.`, { exit: 7, cause, hint })
}

const errorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS lookup failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is from an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
