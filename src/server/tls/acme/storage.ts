/**
 * Storage of ACME accounts and issued certificates, for all cores of the platform. Keys are encrypted with the key that all cores
 * share. Each core of several keeps a copy of its certificate, to serve it after a restart while the others cannot be reached.
 */
import { createHash } from 'node:crypto'
import type { Records, Registry } from '../../platform/registry/port.js'
import { Secret } from '../../../store/model/secret.js'

export const CERTIFICATES = 'certificates'
/** Returns the record id of an account; one per authority, so that returning to one reuses its account. */
const accountId = (directory: string): string => `account-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`
/** Record id of the only certificate, as earlier versions stored it. */
const ONLY = 'certificate'

/** Returns the record id of the certificate whose first name is `hostname`. */
export const certificateId = (hostname: string): string => `host-${hostname}`

/** An account with an authority. */
export interface AcmeAccount {
  /** URL of the authority's directory. */
  directory: string
  /** PEM. */
  key: Secret<string>
  /** Account URL, once the authority has assigned it. */
  url?: string
}

interface StoredCertificate {
  directory: string
  /** All names. */
  hostname: string
  /** PEM: the certificate, then the chain. */
  cert: string
  /** PEM. */
  key: Secret<string>
}

interface AcmeStorage {
  account(directory: string): Promise<AcmeAccount | undefined>
  putAccount(account: AcmeAccount): Promise<void>
  /** Returns the stored certificate whose first name is `hostname`; the copy of this core while the platform cannot be asked. */
  certificate(hostname: string): Promise<StoredCertificate | undefined>
  putCertificate(certificate: StoredCertificate): Promise<void>
}

/** Returns the ACME storage in the records of a platform. `hostname` below is the first name of a certificate. */
export function acmeStorage({ records, ownRecords, platformSeal: seal, isShared }: Pick<Registry, 'records' | 'ownRecords' | 'platformSeal' | 'isShared'>): AcmeStorage {
  // Encryption authenticates the record id, so that keys cannot be swapped.
  const sealed = (id: string, key: Secret<string>): string => seal.seal(key.reveal(), `${CERTIFICATES}/${id}`)
  async function read<T extends { key: Secret<string> }>(id: string, from = records): Promise<T | undefined> {
    const value = (await from.get(CERTIFICATES, id)) as (Omit<T, 'key'> & { key: string }) | undefined
    return value === undefined ? undefined : ({ ...value, key: new Secret(seal.open(value.key, `${CERTIFICATES}/${id}`)) } as unknown as T)
  }
  const put = (id: string, { key, ...more }: { key: Secret<string> }, to: Records = records): Promise<void> =>
    to.change(CERTIFICATES, id, () => ({ put: { ...more, key: sealed(id, key) }, result: undefined }))

  async function readShared(id: string): Promise<StoredCertificate | undefined> {
    const copy = await read<StoredCertificate>(id, ownRecords)
    const found = await read<StoredCertificate>(id).catch((error: unknown) => {
      if (copy === undefined) throw error
      return copy
    })
    if (found !== undefined && found.cert !== copy?.cert) await put(id, found, ownRecords)
    return found
  }

  return {
    account: (directory) => read(accountId(directory)),
    putAccount: (account) => put(accountId(account.directory), account),
    async certificate(hostname) {
      const id = certificateId(hostname)
      return isShared ? readShared(id) : ((await read<StoredCertificate>(id)) ?? read(ONLY))
    },
    putCertificate: (certificate) => put(certificateId(certificate.hostname.split(' ')[0] ?? ''), certificate),
  }
}
