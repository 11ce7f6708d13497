/** Start banner of `coffer start`. */
import { apiTemplate } from '../../../server/config/apiEndpoint.js'
import type { RunningNode } from '../../../server/launch/run.js'
import { productVersion } from '../../../server/base/version.js'
import { listUsernames } from '../../../store/accounts/users.js'
import type { CertificateState } from '../../../server/tls/certificate.js'
import type { Context } from '../../command.js'
import { logPath } from '../../client/nodeLog.js'
import { amount, counted, when } from '../../terminal/output/format.js'
import { peersLine, type Peer } from '../sync/shared/peer.js'

/** Writes the banner; `seconds` is the duration of the start. */
export async function writeBanner(context: Context, running: RunningNode, seconds: number): Promise<void> {
  const { out, terminal, paths, commandFor } = context
  const { node, url } = running
  const { store } = node
  const accounts = (await listUsernames(store.db)).length
  const { bold, dim, green } = terminal.paintOut
  await terminal.write(`${green('●')} ${bold(`coffer ${productVersion()} is running`)}   ${dim(`${seconds.toFixed(2)} s`)}\n`)
  await out.line(`  Account API  ${apiTemplate(node)}`)
  // With HTTPS, use the host name of the certificate.
  await out.line(`  Description  ${node.certificates.isOn ? `${node.publicBase()}/` : url}openapi.json`)
  if (running.namesPort !== undefined) await out.line(`  DNS server   ${node.config.get('dns.ip')}:${running.namesPort} for ${node.config.get('dns.domain')}`)
  await out.line(`  Admin socket ${paths.socket}`)
  await out.line(`  Store        ${paths.store}`)
  await out.line(
    `               format ${store.format.format}, ${counted(accounts, 'account')}, ${amount(store.commits)} commits, checked at start`,
  )
  const peers = await node.sync.peers.statuses()
  if (peers.length > 0) await out.line(`  Peers        ${peersLine(peers as Peer[], context.now())}`)
  await out.line(`  Settings     ${paths.config}`)
  await out.line(`  Log          ${logPath(paths.log, node.config)}`)
  const tls = await node.certificates.state()
  if (tls !== undefined) await writeCertificate(context, running, tls)
  for (const { text, next } of warningsOf(context, running)) {
    await out.line(`  ! ${text}`)
    await out.line(`    ${next}`)
  }
  if (accounts === 0) {
    await out.line('  Next, in another terminal:')
    await out.line(`    ${commandFor('users', 'create', 'ana-lovelace', '--email', 'ana@example.org')}`)
  }
  await out.line('  Stop with Ctrl-C (finishes open requests, up to 30 s).')
}

async function writeCertificate(context: Context, { node, redirectPort }: RunningNode, state: CertificateState): Promise<void> {
  const { out } = context
  const { certificate } = state
  if (certificate !== null) await out.line(`  Certificate  for ${certificate.names.join(', ')}, until ${when(certificate.expiresAt / 1000).slice(0, 10)}`)
  if (redirectPort !== undefined) await out.line(`               port ${redirectPort} redirects plain HTTP to it`)
  const { certificateFindings } = await import('./doctor/certificate.js')
  for (const { says: text, next } of certificateFindings(state, { context, config: node.config })) {
    if (next === undefined) continue
    await out.line(`  ! ${text[0]?.toUpperCase()}${text.slice(1)}`)
    await out.line(`    ${next}`)
  }
}

/** Returns warnings about the setup of the node, each with the command that fixes it. */
function warningsOf({ commandFor }: Context, { node }: RunningNode): Array<{ text: string; next: string }> {
  const { config } = node
  const host = config.get('http.ip')
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
  const hasAddress = config.get('core.url') !== null || config.get('dnsLess.publicUrl') !== null || !config.get('dnsLess.isActive')
  const warnings = []
  if (!isLocal && !hasAddress && !node.certificates.isOn) {
    warnings.push({
      text: `${host} accepts unencrypted connections from the network. Put a reverse proxy with TLS in front of it (or see http.ssl in coffer help settings), then:`,
      next: commandFor('config', 'set', 'dnsLess.publicUrl', 'https://node.example.org'),
    })
  }
  if (config.get('auth.adminAccessKey') === null) {
    warnings.push({
      text: 'The operator routes are off: no operator key is set.',
      next: commandFor('config', 'set', 'auth.adminAccessKey', '--stdin'),
    })
  }
  if (!node.mailing.isSetUp) {
    warnings.push({
      text: 'Mail is off: password resets cannot be sent.',
      next: commandFor('config', 'set', 'services.email.smtp.host', 'mail.example.org'),
    })
  }
  return warnings
}
