import type { CertificateFault } from '../../../server/tls/certificate.js'
import { command } from '../../command.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
import { counted, when } from '../../terminal/output/format.js'
import { faultWords } from '../../tls/faults.js'

/** `coffer certs list`. */
export const list = command({
  path: ['certs', 'list'],
  summary: 'List the certificate that the node serves HTTPS with',
  description:
    'A node serves HTTPS itself with the files of http.ssl.certFile and http.ssl.keyFile, or with what an authority gives it (letsEncrypt.enabled, see coffer certs renew). It looks at the files each minute, and serves a new pair from then on, without a restart; one that cannot be served leaves the former in its place, which is told here, in the log and by coffer doctor certificate.\n\n' +
    'Without these settings there is no certificate: a proxy before the node holds it (see coffer service proxy).',
  examples: [
    { type: 'coffer certs list', says: 'which one, and how long it lasts' },
    { type: 'coffer certs list --json | jq .certs[0].daysUntilExpiry', says: 'for scripts' },
  ],
  json: '{"certs":[{"hostname","issuedAt","expiresAt","daysUntilExpiry"}]}; times in milliseconds since 1970',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('system.certs', {}, {})
    const { isOn, fault } = await client.call('certs.problem', {}, {})
    const certs = listOf(answer['certs'])
    if (isOn === true || certs.length > 0) {
      await out.list(answer, {
        columns: [
          { title: 'HOST NAME', cell: ({ hostname }) => textOf(hostname), shrinks: true },
          { title: 'ISSUED', cell: ({ issuedAt }) => timeOf(issuedAt), drops: true },
          { title: 'EXPIRES', cell: ({ expiresAt }) => timeOf(expiresAt) },
          { title: 'DAYS LEFT', cell: ({ daysUntilExpiry }) => textOf(daysUntilExpiry), align: 'right' },
        ],
        rows: certs,
        id: ({ hostname }) => textOf(hostname),
        count: counted(certs.length, 'certificate'),
      })
    } else {
      const set = commandFor('config', 'set', 'http.ssl.certFile', '/path/to/fullchain.pem')
      await out.result(answer, {
        print: () => out.note(`This node speaks plain HTTP: there is no certificate.\n  To serve HTTPS: ${set}\n  Behind a proxy: ${commandFor('service', 'proxy', 'nginx')}`),
      })
    }
    if (fault !== null) {
      out.warn(`Something is wrong with the certificate: ${faultWords[textOf(fault) as CertificateFault] ?? textOf(fault)}`)
      out.note(`  More: ${commandFor('doctor', 'certificate')}`)
    }
  },
})

const timeOf = (ms: unknown): string => when((numberOf(ms) ?? NaN) / 1000).slice(0, 16)
