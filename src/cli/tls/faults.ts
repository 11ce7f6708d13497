/** What is wrong with a pair of certificate and key, in words, and what to do. */
import type { CertificateFault, CertificateState } from '../../server/tls/certificate.js'
import type { PairFault, PairFiles } from '../../server/tls/pair.js'
import type { Context } from '../command.js'
import { shellLine } from '../framework/shell.js'

/** Why a node serves another certificate than it should, in a few words. */
export const faultWords: Readonly<Record<CertificateFault, string>> = {
  missing: 'one of them is not there',
  closed: 'one of them may not be read by the account of the node',
  unreadable: 'one of them cannot be read',
  'not-a-certificate': 'there is no certificate in PEM',
  'not-a-key': 'there is no private key in PEM',
  'sealed-key': 'the key is behind a passphrase',
  mismatch: 'the key does not belong to the certificate',
  expired: 'the certificate has expired',
  'not-yet-valid': 'the certificate is not valid yet',
  unusable: 'the certificate cannot be used',
  'not-issued': 'the authority has given none yet',
  'not-renewed': 'the authority has not renewed it',
}

/** What to do about the problem of a certificate. */
export function nextForState({ problem, files }: CertificateState, context: Pick<Context, 'commandFor'>): string {
  const { fault, setting = '', file = '' } = problem ?? {}
  if (files === undefined || fault === undefined || fault === 'not-issued' || fault === 'not-renewed') {
    return `port 80 of that name must lead to the node (http.ssl.redirectPort); then ${context.commandFor('certs', 'renew')}`
  }
  return nextFor({ fault, setting, file }, files, context)
}

/** A command that mends it, or looks closer. */
export function nextFor(
  { fault, setting, file }: { fault: PairFault; setting: string; file: string },
  { certFile, keyFile }: PairFiles,
  { commandFor }: Pick<Context, 'commandFor'>,
): string {
  const another = commandFor('config', 'set', setting, setting === 'http.ssl.keyFile' ? '/path/to/privkey.pem' : '/path/to/fullchain.pem')
  const uid = process.getuid?.() ?? 0
  switch (fault) {
    case 'closed':
      return `give the node a copy: ${shellLine(['sudo', 'install', '-m', '600', '-o', String(uid), file, '/path/of/the/copy'])}, then ${another}`
    case 'sealed-key':
      return `take the passphrase away: ${shellLine(['openssl', 'pkey', '-in', file, '-out', `${file}.open`])}, then ${commandFor('config', 'set', setting, `${file}.open`)}`
    case 'mismatch':
      return `compare ${shellLine(['openssl', 'x509', '-noout', '-pubkey', '-in', certFile])} with ${shellLine(['openssl', 'pkey', '-pubout', '-in', keyFile])}`
    case 'expired':
      return `renew it where it comes from, such as: certbot renew; see ${shellLine(['openssl', 'x509', '-noout', '-dates', '-in', file])}`
    case 'not-yet-valid':
      return 'see whether the clock of this machine is right: timedatectl'
    default:
      return another
  }
}
