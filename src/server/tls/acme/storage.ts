/** Storage of ACME accounts and the issued certificate. Keys are encrypted. */
import { createHash } from 'node:crypto'
import type { Records } from '../../platform/registry/port.js'
import type { Seal } from '../../../store/keyring/seal.js'
import { Secret } from '../../../store/model/secret.js'

const FAMILY = 'certificates'
/** Returns the record id of an account; one per authority, so that returning to one reuses its account. */
const accountId = (directory: string): string => `account-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`
const CERTIFICATE = 'certificate'

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
  hostname: string
  /** PEM: the certificate, then the chain. */
  cert: string
  /** PEM. */
  key: Secret<string>
}

interface AcmeStorage {
  account(directory: string): Promise<AcmeAccount | undefined>
  putAccount(account: AcmeAccount): Promise<void>
  certificate(): Promise<StoredCertificate | undefined>
  putCertificate(certificate: StoredCertificate): Promise<void>
}

/** Returns the ACME storage in the records of a node. */
export function acmeStorage(records: Records, seal: Seal): AcmeStorage {
  // Encryption authenticates the record id, so that keys cannot be swapped.
  const sealed = (id: string, key: Secret<string>): string => seal.seal(key.reveal(), `${FAMILY}/${id}`)
  async function read<T extends { key: Secret<string> }>(id: string): Promise<T | undefined> {
    const value = (await records.get(FAMILY, id)) as (Omit<T, 'key'> & { key: string }) | undefined
    return value === undefined ? undefined : ({ ...value, key: new Secret(seal.open(value.key, `${FAMILY}/${id}`)) } as unknown as T)
  }
  const put = (id: string, { key, ...more }: { key: Secret<string> }): Promise<void> =>
    records.change(FAMILY, id, () => ({ put: { ...more, key: sealed(id, key) }, result: undefined }))
  return {
    account: (directory) => read(accountId(directory)),
    putAccount: (account) => put(accountId(account.directory), account),
    certificate: () => read(CERTIFICATE),
    putCertificate: (certificate) => put(CERTIFICATE, certificate),
  }
}
