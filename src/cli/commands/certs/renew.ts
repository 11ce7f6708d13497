import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'

/** `coffer certs renew [hostname]`. */
export const renew = command({
  path: ['certs', 'renew'],
  summary: 'Renew the certificate now',
  description:
    'With letsEncrypt.enabled the node renews automatically: when it has no certificate yet, and letsEncrypt.renewBeforeDays before expiry. The authority connects to port 80 of the host of dnsLess.publicUrl, which must reach the port http.ssl.redirectPort of the node. Authorities limit the number of certificates per name and week: test with letsEncrypt.staging first.\n\n' +
    'The new certificate is used immediately, without a restart. A certificate from files (http.ssl.certFile) is renewed by the tool that writes the files.',
  arguments: { hostname: text('Renew only if the certificate is for this name') },
  examples: [
    { type: 'coffer certs renew', description: 'renew the certificate' },
    { type: 'coffer certs renew node.example.org --json', description: 'for scripts' },
  ],
  json: '{"ok","hostname","issuedAt","expiresAt"}; times in milliseconds since 1970',
  offline: false,
  async run({ out, connect }, { hostname }) {
    const client = await connect()
    const answer = await client.call('system.forceRenewCert', hostname === undefined ? {} : { hostname }, {})
    const name = answer.hostname
    await out.result(answer, {
      id: name,
      print: () => out.done(`Renewed the certificate for ${name}; it expires on ${when(answer.expiresAt / 1000).slice(0, 10)}`),
    })
  },
})
