/**
 * Makes a node of one core the first core of a platform: creates the platform key and the certificate authority, and determines
 * the settings that several cores need. The command line writes these into the configuration file.
 */
import { randomBytes } from 'node:crypto'
import { Failure } from '../../../store/model/failure.js'
import type { Config } from '../../config/config.js'
import { createAuthority, issueCertificate, type CertificatePair } from './certificates.js'
import { createPlatformKey, readAuthority, readPlatformIdentity, writeAuthority, writePlatformKey, type SecretStore } from './platformKey.js'

/** The first core. */
interface FirstCore {
  id: string
  /** Public address, with a trailing slash. */
  url: string
  /** Members of etcd. */
  endpoints: readonly string[]
}

interface InitDeps {
  store: SecretStore
  config: Config
  /** Default values of shared settings that depend on the node: the address of its event types, and its serial. */
  service: { serial: string; eventTypes: string }
  /** In seconds. */
  now(): number
}

interface NewPlatform {
  /** Id of the platform. */
  id: string
  /** Certificate authority, in PEM. */
  caPem: string
  /** Certificate of the first core for etcd. */
  etcd: CertificatePair
  /** Settings to write, without those of the certificate files. */
  settings: Record<string, unknown>
}

/**
 * Creates the secrets of a platform in the store. After an interruption, the next call continues with the same secrets.
 * @throws Failure `invalid-operation` when the node belongs to a platform already
 */
export async function initPlatform({ store, config, service, now }: InitDeps, { id, url, endpoints }: FirstCore): Promise<NewPlatform> {
  if (config.get('platform.id') !== null || config.get('platform.etcd').length > 0) {
    throw new Failure('invalid-operation', 'This node belongs to a platform already.', { platform: config.get('platform.id') })
  }
  const { platform, authority } = await authorityOf(store, now())
  return {
    id: platform,
    caPem: authority.certPem,
    etcd: await issueCertificate(authority, { name: id, url, hosts: [config.get('core.ip') ?? config.get('dns.publicIp')] }, now() * 1000),
    settings: {
      ...explicitSettings(config, url, service),
      'core.id': id,
      'core.url': url,
      'platform.id': platform,
      // Last, because the members make a node a core.
      'platform.etcd': [...endpoints],
    },
  }
}

/**
 * Issues a certificate for a machine of the platform that is not a core, such as a member of etcd. The authority may be created
 * for it: with TLS, etcd needs certificates before the platform exists.
 * @param hosts host names and IP addresses of the machine
 * @throws Failure `invalid-operation` on a core that cannot issue certificates
 */
export async function issueForMachine({ store, now }: Pick<InitDeps, 'store' | 'now'>, name: string, hosts: readonly string[]): Promise<CertificatePair & { caPem: string }> {
  const { authority } = await authorityOf(store, now())
  return { ...(await issueCertificate(authority, { name, hosts }, now() * 1000)), caPem: authority.certPem }
}

/** Returns the certificate authority of this node, and the id of its platform; creates both on a node without a platform. */
async function authorityOf(store: SecretStore, now: number): Promise<{ platform: string; authority: CertificatePair }> {
  const [known, stored] = [readPlatformIdentity(store), readAuthority(store)]
  if (known !== undefined && stored !== undefined) return { platform: known.platform, authority: stored }
  if (known !== undefined) throw new Failure('invalid-operation', 'This core does not have the key of the certificate authority. Run the command on the core where coffer platform init was run.')
  const identity = createPlatformKey()
  const authority = await createAuthority(identity.platform, now * 1000)
  // The key comes last: with a key but no authority, this would look like a core that joined.
  await writeAuthority(store, authority)
  await writePlatformKey(store, identity)
  return { platform: identity.platform, authority }
}

/** Returns the settings of which each core would otherwise choose its own value, with the values that this node uses. */
function explicitSettings(config: Config, url: string, { serial, eventTypes }: InitDeps['service']): Record<string, unknown> {
  return {
    'auth.adminAccessKey': config.get('auth.adminAccessKey') ?? randomBytes(24).toString('base64url'),
    'auth.filesReadTokenSecret': config.get('auth.filesReadTokenSecret') ?? randomBytes(24).toString('base64url'),
    'service.name': config.get('service.name'),
    'service.serial': serial,
    'service.home': config.get('service.home') ?? url,
    'service.support': config.get('service.support') ?? url,
    'service.terms': config.get('service.terms') ?? url,
    'service.eventTypes': eventTypes,
  }
}
