/** Texts for faults of a certificate and its key, and the next commands. */
import type { CertificateFault, CertificateState } from '../../../server/tls/certificate.js'
import type { PairFault, PairFiles } from '../../../server/tls/pair.js'
import type { Context } from '../../command.js'
import { shellLine } from '../../framework/shell.js'

/** Short descriptions of certificate faults. */
export const faultWords: Readonly<Record<CertificateFault, string>> = {
  missing: 'a file is missing',
  closed: 'a file is not readable by the account of the node',
  unreadable: 'a file cannot be read',
  'not-a-certificate': 'the file contains no certificate in PEM',
  'not-a-key': 'the file contains no private key in PEM',
  'sealed-key': 'the key is protected by a passphrase',
  mismatch: 'the key does not belong to the certificate',
  expired: 'the certificate has expired',
  'not-yet-valid': 'the certificate is not valid yet',
  unusable: 'the certificate cannot be used',
  'not-issued': 'the authority has not issued one yet',
  'not-renewed': 'the authority has not renewed it',
}

/** Returns the next step for the problem of a certificate. */
export function nextForState({ problem, files }: CertificateState, context: Pick<Context, 'commandFor'>): string {
  const { fault, setting = '', file = '' } = problem ?? {}
  if (files === undefined || fault === undefined || fault === 'not-issued' || fault === 'not-renewed') {
    return `port 80 of that name must lead to the node (http.ssl.redirectPort); then ${context.commandFor('certs', 'renew')}`
  }
  return nextFor({ fault, setting, file }, files, context)
}

/** Returns a command that fixes the fault, or examines it. */
export function nextFor(
  { fault, setting, file }: { fault: PairFault; setting: string; file: string },
  { certFile, keyFile }: PairFiles,
  { commandFor }: Pick<Context, 'commandFor'>,
): string {
  const another = commandFor('config', 'set', setting, setting === 'http.ssl.keyFile' ? '/path/to/privkey.pem' : '/path/to/fullchain.pem')
  const uid = process.getuid?.() ?? 0
  switch (fault) {
    case 'closed':
      return `create a copy for the node: ${shellLine(['sudo', 'install', '-m', '600', '-o', String(uid), file, '/path/of/the/copy'])}, then ${another}`
    case 'sealed-key':
      return `remove the passphrase: ${shellLine(['openssl', 'pkey', '-in', file, '-out', `${file}.open`])}, then ${commandFor('config', 'set', setting, `${file}.open`)}`
    case 'mismatch':
      return `compare ${shellLine(['openssl', 'x509', '-noout', '-pubkey', '-in', certFile])} with ${shellLine(['openssl', 'pkey', '-pubout', '-in', keyFile])}`
    case 'expired':
      return `renew it at its source, such as: certbot renew; check ${shellLine(['openssl', 'x509', '-noout', '-dates', '-in', file])}`
    case 'not-yet-valid':
      return 'check the clock of this machine: timedatectl'
    default:
      return another
  }
}
