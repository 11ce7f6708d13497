import { isAlias } from '../../../store/model/access.js'
import { ownLabels } from '../../config/apiEndpoint.js'
import type { Config } from '../../config/config.js'
import type { CoreDirectory } from '../../platform/registry/port.js'
import { isPlatformSegment } from '../../base/platformSegments.js'

/** Reserved names: parts of a node, and names that suggest its operators. */
const RESERVED = new Set(
  `
  about abuse access access-info accesses account accounts activate address admin administrator administrators
  admins alerts analytics announcements anonymous apikey archive assets assistance audit auditor authenticate
  authentication authorization authorize autoconfig autodiscover backend backup backups billing broadcasthost bugs
  business cache cache-control callback campaigns cancel certificate certificates check-email client clients cloud
  cluster community compliance config configuration connect consent consents console contact contacts control cookie
  cookies copyright cores credentials dashboard database debug default delegation delegations delete deleted deploy
  developer developers devices disabled document documentation documents domain domains download downloads email
  email-challenge emails emergency error errors event event-types events example exchange export favicon feedback
  feeds files finance followed-slices forgot forgot-password forum forums frontend gateway getting-started group
  groups guest guests health health-check healthcheck healthz helpdesk homepage hosting hostings hostmaster identity
  image images imprint index invitation invitations invite invites invoice javascript legal licence license
  localdomain localhost login logon logout mailer mailer-daemon mailhost mailing maintenance management manager
  marketing media message messages metrics moderator monitor monitoring mysql network networks newsletter no-reply
  nodes noreply notifications oauth oauth2 offers official openapi openid operator operators orders owner owners
  partner partners password passwords payment payments permission permissions phishing platform policy portal
  postmaster press preview previews pricing privacy private profile profiles proxy public recover recovery redirect
  refund register registration remote replica report reports request requests reset reset-password resources robots
  sales schema schemas search secret secrets secure security selfservice series server servers service services
  session sessions settings setup shared-secrets shutdown signin signout signup sitemap socket socket-io socketio
  software spammer staff staging static statistics stats status storage store streams subdomain subscribe super
  superadmin superuser supervisor support survey sysadmin sysadministrator syslog sysop system terms
  terms-of-service testing token tokens trash trusted undefined unknown unsubscribe update updates upgrade upload
  uploads usenet username usernames users validate vendor verification verify verify-email version versions webadmin
  webdav webhook webhooks webmail webmaster webserver website websocket websockets well-known whois widget widgets
  wildcard
`
    .trim()
    .split(/\s+/),
)

/** Reserved prefixes: names that suggest the product or the service. */
const PREFIXES = ['coffer', 'pryv']

/**
 * Checks whether a name is reserved: product names and names that start with them, names in the form of access aliases, and host
 * names in use when accounts are host names. `cores` are those of the platform, of a running node.
 */
export function isReservedUsername(config: Config, username: string, cores?: Pick<CoreDirectory, 'get'>): boolean {
  const name = username.toLowerCase()
  if (RESERVED.has(name) || isPlatformSegment(name) || PREFIXES.some((prefix) => name.startsWith(prefix)) || isAlias(name)) return true
  if (config.get('dnsLess.isActive')) return false
  return ownLabels(config).has(name) || cores?.get(name) !== undefined || Object.hasOwn(config.get('dns.staticEntries'), name)
}
