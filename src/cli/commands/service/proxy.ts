import { loadConfig } from '../../../server/config/config.js'
import { createProxies } from '../../../server/guard/proxies.js'
import { command } from '../../command.js'
import { choice } from '../../framework/option.js'
import { proxyServers, proxyText, siteOf } from '../../service/proxy.js'

/** `coffer service proxy <server>`. */
export const proxy = command({
  path: ['service', 'proxy'],
  summary: 'Print what a web server needs to stand before the node, with TLS',
  description:
    'Made from the settings: dnsLess.publicUrl (or dns.domain), http.ip, http.port, and the sizes that the node takes. ' +
    'coffer doctor finds out whether the public address leads to this node, and whether it believes the server.',
  arguments: { server: choice(proxyServers, 'The web server', { required: true }) },
  examples: [
    { type: 'coffer service proxy nginx > coffer.conf', says: 'for /etc/nginx/conf.d' },
    { type: 'coffer service proxy caddy', says: 'for a Caddyfile' },
  ],
  json: '{"server","publicUrl","upstream","text"}',
  reach: 'machine',
  offline: true,
  async run({ out, terminal, paths, env, commandFor }, { server }) {
    const config = loadConfig({ file: paths.config, env })
    const site = siteOf(config, commandFor('config', 'set', 'dnsLess.publicUrl', 'https://node.example.org'))
    const text = proxyText(server, site)
    await out.result({ server, publicUrl: site.publicUrl.href, upstream: site.upstream, text }, { print: () => terminal.write(text) })
    if (!createProxies(config.get('http.trustedProxies')).isTrusted('127.0.0.1')) {
      out.warn(`The node does not believe a server of this machine: ${commandFor('config', 'set', 'http.trustedProxies', 'loopback')}`)
    }
  },
})
