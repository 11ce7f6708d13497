/**
 * Storage of the two halves of delegations: anchors on the controlled account and mirrors on the delegate's
 * (docs/interface/delegations.md#life-of-a-delegation). Node-local records, whose endpoints are sealed since they contain tokens.
 */
import { readAll } from './accesses.js'
import type { Account, Transaction } from '../engine/account.js'
import { accountKeys, under } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'
import type { Controlled, Delegate } from '../model/delegation.js'
import type { Seal } from '../keyring/seal.js'

/** Common fields of both halves. */
type Half = Delegate | Controlled

/** Store of one half's records, by relationship id. */
export interface Relations<R extends Half> {
  /** Adds or replaces a record. */
  put(t: Transaction, seal: Seal, record: R): void
  remove(t: Transaction, relId: string): void
  find(reader: RecordReader, seal: Seal, account: string, relId: string): R | undefined
  /** Returns all records of an account, oldest first. */
  list(account: Pick<Account, 'db' | 'prefix'>, seal: Seal): Promise<R[]>
  /** Names of the sealed members. */
  readonly sealed: readonly (keyof R & string)[]
}

/** Returns the context that binds a sealed endpoint to its record. */
export const endpointContext = (account: string, relId: string, member: string): string => `${account}/delegation/${relId}/${member}`

function relationsOf<R extends Half>(
  key: (account: string, relId: string) => string,
  all: (account: string) => string,
  sealed: readonly (keyof R & string)[],
): Relations<R> {
  /** Returns the record with its endpoints sealed or opened by `turn`. */
  function withEndpoints(record: R, account: string, turn: (text: string, place: string) => string): R {
    const endpoints = sealed.flatMap((member): [string, string][] => {
      const value = record[member]
      return typeof value === 'string' ? [[member, turn(value, endpointContext(account, record.relId, member))]] : []
    })
    return { ...record, ...Object.fromEntries(endpoints) }
  }
  const read = (text: string, seal: Seal, account: string): R =>
    withEndpoints(JSON.parse(text) as R, account, (value, place) => seal.open(value, place))
  return {
    sealed,
    put(t, seal, record) {
      const place = key(t.account, record.relId)
      const action = t.get(place) === undefined ? 'create' : 'update'
      t.put(place, JSON.stringify(withEndpoints(record, t.account, (value, where) => seal.seal(value, where))))
      t.journal('delegation', action, record.relId)
    },
    remove(t, relId) {
      t.delete(key(t.account, relId))
      t.journal('delegation', 'delete', relId)
    },
    find(reader, seal, account, relId) {
      const text = reader.get(key(account, relId))
      return text === undefined ? undefined : read(text, seal, account)
    },
    async list({ db, prefix }, seal) {
      const found = await readAll(db, under(all(prefix)), (text) => read(text, seal, prefix))
      return found.sort((a, b) => a.requestedAt - b.requestedAt)
    },
  }
}

/** Anchors: the delegates of an account. */
export const delegates: Relations<Delegate> = relationsOf<Delegate>(accountKeys.delegate, accountKeys.delegates, [
  'notifyApiEndpoint',
])

/** Mirrors: the accounts that an account controls. */
export const controlledAccounts: Relations<Controlled> = relationsOf<Controlled>(accountKeys.controlled, accountKeys.controlleds, [
  'capabilityUrl',
  'controlApiEndpoint',
])

/** Compares user names without regard to case. */
export const isNamed = (username: string, name: string): boolean => username.toLowerCase() === name.toLowerCase()
