/**
 * Generates the configuration of a reverse proxy from the settings of a node. Paths and queries must reach the node
 * unchanged, websockets pass, bodies stream up to the node's limits, and the proxy sets the client address itself.
 */
import { urlHost } from '../../../../server/base/urlHost.js'
import type { Config } from '../../../../server/config/config.js'
import { servesTls, usesAcme } from '../../../../server/config/tlsConfig.js'
import { CommandError } from '../../../framework/exit.js'

export const proxyServers = ['nginx', 'caddy'] as const
export type ProxyServer = (typeof proxyServers)[number]

/** Parameters of a reverse proxy configuration. */
export interface Site {
  /** The address that apps use. */
  publicUrl: URL
  /** The domain whose host names contain usernames; undefined when usernames are in paths. */
  domain?: string
  /** Host and port of the node. */
  upstream: string
  /** Largest body that the node accepts, in millions of bytes. */
  bodyMb: number
}

/**
 * Returns the site of a node from its settings.
 * @param command command line that sets the public address, for the error
 * @throws CommandError 2 when the settings lack the public address
 */
export function siteOf(config: Config, command: string): Site {
  if (servesTls(config)) {
    const unset = usesAcme(config) ? 'coffer config unset letsEncrypt.enabled' : 'coffer config unset http.ssl.certFile; coffer config unset http.ssl.keyFile'
    throw new CommandError('This node serves HTTPS itself (http.ssl.certFile, letsEncrypt.enabled): it needs no reverse proxy.', {
      exit: 2,
      hint: `To use a reverse proxy, let the node serve plain HTTP: ${unset}`,
    })
  }
  const domain = config.get('dnsLess.isActive') ? null : config.get('dns.domain')
  const address = config.get('dnsLess.publicUrl') ?? (domain === null ? null : `https://${domain}/`)
  if (address === null) {
    throw new CommandError('The public address of this node is not set.', { exit: 2, hint: `Set it: ${command}` })
  }
  const publicUrl = new URL(address)
  if (publicUrl.pathname !== '/') {
    throw new CommandError(`${address} has a path: behind a reverse proxy, a node needs a host name of its own.`, { exit: 2, hint: `Set another address: ${command}` })
  }
  const files = config.get('uploads.maxSizeMb') * config.get('uploads.maxFiles')
  return {
    publicUrl,
    ...(domain === null ? {} : { domain }),
    upstream: `${urlHost(config.get('http.ip'))}:${config.get('http.port')}`,
    // Add one for the parts around the files.
    bodyMb: Math.ceil(Math.max(files, config.get('limits.json.maxSizeMb'))) + 1,
  }
}

/** Returns the configuration of a web server for a site. */
export function proxyText(server: ProxyServer, site: Site): string {
  return `${(server === 'nginx' ? nginx(site) : caddy(site)).join('\n')}\n`
}

function nginx({ publicUrl, domain, upstream, bodyMb }: Site): string[] {
  const isSecure = publicUrl.protocol === 'https:'
  const port = publicUrl.port === '' ? (isSecure ? '443' : '80') : publicUrl.port
  // A leading dot matches the domain and all names in it.
  const names = domain === undefined ? publicUrl.hostname : `.${domain}`
  const certificates = `/etc/letsencrypt/live/${domain ?? publicUrl.hostname}`
  return [
    '# nginx in front of coffer: save this as /etc/nginx/conf.d/coffer.conf, then nginx -t && nginx -s reload',
    'map $http_upgrade $coffer_connection {',
    "  default upgrade;",
    "  '' close;",
    '}',
    ...(isSecure && port === '443'
      ? ['server {', '  listen 80;', '  listen [::]:80;', `  server_name ${names};`, '  return 308 https://$host$request_uri;', '}']
      : []),
    'server {',
    `  listen ${port}${isSecure ? ' ssl' : ''};`,
    `  listen [::]:${port}${isSecure ? ' ssl' : ''};`,
    `  server_name ${names};`,
    ...(isSecure
      ? [
          ...(domain === undefined ? [] : ['  # A certificate for the domain and *.domain.']),
          `  ssl_certificate ${certificates}/fullchain.pem;`,
          `  ssl_certificate_key ${certificates}/privkey.pem;`,
          '  ssl_protocols TLSv1.2 TLSv1.3;',
        ]
      : []),
    '  # The node checks the limits of files and bodies itself, with its own error messages.',
    `  client_max_body_size ${bodyMb}m;`,
    '  large_client_header_buffers 4 16k;',
    '  location / {',
    '    # Without a path here, the request path is passed on unchanged.',
    `    proxy_pass http://${upstream};`,
    '    proxy_http_version 1.1;',
    '    proxy_set_header Host $http_host;',
    '    # Calls, live changes (/socket.io) and sync between nodes use the same address.',
    '    proxy_set_header Upgrade $http_upgrade;',
    '    proxy_set_header Connection $coffer_connection;',
    '    # Overwrite what the client may have sent.',
    '    proxy_set_header X-Forwarded-For $remote_addr;',
    '    proxy_set_header X-Forwarded-Proto $scheme;',
    '    proxy_set_header X-Forwarded-Host $http_host;',
    '    proxy_request_buffering off;',
    '    proxy_buffering off;',
    '    proxy_read_timeout 1h;',
    '    proxy_send_timeout 1h;',
    '  }',
    '}',
  ]
}

function caddy({ publicUrl, domain, upstream, bodyMb }: Site): string[] {
  const port = publicUrl.port === '' ? '' : `:${publicUrl.port}`
  const hosts = domain === undefined ? [publicUrl.hostname] : [domain, `*.${domain}`]
  return [
    '# Caddy in front of coffer: add this to /etc/caddy/Caddyfile, then caddy reload --config /etc/caddy/Caddyfile',
    ...(domain === undefined ? [] : ['# A certificate for *.domain needs a DNS provider: see the directive tls of Caddy.']),
    `${hosts.map((host) => `${publicUrl.protocol}//${host}${port}`).join(', ')} {`,
    '\t# The node checks the limits of files and bodies itself, with its own error messages.',
    '\trequest_body {',
    `\t\tmax_size ${bodyMb}MB`,
    '\t}',
    '\t# Calls, live changes (/socket.io) and sync between nodes use the same address. Caddy passes websockets, and sets',
    '\t# X-Forwarded-For, -Proto and -Host, overwriting what the client may have sent.',
    `\treverse_proxy ${upstream} {`,
    '\t\tflush_interval -1',
    '\t}',
    '}',
  ]
}
