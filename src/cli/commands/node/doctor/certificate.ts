/** Checks the certificate of a node that serves HTTPS itself: names and expiry. */
import { chmod } from 'node:fs/promises'
import { configuredBase } from '../../../../server/config/apiEndpoint.js'
import type { Config } from '../../../../server/config/config.js'
import { createLog } from '../../../../server/base/log.js'
import { servesTls, usesAcme } from '../../../../server/config/tlsConfig.js'
import type { CertificateState } from '../../../../server/tls/certificate.js'
import { EXPIRY_WARNING_DAYS } from '../../../../server/tls/expiry.js'
import { certificatesFromFiles } from '../../../../server/tls/fromFiles.js'
import type { Context } from '../../../command.js'
import { shellLine } from '../../../framework/shell.js'
import { ago, counted, when } from '../../../terminal/output/format.js'
import { nextForState } from '../../certs/faults.js'
import { fault, fine, off, warning, type Check, type Finding, type DoctorContext } from './finding.js'

export const certificate: Check = {
  name: 'certificate',
  async run(doctorContext) {
    const { config, facts } = doctorContext
    if (facts === undefined && config !== undefined && usesAcme(config)) return [off('the node is not running; it gets its certificate from an authority')]
    const state = await stateOf(doctorContext)
    if (state === undefined) return [off('the node serves plain HTTP; a proxy in front of it may serve HTTPS')]
    return certificateFindings(state, doctorContext)
  },
}

/** Returns the findings about a certificate; at least one. */
export function certificateFindings(state: CertificateState, { context, config }: Pick<DoctorContext, 'context' | 'config'>): Finding[] {
  const { problem, certificate: served, files } = state
  const findings: Finding[] = []
  if (problem !== null) {
    const instead = served === null || files === undefined ? '' : ' The previous certificate is served.'
    findings.push(fault(`${problem.message}${instead}`, nextForState(state, context)))
  }
  if (served !== null) findings.push(validityFinding(served, files, context), ...nameFindings(served, context, config))
  if (state.isKeyOpen && files !== undefined) {
    const { keyFile } = files
    findings.push({
      ...warning(`the key ${keyFile} can be read by other users`, shellLine(['chmod', '600', keyFile])),
      fix: () => chmod(keyFile, 0o600),
    })
  }
  return findings
}

/** Returns the certificate of the running node, or that of the files. */
async function stateOf({ facts, config, now }: DoctorContext): Promise<CertificateState | undefined> {
  // The node returns a CertificateState or null.
  if (facts !== undefined) return (facts['certificate'] as CertificateState | null) ?? undefined
  if (config === undefined || !servesTls(config)) return undefined
  const log = createLog('silent', () => now, () => {})
  return certificatesFromFiles({ config, log, now: () => now, publicBase: () => configuredBase(config) }).state()
}

type Served = NonNullable<CertificateState['certificate']>

function validityFinding({ hostname, expiresAt, daysUntilExpiry }: Served, files: CertificateState['files'], { commandFor, now }: Context): Finding {
  const days = daysUntilExpiry ?? 0
  const until = `the certificate for ${hostname} is valid until ${when(expiresAt / 1000).slice(0, 10)}`
  if (days >= EXPIRY_WARNING_DAYS) return fine(`${until}, ${counted(days, 'day')}`)
  const next = files === undefined ? commandFor('certs', 'renew') : `renew it at its source, such as: certbot renew; the node reloads ${files.certFile} by itself`
  return expiresAt < now() * 1000 ? fault(`the certificate for ${hostname} has expired, ${ago(expiresAt / 1000, now())}`, next) : warning(`${until}, ${counted(days, 'day')} from now`, next)
}

function nameFindings({ names, coversAddress }: Served, { commandFor }: Context, config: Config | undefined): Finding[] {
  // With host names, the certificate also covers the names of accounts.
  if (coversAddress || config?.get('dnsLess.isActive') === false) return []
  const name = names.find((each) => !each.startsWith('*')) ?? 'node.example.org'
  const port = config?.get('http.port') ?? 443
  const place = port === 443 || port === 0 ? '' : `:${port}`
  const set = commandFor('config', 'set', 'dnsLess.publicUrl', `https://${name.includes(':') ? `[${name}]` : name}${place}`)
  return [warning(`the certificate is for ${names.join(', ') || 'no name'}, and not for the address that apps use`, set)]
}
