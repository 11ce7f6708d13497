/** Runs a node: opens its store and listeners, until it is stopped. */
import { dropKeyDrafts } from '../../store/keyring/nodeKey.js'
import { schemeOf } from '../config/apiEndpoint.js'
import { ssoProblem } from '../api/auth/sso/wiring.js'
import { ConfigError } from '../config/problem.js'
import { createControlOnDemand } from '../control/controlOnDemand.js'
import { listenControl, type ControlSocket } from '../control/controlSocket.js'
import { listen, type Listening } from '../http/listen.js'
import { openNode, type NodeOptions, type OpenNode } from '../index.js'
import { urlHost } from '../base/urlHost.js'
import { isOn } from '../call/method.js'
import { methods as allMethods } from '../api/methods.js'
import { lifecycleMethods } from '../control/lifecycleMethods.js'
import { pagesOf } from '../pages/pagesHandler.js'
import { deliverWebhooks } from '../webhooks/deliver.js'
import { remoteControl } from '../control/remoteControl.js'
import { realtimeOf } from '../websocket/websocketHandler.js'
import { reopenWhenSpaceFreed } from './diskSpaceWatcher.js'
import { redirectPortOf } from '../config/tlsConfig.js'
import type { Redirect } from '../tls/redirect.js'

interface RunOptions extends NodeOptions {
  /** Path of the control socket. */
  socket: string
  /** Stops and reopens this node, for faults that only this repairs. */
  reopen?(): void
}

export interface RunningNode {
  readonly node: OpenNode
  /** URL of the HTTP listener: `http://127.0.0.1:3000/`. */
  readonly url: string
  readonly port: number
  /** Port that redirects plain HTTP to HTTPS. */
  readonly redirectPort?: number
  /** Port of the name server. */
  readonly namesPort?: number
  /** Finishes open requests for at most `withinMs`, then closes everything. */
  stop(withinMs: number): Promise<void>
}

/** Delay after which a started node loads the operator methods, so that it answers its first calls before. */
const PREPARE_AFTER_MS = 500

/**
 * Opens the store, the HTTP listener and the control socket. Throws the errors of openNode, and the system's when the port is in
 * use.
 */
export async function runNode(options: RunOptions): Promise<RunningNode> {
  const node = await openNode(options)
  await dropKeyDrafts(options.key).catch((error: unknown) => node.log.error('key files of former processes could not be removed', { error: String(error) }))
  let http: Listening | undefined
  let control: ControlSocket | undefined
  let redirect: Redirect | undefined
  let names: { port: number; stop(): Promise<void> } | undefined
  try {
    assertMailSettings(node)
    const methods = allMethods.filter((one) => isOn(node, one))
    const host = options.config.get('http.ip')
    const client = node.sync.handler(node)
    const controls = createControlOnDemand(node, methods, lifecycleMethods({ stop: () => request('SIGTERM'), restart: () => request(RESTART) }))
    const commands = remoteControl(node, controls.remote)
    const tls = node.certificates.isOn ? { certificates: node.certificates } : {}
    const served = { methods, ...tls, pages: pagesOf(node), realtime: realtimeOf(node, methods), ...(client === undefined ? {} : { sync: client }), ...(commands === undefined ? {} : { commands }) }
    http = await listen(node, served, host, options.config.get('http.port'))
    const base = `${schemeOf(options.config)}://${urlHost(host)}:${http.port}`
    node.setListeningBase(base)
    const lack = ssoProblem(node)
    if (lack !== undefined) node.log.warn('single sign-on is not available', { because: lack })
    redirect = await redirectTo(node, http)
    if (options.config.get('dns.active')) names = await (await import('../platform/dns/run.js')).runNameServer(node)
    control = await listenControl(node, controls.local, options.socket)
    const opened = { http, control, redirect, names }
    const stopLooking = options.reopen === undefined ? undefined : reopenWhenSpaceFreed(node, options.reopen)
    // Soon, since the files are missing after another version was installed over the running one.
    const preparing = setTimeout(() => {
      void controls.prepare().catch((error: unknown) => node.log.error('the operator methods could not be loaded', { error: String(error) }))
    }, PREPARE_AFTER_MS)
    const deliveries = deliverWebhooks(node)
    void node.consents.resume().catch((error: unknown) => node.log.error('pending messages could not be read', { error: String(error) }))
    node.sync.begin()
    // The first certificate is requested when the authority can connect.
    void node.certificates.check().catch((error: unknown) => node.log.error('the certificate could not be checked', { error: String(error) }))
    return {
      node,
      url: `${base}/`,
      port: http.port,
      ...(redirect === undefined ? {} : { redirectPort: redirect.port }),
      ...(names === undefined ? {} : { namesPort: names.port }),
      async stop(withinMs) {
        stopLooking?.()
        clearTimeout(preparing)
        // Notifies peers before their connections are closed.
        await node.sync.stop()
        await opened.redirect?.stop()
        await opened.names?.stop()
        await opened.http.stop(withinMs)
        await opened.control.stop()
        deliveries.stop()
        await node.close()
      },
    }
  } catch (error) {
    await names?.stop()
    await redirect?.stop()
    await http?.stop(0)
    await control?.stop()
    await node.close()
    throw error
  }
}

/**
 * Checks that a node that requires mailed registration codes can send mail (docs/interface/registration.md#e-mail-codes).
 * @throws ConfigError
 */
function assertMailSettings({ config, mail }: OpenNode): void {
  const key = 'account.emailVerification.requireAtRegistration'
  if (!config.get(key) || mail.isOn('emailChallenge')) return
  const message = `${key} = true requires mail to send the codes: configure services.email, or disable the setting`
  throw new ConfigError([{ key, origin: config.origin(key), message }])
}

/** Opens the port that redirects to HTTPS, if configured. Rejects when the port is in use. */
async function redirectTo({ config, certificates, publicBase }: OpenNode, http: Listening): Promise<Redirect | undefined> {
  const port = redirectPortOf(config)
  if (port === undefined) return undefined
  const { protocol, port: outside } = new URL(publicBase())
  // The public port of the node may differ from the one it listens on.
  const target = protocol === 'https:' ? Number(outside === '' ? 443 : outside) : http.port
  const { listenRedirect } = await import('../tls/redirect.js')
  return listenRedirect(config.get('http.ip'), port, { httpsPort: target, answerTo: (token) => certificates.answerTo(token) })
}

/** Signal that stops and reopens a node in the same process. */
export const RESTART = 'SIGUSR2'

/** Stops the node through a signal to its own process, like an external stop. */
function request(signal: NodeJS.Signals): { stopping: true; pid: number } {
  setImmediate(() => process.kill(process.pid, signal))
  return { stopping: true, pid: process.pid }
}
