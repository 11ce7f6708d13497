/** Checks that the public address leads to this node, and that a proxy in front of it is trusted. */
import { counted } from '../../../terminal/output/format.js'
import { fault, fine, off, warning, withFacts, type Check } from './finding.js'

const TIMEOUT_MS = 5000

export const address: Check = {
  name: 'address',
  run: withFacts(async ({ base, certificate }, { client, config, context }) => {
    if (client === undefined) return [off('the node is not running')]
    if (config?.get('dnsLess.isActive') === false) return [off('accounts are addressed by host name: open one of them in a browser')]
    const { nonce } = await client.call('doctor.expect', {}, {})
    const url = `${base}/service/info?probe=${nonce}`
    const set = context.commandFor('config', 'set', 'dnsLess.publicUrl', 'https://…')
    let status: number
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'follow' })
      status = answer.status
      await answer.arrayBuffer()
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      if (certificate !== null && isUntrusted(error)) {
        const trusting = `NODE_EXTRA_CA_CERTS=/path/to/ca.pem ${context.commandFor('doctor', 'address')}`
        return [warning(`the certificate at ${base} is not trusted on this machine: ${cause}`, `if you run its authority yourself: ${trusting}`)]
      }
      return [fault(`${base} does not answer: ${cause}`, `check the proxy and the DNS name, or set another address: ${set}`)]
    }
    const { came } = await client.call('doctor.came', { nonce: nonce }, {})
    if (came) return [fine(`${base} leads to this node`)]
    return [fault(`${base} answers ${status}, but it is not this node`, `check where the proxy sends this name, or set another address: ${set}`)]
  }),
}

/** Checks whether a request failed because the certificate is not trusted on this machine. */
const isUntrusted = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/.test(String(error.cause.code))

export const proxy: Check = {
  name: 'proxy',
  run: withFacts(({ ignoredProxies }, { context }) => {
    const ignored = ignoredProxies
    if (ignored.length === 0) return [fine('no forwarding header from an untrusted address')]
    return ignored.map(({ address: peer, times }) =>
      warning(
        `X-Forwarded-For from ${peer} is ignored (${counted(times, 'request')}): the address is not trusted`,
        `if it is your proxy: ${context.commandFor('config', 'set', 'http.trustedProxies', `loopback,${peer}`)}`,
      ),
    )
  }),
}
