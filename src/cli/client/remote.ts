/** A node of another machine, over HTTP, with its operator key: the way of `--node` and `coffer nodes use`. */
import type { IncomingMessage } from 'node:http'
import { CommandError } from '../framework/exit.js'
import type { NamedNode } from './nodeRegistry.js'
import { httpRequest } from './httpRequest.js'
import { createControlClient } from './controlClient.js'
import type { NodeClient } from './nodeClient.js'

/** What answers of a control door bear. */
const CONTROL_HEADER = 'coffer-door'
/** Below the address of a node. */
const COMMANDS = 'system/admin/control/'
const IS_IT_THERE = 'Is it running, and is that its address? On its machine: coffer status'

/**
 * The door of a node that listens elsewhere. Nothing is asked before the first call.
 * @param timeoutMs how long to wait for the node to begin its answer; without limit when undefined.
 */
export async function openRemote(node: NamedNode, timeoutMs?: number): Promise<NodeClient> {
  const base = new URL(node.url)
  const isSecure = base.protocol === 'https:'
  const { request: send } = isSecure ? await import('node:https') : await import('node:http')
  const authorization = node.key.reveal()
  return createControlClient({
    kind: 'remote',
    lookForIt: `Look for it with: coffer nodes whoami --node ${node.name}`,
    ask: async ({ method, target, body, accept }) => {
      const { hostname, port, pathname } = new URL(COMMANDS + target.replace(/\?.*/, ''), base)
      const query = /\?.*/.exec(target)?.[0] ?? ''
      const options = {
        ...{ method, protocol: base.protocol, path: pathname + query, headers: { authorization, ...(accept === undefined ? {} : { accept }) } },
        ...{ hostname: hostname.replace(/^\[|\]$/g, ''), ...(port === '' ? {} : { port }) },
      }
      const answer = await httpRequest({ send, options, body, timeoutMs }, (cause) => unreachable(cause, node))
      assertOwnNode(answer, node)
      return answer
    },
  })
}

/** Refuses answers that no control door gives. */
function assertOwnNode(answer: IncomingMessage, { url }: NamedNode): void {
  const { statusCode = 0, headers } = answer
  if (headers[CONTROL_HEADER] !== undefined) return
  answer.resume()
  if (statusCode >= 300 && statusCode < 400) {
    const to = headers.location === undefined ? '' : ` to ${headers.location}`
    throw new CommandError(`${url} only points elsewhere${to}.`, { exit: 7, hint: 'Name the node by its own address: coffer nodes add' })
  }
  // A node does not say which of the two it is.
  if (statusCode === 404 && headers['api-version'] !== undefined) {
    throw new CommandError(`The node at ${url} takes no commands from here by this key.`, {
      exit: 4,
      hint:
        'On its machine, coffer config get remoteControl.active must be true, with coffer restart after a change,\n' +
        'and coffer config get auth.adminAccessKey --reveal prints the key.',
    })
  }
  throw new CommandError(`What answers at ${url} is no node of coffer, or is not ready (HTTP ${statusCode}).`, {
    exit: 7,
    hint: IS_IT_THERE,
  })
}

function unreachable(cause: unknown, { url }: NamedNode): CommandError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = words[code] ?? (cause instanceof Error ? cause.message : String(cause))
  const isTrust = /CERT|SIGNATURE|TLS|SSL/.test(code)
  const hint = isTrust
    ? 'Where the certificate is your own, name the file of its authority in NODE_EXTRA_CA_CERTS.'
    : IS_IT_THERE
  return new CommandError(`The node at ${url} cannot be reached: ${why}.`, { exit: 7, cause, hint })
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'no machine has that name',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'there is no way to that machine',
  ENETUNREACH: 'there is no way to that machine',
  ETIMEDOUT: 'nothing answers there',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an authority that this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that this machine does not know',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
