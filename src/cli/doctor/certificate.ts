/** Whether the certificate of a node that serves HTTPS itself is the right one, and lasts. */
import { chmod } from 'node:fs/promises'
import { configuredBase } from '../../server/apiEndpoint.js'
import type { Config } from '../../server/config/config.js'
import { createLog } from '../../server/base/log.js'
import { servesTls, usesAcme } from '../../server/tls/tlsConfig.js'
import type { CertificateState } from '../../server/tls/certificate.js'
import { EXPIRY_WARNING_DAYS } from '../../server/tls/expiry.js'
import { certificatesFromFiles } from '../../server/tls/fromFiles.js'
import type { Context } from '../command.js'
import { shellLine } from '../framework/shell.js'
import { ago, counted, when } from '../terminal/output/format.js'
import { nextForState } from '../tls/faults.js'
import { fault, fine, off, warning, type Check, type Finding, type DoctorContext } from './finding.js'

export const certificate: Check = {
  name: 'certificate',
  async run(patient) {
    const { config, facts } = patient
    if (facts === undefined && config !== undefined && usesAcme(config)) return [off('the node does not run, and an authority gives it its certificate')]
    const state = await stateOf(patient)
    if (state === undefined) return [off('the node speaks plain HTTP: a proxy before it holds the certificate, if there is one')]
    return certificateFindings(state, patient)
  },
}

/** What there is to say of a certificate; at least one finding. */
export function certificateFindings(state: CertificateState, { context, config }: Pick<DoctorContext, 'context' | 'config'>): Finding[] {
  const { problem, certificate: served, files } = state
  const findings: Finding[] = []
  if (problem !== null) {
    const instead = served === null || files === undefined ? '' : ' The certificate before it is served.'
    findings.push(fault(`${problem.message}${instead}`, nextForState(state, context)))
  }
  if (served !== null) findings.push(lasting(served, files, context), ...naming(served, context, config))
  if (state.isKeyOpen && files !== undefined) {
    const { keyFile } = files
    findings.push({
      ...warning(`the key ${keyFile} can be read by others than its owner`, shellLine(['chmod', '600', keyFile])),
      fix: () => chmod(keyFile, 0o600),
    })
  }
  return findings
}

/** What the running node says, or what the files hold. */
async function stateOf({ facts, config, now }: DoctorContext): Promise<CertificateState | undefined> {
  // A node gives what CertificateState says, or null.
  if (facts !== undefined) return (facts['certificate'] as CertificateState | null) ?? undefined
  if (config === undefined || !servesTls(config)) return undefined
  const log = createLog('silent', () => now, () => {})
  return certificatesFromFiles({ config, log, now: () => now, publicBase: () => configuredBase(config) }).state()
}

type Served = NonNullable<CertificateState['certificate']>

function lasting({ hostname, expiresAt, daysUntilExpiry }: Served, files: CertificateState['files'], { commandFor, now }: Context): Finding {
  const days = daysUntilExpiry ?? 0
  const until = `the certificate for ${hostname} lasts until ${when(expiresAt / 1000).slice(0, 10)}`
  if (days >= EXPIRY_WARNING_DAYS) return fine(`${until}, ${counted(days, 'day')}`)
  const next = files === undefined ? commandFor('certs', 'renew') : `renew it where it comes from, such as: certbot renew; the node takes up the new ${files.certFile} by itself`
  return expiresAt < now() * 1000 ? fault(`the certificate for ${hostname} has expired, ${ago(expiresAt / 1000, now())}`, next) : warning(`${until}, ${counted(days, 'day')} from now`, next)
}

function naming({ names, coversAddress }: Served, { commandFor }: Context, config: Config | undefined): Finding[] {
  // By host name, the certificate is for names of accounts as well.
  if (coversAddress || config?.get('dnsLess.isActive') === false) return []
  const name = names.find((each) => !each.startsWith('*')) ?? 'node.example.org'
  const port = config?.get('http.port') ?? 443
  const place = port === 443 || port === 0 ? '' : `:${port}`
  const set = commandFor('config', 'set', 'dnsLess.publicUrl', `https://${name.includes(':') ? `[${name}]` : name}${place}`)
  return [warning(`the certificate is for ${names.join(', ') || 'no name'}, and not for the address that apps are given`, set)]
}
