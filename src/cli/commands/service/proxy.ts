import { loadConfig } from '../../../server/config/config.js'
import { createProxies } from '../../../server/auth/proxies.js'
import { command } from '../../command.js'
import { choice } from '../../framework/option.js'
import { proxyServers, proxyText, siteOf } from './shared/proxy.js'

/** `coffer service proxy <server>`. */
export const proxy = command({
  path: ['service', 'proxy'],
  summary: 'Print a reverse proxy configuration for a web server',
  description:
    'Generated from the settings dnsLess.publicUrl (or dns.domain), http.ip and http.port, and the maximum request sizes of the node. ' +
    'coffer doctor checks that the public URL leads to this node and that the node trusts the proxy.',
  arguments: { server: choice(proxyServers, 'Web server', { required: true }) },
  examples: [
    { type: 'coffer service proxy nginx > coffer.conf', description: 'for /etc/nginx/conf.d' },
    { type: 'coffer service proxy caddy', description: 'for a Caddyfile' },
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
      out.warn(`The node does not trust a proxy on this machine. Trust it: ${commandFor('config', 'set', 'http.trustedProxies', 'loopback')}`)
    }
  },
})
