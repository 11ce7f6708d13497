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
  const send = await senderTo(node)
  const authorization = node.key.reveal()
  return createControlClient({
    kind: 'remote',
    nextCommand: `Check the node: coffer nodes whoami --node ${node.name}`,
    request: async ({ method, target, body, accept }) => {
      const options = { method, ...optionsFor(node, target), headers: { authorization, ...(accept === undefined ? {} : { accept }) } }
      const answer = await httpRequest({ send, options, body, timeoutMs }, (cause) => unreachable(cause, node))
      assertControlResponse(answer, node)
      return answer
    },
  })
}

type Address = Pick<NamedNode, 'url'>

const senderTo = async ({ url }: Address) => (url.startsWith('https:') ? (await import('node:https')).request : (await import('node:http')).request)

/** Returns the options of a request to the control interface of a node. */
function optionsFor({ url }: Address, target: string): { protocol: string; hostname: string; port?: string; path: string } {
  const { protocol, hostname, port, pathname } = new URL(COMMANDS + target.replace(/\?.*/, ''), url)
  const query = /\?.*/.exec(target)?.[0] ?? ''
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), ...(port === '' ? {} : { port }), path: pathname + query }
}

/**
 * Checks that a node answers at an address, without a key.
 * @throws CommandError 7 when nothing answers in time, or something else
 */
export async function assertNodeAt(url: string, timeoutMs: number): Promise<void> {
  const node = { url }
  const options = { method: 'GET', ...optionsFor(node, 'node.status') }
  const answer = await httpRequest({ send: await senderTo(node), options, timeoutMs }, (cause) => unreachable(cause, node))
  answer.resume()
  if (!isNodeResponse(answer)) assertControlResponse(answer, node)
}

/** Checks whether a node answers at an address. */
export const isNodeAt = (url: string, timeoutMs: number): Promise<boolean> =>
  assertNodeAt(url, timeoutMs).then(
    () => true,
    () => false,
  )

/** Checks for the response of a node to a request without a key, whether remote control is on or off. */
const isNodeResponse = ({ statusCode, headers }: IncomingMessage): boolean => statusCode === 404 && headers['api-version'] !== undefined

/** Checks that a response comes from a control interface. @throws CommandError 4 or 7 otherwise */
function assertControlResponse(answer: IncomingMessage, { url }: Address): void {
  const { statusCode = 0, headers } = answer
  if (headers[CONTROL_HEADER] !== undefined) return
  answer.resume()
  if (statusCode >= 300 && statusCode < 400) {
    const to = headers.location === undefined ? ' elsewhere' : ` to ${headers.location}`
    throw new CommandError(`${url} redirects${to}.`, { exit: 7, hint: 'Add the node with its own address: coffer nodes add' })
  }
  // Remote control is off, or the key is wrong: the node answers both in the same way.
  if (isNodeResponse(answer)) {
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

function unreachable(cause: unknown, { url }: Address): CommandError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = errorTexts[code] ?? errorMessage(cause)
  const isPlain = why.includes('with TLS')
  const isTrust = !isPlain && /CERT|SIGNATURE|TLS|SSL/.test(code)
  const hint = isPlain
    ? 'If it serves plain HTTP, reach it through a tunnel: ssh -L 3001:localhost:3000 <its machine>, then http://localhost:3001'
    : isTrust
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
  EPROTO: 'it does not answer with TLS at this port',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not answer with TLS at this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not answer with TLS at this port',
  HPE_INVALID_CONSTANT: 'it does not answer with HTTP at this port',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is from an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
