import type { CertificateFault } from '../../../server/tls/certificate.js'
import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'
import { secondsOf } from '../../terminal/output/timestamps.js'
import { faultWords } from './faults.js'

/** `coffer certs list`. */
export const list = command({
  path: ['certs', 'list'],
  summary: 'List the TLS certificate of the node',
  description:
    'A node serves HTTPS with the files of http.ssl.certFile and http.ssl.keyFile, or with a certificate from an ACME authority (letsEncrypt.enabled, see coffer certs renew). It checks the files every minute and serves a new pair without a restart. If a new pair is invalid, the previous one stays in use; the problem is reported here, in the log and by coffer doctor certificate.\n\n' +
    'Without these settings there is no certificate: a reverse proxy in front of the node terminates TLS (see coffer service proxy).',
  examples: [
    { type: 'coffer certs list', description: 'show the certificate and its expiry' },
    { type: "coffer certs list --jq '.certs[0].daysUntilExpiry'", description: 'for scripts' },
  ],
  json: '{"certs":[{"hostname","issuedAt","expiresAt","daysUntilExpiry"}]}; times in milliseconds since 1970',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('system.certs', {}, {})
    const { isOn, fault } = await client.call('certs.problem', {}, {})
    const { certs } = answer
    if (isOn || certs.length > 0) {
      await out.list(answer, {
        columns: [
          { title: 'HOST NAME', cell: ({ hostname }) => hostname, shrinks: true },
          { title: 'ISSUED', time: ({ issuedAt }) => secondsOf(issuedAt), drops: true },
          { title: 'EXPIRES', time: ({ expiresAt }) => secondsOf(expiresAt) },
          { title: 'DAYS LEFT', cell: ({ daysUntilExpiry }) => textOf(daysUntilExpiry), align: 'right' },
        ],
        rows: certs,
        id: ({ hostname }) => hostname,
        count: counted(certs.length, 'certificate'),
      })
    } else {
      const set = commandFor('config', 'set', 'http.ssl.certFile', '/path/to/fullchain.pem')
      await out.result(answer, {
        print: () => out.note(`No certificate: this node serves plain HTTP.\n  To serve HTTPS: ${set}\n  Behind a reverse proxy: ${commandFor('service', 'proxy', 'nginx')}`),
      })
    }
    if (fault !== null) {
      out.warn(`Certificate problem: ${faultWords[fault as CertificateFault] ?? fault}`)
      out.note(`  Details: ${commandFor('doctor', 'certificate')}`)
    }
  },
})
