/**
 * Keys of a platform in etcd, all below `/coffer/<platform id>/`, and the form of their values: JSON with short members. Only
 * this file builds keys. Names and unique values are keyed digests unless the platform stores them in clear.
 */
import type { Seal } from '../../../../store/keyring/seal.js'
import { nameKey, type Name } from '../port.js'

/** Value of the platform. */
export interface PlatformValue {
  /** Version of the layout of keys and values. */
  v: number
  /** Random id, new when the platform is created again in an empty etcd. */
  incarnation: string
  /** Seconds since 1970. */
  created: number
  /** Version of coffer that created it. */
  version: string
}

/** Value of a name. */
export interface NameValue {
  /** Id of the account. */
  a: string
  /** 1 for a former user name. */
  f?: 1
  /** Id of the operation that holds the name; absent once the account has it. */
  h?: string
  /** Core of that operation. */
  k?: string
}

/** Value of an account: where it lives. */
export interface AccountValue {
  /** Id of its core. */
  c: string
  /** Number of its homes so far: only a transaction that compares the revision of this key changes it. */
  e: number
  /** Operation that created it. */
  o: string
  /** Current user name, on platforms that store names in clear. */
  u?: string
}

/** Value of an operation under way. */
export interface OperationValue {
  /** Id of the account; empty for a hold. */
  a: string
  /** Keys that it holds. */
  take: string[]
  /** Time of its start, in seconds since 1970. */
  t: number
}

/** Value of a record. */
export interface RecordValue {
  v: unknown
  /** Expiry, in seconds since 1970. */
  x?: number
  /** Id of the write, to recognise it after an unknown outcome. */
  o: string
}

/** Value of the key that exists while a core runs. */
export interface LiveValue {
  /** Random id of the process. */
  boot: string
  /** Time of its start, in seconds since 1970. */
  since: number
}

export interface PlatformKeys {
  /** The platform itself; created once. */
  readonly meta: string
  readonly cores: string
  core(id: string): string
  readonly live: string
  liveOf(core: string): string
  name(name: Name): string
  readonly names: string
  account(id: string): string
  readonly accounts: string
  /** Accounts of a core; counted and paged. */
  hosted(core: string): string
  hostedAccount(core: string, account: string): string
  operations(core: string): string
  operation(core: string, id: string): string
  /** Records of families that every core keeps in memory. */
  readonly mirrored: string
  record(family: string, id: string): string
  records(family: string): string
}

/** Families of records that every core keeps in memory, so that they are read without asking. */
export const MIRRORED: ReadonlySet<string> = new Set([
  'app',
  'certificates',
  'dns-record',
  'mail-template',
  'oauth-client',
  'oauth-client-revoked',
  'dpop-jkt-revoked',
])

/** Creates the keys of a platform. `isClear`: names are stored as they are. */
export function platformKeysOf(platform: string, seal: Pick<Seal, 'digest'>, isClear: boolean): PlatformKeys {
  const root = `/coffer/${platform}/`
  const stored = (name: Name): string => {
    const text = nameKey(name)
    const value = text.slice(name.field.length + 1)
    // Aliases are random: nobody can guess whether one exists.
    return isClear || name.field === 'alias' ? encodeURIComponent(value) : seal.digest(`name/${text}`)
  }
  const records = (family: string): string => `${root}${MIRRORED.has(family) ? 'm' : 'r'}/${family}/`
  return {
    meta: `${root}meta`,
    cores: `${root}core/`,
    core: (id) => `${root}core/${id}`,
    live: `${root}live/`,
    liveOf: (core) => `${root}live/${core}`,
    name: (name) => `${root}n/${name.field}/${stored(name)}`,
    names: `${root}n/`,
    account: (id) => `${root}a/${id}`,
    accounts: `${root}a/`,
    hosted: (core) => `${root}c/${core}/`,
    hostedAccount: (core, account) => `${root}c/${core}/${account}`,
    operations: (core) => `${root}o/${core}/`,
    operation: (core, id) => `${root}o/${core}/${id}`,
    mirrored: `${root}m/`,
    record: (family, id) => records(family) + id,
    records,
  }
}

/** Parses a value; throws for one that is not JSON, which nothing of coffer writes. */
export const valueOf = <T>(text: string): T => JSON.parse(text) as T
