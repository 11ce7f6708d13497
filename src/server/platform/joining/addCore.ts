/** Prepares the platform for a new core: certificates, join token, record of the core and encrypted bundle. */
import { Failure } from '../../../store/model/failure.js'
import type { Secret } from '../../../store/model/secret.js'
import { productVersion } from '../../base/version.js'
import type { Config } from '../../config/config.js'
import type { CoreRecord, Registry } from '../registry/port.js'
import { BUNDLE_VERSION, encryptBundle, sharedSettings, type Bundle } from './bundle.js'
import { issueCertificate, type CertificatePair } from './certificates.js'
import { newPassphrase } from './passphrase.js'
import { readAuthority, readPlatformIdentity, type SecretStore } from './platformKey.js'
import { mintToken, revokeToken, revokeTokens } from './tokens.js'

/** The core to add. */
interface NewCore {
  id: string
  /** Public address, with a trailing slash; null when it follows from the id and the domain. */
  url: string | null
  ip: string | null
  ipv6: string | null
  hosting: string | null
}

interface AddCoreDeps {
  registry: Pick<Registry, 'core' | 'isShared' | 'records' | 'cores'>
  store: SecretStore
  config: Config
  /** Address of this core, without trailing slash. */
  publicBase(): string
  /** Returns the certificate authority of the etcd members, in PEM; null without TLS. */
  etcdCa(): Promise<string | null>
  /** In seconds. */
  now(): number
}

/** Bundle for the new machine, as text, and separately its passphrase. */
interface JoinKit {
  core: CoreRecord
  bundle: string
  passphrase: Secret<string>
  /** Expiry of the join token, in seconds since 1970. */
  expiresAt: number
}

/** Returns the platform and the authority of this core. @throws Failure `invalid-operation` on a core that cannot add others */
function assertIssuer({ registry, store, config }: AddCoreDeps): { authority: CertificatePair; key: Secret<Uint8Array> } {
  const identity = readPlatformIdentity(store)
  if (!registry.isShared || identity?.platform !== config.get('platform.id')) {
    throw new Failure('invalid-operation', 'This node is not part of a platform of several cores. Create one with coffer platform init.')
  }
  const authority = readAuthority(store)
  if (authority === undefined) {
    throw new Failure('invalid-operation', 'This core does not have the key of the certificate authority. Add cores on the core where coffer platform init was run.')
  }
  return { authority, key: identity.key }
}

/**
 * Adds a core in the state `pending`, not available until it acknowledges. A core that is still pending can be added again: its
 * earlier bundle becomes invalid. A failure leaves the platform as it was.
 * @param life life of the join token in seconds
 * @throws Failure `invalid-operation`, `item-already-exists`, `platform-unavailable`
 */
export async function addCore(deps: AddCoreDeps, asked: NewCore, life: number): Promise<JoinKit> {
  const { registry, now } = deps
  const issuer = assertIssuer(deps)
  // Created first: nothing needs to be undone when it fails.
  const issue = (): Promise<CertificatePair> => issueCertificate(issuer.authority, { name: asked.id, url: asked.url, hosts: [asked.ip, asked.ipv6] }, now() * 1000)
  const [node, etcd] = await Promise.all([issue(), issue()])
  const etcdCa = await deps.etcdCa()
  const { record, before } = await register(registry.cores, asked, now())
  let minted: Awaited<ReturnType<typeof mintToken>> | undefined
  try {
    minted = await mintToken(registry.records, asked.id, now(), life)
    const passphrase = newPassphrase()
    const bundle = await encryptBundle(bundleOf(deps, asked, { ...issuer, node, etcd, etcdCa, token: minted.token }), passphrase)
    // Last, so that an earlier bundle stays usable when this one fails.
    await revokeTokens(registry.records, asked.id, now(), minted.token)
    return { core: record, bundle, passphrase, expiresAt: minted.expiresAt }
  } catch (error) {
    await undoAdd(registry, asked.id, before, minted?.token)
    throw error
  }
}

/** Stores the record of a pending core; `before` is the one that it replaces. */
async function register(cores: Registry['cores'], asked: NewCore, now: number): Promise<{ record: CoreRecord; before: CoreRecord | undefined }> {
  const record: CoreRecord = { ...asked, cname: null, available: false, state: 'pending', identity: null, settings: {}, version: null, added: now }
  let before: CoreRecord | undefined
  let isOther = false
  await cores.change(asked.id, (core) => {
    before = core
    isOther = core !== undefined && core.state !== 'pending'
    return isOther ? undefined : record
  })
  if (isOther) throw new Failure('item-already-exists', `The platform has a core "${asked.id}" already.`, { id: asked.id })
  return { record, before }
}

/** Undoes an addition: the record is as before, and the token is revoked. Never rejects, since the cause of the undoing is thrown. */
async function undoAdd({ records, cores }: Pick<Registry, 'records' | 'cores'>, id: string, before: CoreRecord | undefined, token: Secret<string> | undefined): Promise<void> {
  await cores.change(id, (core) => (core?.state === 'pending' ? (before ?? null) : undefined)).catch(() => {})
  if (token !== undefined) await revokeToken(records, token).catch(() => {})
}

interface BundleParts {
  authority: CertificatePair
  key: Secret<Uint8Array>
  node: CertificatePair
  etcd: CertificatePair
  etcdCa: string | null
  token: Secret<string>
}

function bundleOf({ config, publicBase, now }: AddCoreDeps, { id, url, ip, ipv6, hosting }: NewCore, { authority, key, node, etcd, etcdCa, token }: BundleParts): Bundle {
  const endpoints = config.get('platform.etcd')
  const usesTls = endpoints.some((endpoint) => endpoint.startsWith('https:'))
  return {
    version: BUNDLE_VERSION,
    issuedAt: new Date(now() * 1000).toISOString(),
    product: productVersion(),
    cluster: {
      domain: config.get('dns.domain'),
      ackUrl: `${config.get('core.url')?.replace(/\/+$/, '') ?? publicBase()}/system/admin/cores/ack`,
      joinToken: token.reveal(),
      ca: { certPem: authority.certPem },
    },
    node: { id, ip, ipv6, hosting, url, certPem: node.certPem, keyPem: node.keyPem.reveal() },
    platformSecrets: {
      auth: { adminAccessKey: config.get('auth.adminAccessKey') ?? '', filesReadTokenSecret: config.get('auth.filesReadTokenSecret') ?? '' },
      platform: { id: config.get('platform.id') ?? '', key: Buffer.from(key.reveal()).toString('base64url') },
    },
    etcd: {
      endpoints,
      caPem: usesTls ? (etcdCa ?? authority.certPem) : null,
      certPem: usesTls ? etcd.certPem : null,
      keyPem: usesTls ? etcd.keyPem.reveal() : null,
    },
    settings: sharedSettings((name) => config.get(name)),
  }
}
