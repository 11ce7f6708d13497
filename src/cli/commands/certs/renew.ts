import { command } from '../../command.js'
import { numberOf, textOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'

/** `coffer certs renew [hostname]`. */
export const renew = command({
  path: ['certs', 'renew'],
  summary: 'Have the authority renew the certificate at once',
  description:
    'With letsEncrypt.enabled the node does this by itself: before it has a certificate, and letsEncrypt.renewBeforeDays before it expires. The authority calls port 80 of the host of dnsLess.publicUrl, which must lead to the port http.ssl.redirectPort of the node. Authorities give few certificates a week for one name: try with letsEncrypt.staging first.\n\n' +
    'The new certificate is served at once, without a restart. A certificate that comes from files (http.ssl.certFile) is renewed where it comes from.',
  arguments: { hostname: text('Only if the certificate is for this name') },
  examples: [
    { type: 'coffer certs renew', says: 'a new certificate' },
    { type: 'coffer certs renew node.example.org --json', says: 'for scripts' },
  ],
  json: '{"ok","hostname","issuedAt","expiresAt"}; times in milliseconds since 1970',
  offline: false,
  async run({ out, connect }, { hostname }) {
    const client = await connect()
    const answer = await client.call('system.forceRenewCert', hostname === undefined ? {} : { hostname }, {})
    const name = textOf(answer['hostname'])
    await out.result(answer, {
      id: name,
      print: () => out.done(`There is a new certificate for ${name}, until ${when((numberOf(answer['expiresAt']) ?? NaN) / 1000).slice(0, 10)}`),
    })
  },
})
