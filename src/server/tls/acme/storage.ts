/** What the node keeps of ACME: its accounts with authorities, and its certificate. Keys are sealed. */
import { createHash } from 'node:crypto'
import type { Records } from '../../../sync/registry/port.js'
import type { Seal } from '../../../store/keyring/seal.js'
import { Secret } from '../../../store/model/secret.js'

const FAMILY = 'certificates'
/** One for each authority: whoever tries another one and comes back has the account still. */
const accountId = (directory: string): string => `account-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`
const CERTIFICATE = 'certificate'

/** An account with an authority. */
export interface AcmeAccount {
  /** The address of the authority's directory. */
  directory: string
  /** PEM. */
  key: Secret<string>
  /** The account's own address, once the authority has given it. */
  url?: string
}

export interface StoredCertificate {
  directory: string
  hostname: string
  /** PEM: the certificate, then those of its authorities. */
  cert: string
  /** PEM. */
  key: Secret<string>
}

export interface AcmeStorage {
  account(directory: string): Promise<AcmeAccount | undefined>
  putAccount(account: AcmeAccount): Promise<void>
  certificate(): Promise<StoredCertificate | undefined>
  putCertificate(certificate: StoredCertificate): Promise<void>
}

/** What is kept in the records of a node. */
export function acmeStorage(records: Records, seal: Seal): AcmeStorage {
  // The place is authenticated with a key, so that one is never taken for the other.
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
