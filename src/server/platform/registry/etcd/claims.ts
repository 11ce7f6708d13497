/**
 * Claims of names by transactions of etcd, around the transaction of the store that changes the account. etcd always holds at
 * least what the store has: a name is held there before an account writes it down, and released after the account let it go.
 *
 * 1. Hold: all names to take, which must be free, are written with the id of the operation. The operation has a key of its own.
 * 2. The account changes in the store, with a mark of the operation in the same transaction.
 * 3. Confirm: the names lose the id of the operation, released ones are removed, and the key of the operation with them.
 *
 * A crash before 2 leaves an operation without a mark, which the next start abandons. A crash between 2 and 3 leaves a mark, which
 * it confirms. While the core is dead, others may abandon its operation after a minute; its next start then holds the names
 * again, or undoes the change if one of them is in use.
 */
import { performance } from 'node:perf_hooks'
import type { Log } from '../../../base/log.js'
import { Failure } from '../../../../store/model/failure.js'
import { NamesTaken, type Name, type Transfer } from '../port.js'
import { EtcdError, type Condition, type EtcdClient, type KeyValue, type Operation, type RangeResult, type TransactionResult } from './api.js'
import { valueOf, type AccountValue, type NameValue, type OperationValue, type PlatformKeys } from './keys.js'
import { AGAIN, repeated } from './outcome.js'

/** A change of names that the store has made, as its mark keeps it. */
export interface Mark {
  id: string
  /** Id of the account. */
  account: string
  by?: 'creation' | 'erasure'
  take: Name[]
  leave: Name[]
  retire: string[]
  resume: string[]
  /** User name after the change, for platforms that store names in clear. */
  username?: string
}

/** Outcome of confirming: done, or `lost` when another account has one of the names. */
export type Confirmed = 'done' | 'lost'

/** Names that one operation may change: etcd bounds the operations of a transaction to 128. */
const MAX_NAMES = 100
/** Seconds after its start when others may abandon the operation of a core that is gone. */
const ABANDONED_SECONDS = 60
/** Milliseconds within which the store must be written after a hold: less than ABANDONED_SECONDS. */
const HELD_MS = 45_000

interface Parts {
  client: EtcdClient
  keys: PlatformKeys
  core: string
  log: Log
  /** Revision of the key that shows this core as live. */
  presence(): number | undefined
  /** Checks whether the lease of this core has certainly not ended. */
  isPresent(): boolean
  /** True when names are stored in clear. */
  isClear: boolean
  /** Time in seconds since 1970. */
  now(): number
}

/** A hold on names; `isValid` is false once others may have abandoned it. */
interface NameHold {
  id: string
  isValid(): boolean
}

interface Claims {
  /**
   * Holds the names of a transfer under an operation.
   * @throws NamesTaken; Failure `platform-unavailable`
   */
  hold(id: string, transfer: Transfer): Promise<NameHold>
  /** Finishes an operation whose change is in the store. @throws Failure `platform-unavailable` */
  confirm(mark: Mark): Promise<Confirmed>
  /** Gives up an operation whose change is not in the store; repeated later when etcd does not answer. Never rejects. */
  abandon(id: string): Promise<void>
  /** Abandons operations of this core that are neither running nor marked. */
  abandonUnfinished(isMarked: (id: string) => boolean): Promise<void>
}

const userName = (value: string): Name => ({ field: 'username', value })

export function createClaims({ client, keys, core, log, presence, isPresent, isClear, now }: Parts): Claims {
  /** Ids of operations of this process that are not finished. */
  const running = new Set<string>()

  async function hold(id: string, transfer: Transfer): Promise<NameHold> {
    const { account, by, take = [], leave = [], retire = [], resume = [] } = transfer
    if (take.length + leave.length + retire.length + resume.length > MAX_NAMES) {
      throw new Failure('invalid-operation', `At most ${MAX_NAMES} names can change at once.`)
    }
    const byKey = new Map(take.map((name) => [keys.name(name), name]))
    const begun = performance.now()
    running.add(id)
    let isAbandoning = false
    const onUnsure = (): void => {
      isAbandoning = true
      void abandon(id)
    }
    try {
      await repeated(() => tryHold(id, account, byKey, by === 'creation'), onUnsure)
    } catch (error) {
      if (!isAbandoning) running.delete(id)
      throw error
    }
    return { id, isValid: () => isPresent() && performance.now() - begun < HELD_MS }
  }

  async function tryHold(id: string, account: string, byKey: ReadonlyMap<string, Name>, isCreation: boolean): Promise<true | typeof AGAIN> {
    const shown = presence()
    // Without presence nothing may be claimed.
    if (shown === undefined) throw new EtcdError('this core is not present', 'none', true)
    const operation = keys.operation(core, id)
    const names = [...byKey.keys()]
    const value: OperationValue = { a: account, take: names, t: now() }
    const held: NameValue = { a: account, h: id, k: core }
    const checked = [keys.liveOf(core), keys.core(core), operation, ...(isCreation ? [keys.account(account)] : []), ...names]
    const result = await client.transaction({
      if: [
        { key: keys.liveOf(core), ifRevision: shown },
        { key: keys.core(core), isPresent: true },
        { key: operation, isAbsent: true },
        ...(isCreation ? [{ key: keys.account(account), isAbsent: true } as const] : []),
        ...names.map((key): Condition => ({ key, isAbsent: true })),
      ],
      then: [...names.map((key) => ({ put: key, value: JSON.stringify(held) })), { put: operation, value: JSON.stringify(value) }],
      else: checked.map((key) => ({ range: { key } })),
    })
    if (result.succeeded) return true
    const found = itemsOf(result)
    // An earlier attempt with an unknown outcome was applied.
    if (found.has(operation)) return true
    if (found.get(keys.liveOf(core))?.revision !== shown) throw new EtcdError('this core is not present', 'none', true)
    if (!found.has(keys.core(core))) throw new EtcdError('this core is not part of the platform', 'none', true)
    const taken: Name[] = []
    for (const [key, name] of byKey) {
      const item = found.get(key)
      if (item !== undefined && !(await isReleasable(item, account, id))) taken.push(name)
    }
    if (taken.length > 0) throw new NamesTaken(taken)
    if (isCreation && found.has(keys.account(account))) throw new NamesTaken([{ field: 'id', value: account }])
    return AGAIN
  }

  /** Removes a hold that its core left behind. Returns false for a name in use. */
  async function isReleasable(item: KeyValue, account: string, id: string): Promise<boolean> {
    const { h: holder, k: other } = valueOf<NameValue>(item.value)
    if (holder === undefined || other === undefined || holder === id) return false
    if (other === core) return false
    const operation = keys.operation(other, holder)
    const { items } = await client.range({ key: operation })
    const [found] = items
    const started = found === undefined ? 0 : valueOf<OperationValue>(found.value).t
    if (now() - started < ABANDONED_SECONDS) return false
    const names = found === undefined ? [item.key] : valueOf<OperationValue>(found.value).take
    return giveUp(operation, holder, names, [{ key: keys.liveOf(other), isAbsent: true }])
  }

  /** Removes an operation and its holds, if the conditions are met. Returns whether it did. */
  async function giveUp(operation: string, id: string, names: readonly string[], conditions: readonly Condition[]): Promise<boolean> {
    const read = await client.transaction({ then: names.map((key) => ({ range: { key } })) })
    const held = [...itemsOf(read).values()].filter(({ value }) => valueOf<NameValue>(value).h === id)
    const { succeeded } = await client.transaction({
      if: [...conditions, ...held.map(({ key, revision }): Condition => ({ key, ifRevision: revision }))],
      then: [...held.map(({ key }) => ({ delete: key })), { delete: operation }],
    })
    return succeeded
  }

  async function abandon(id: string): Promise<void> {
    const operation = keys.operation(core, id)
    try {
      await repeated(async () => {
        const { items } = await client.range({ key: operation })
        const [found] = items
        if (found === undefined) return true
        return (await giveUp(operation, id, valueOf<OperationValue>(found.value).take, [{ key: operation, ifRevision: found.revision }])) ? true : AGAIN
      })
    } catch (error) {
      log.debug('an unfinished claim is released later', { error: String(error) })
    } finally {
      running.delete(id)
    }
  }

  async function confirm(mark: Mark): Promise<Confirmed> {
    const outcome = await repeated(() => tryConfirm(mark))
    running.delete(mark.id)
    return outcome
  }

  async function tryConfirm(mark: Mark): Promise<Confirmed | typeof AGAIN> {
    const { id, account, by, take, leave, retire, resume } = mark
    const operation = keys.operation(core, id)
    const home = keys.account(account)
    const left = leave.map((name) => keys.name(name))
    // What is released is read first, so that a name of another account is never removed.
    const before = itemsOf(await client.transaction({ then: [home, ...left].map((key) => ({ range: { key } })) }))
    const released = left.flatMap((key) => before.get(key) ?? []).filter(({ value }) => valueOf<NameValue>(value).a === account)
    const own = JSON.stringify({ a: account } satisfies NameValue)
    const former = JSON.stringify({ a: account, f: 1 } satisfies NameValue)
    const kept = new Map<string, string>([
      ...take.map((name) => [keys.name(name), own] as const),
      ...resume.map((name) => [keys.name(userName(name)), own] as const),
      ...retire.map((name) => [keys.name(userName(name)), former] as const),
    ])
    const then: Operation[] = [
      ...[...kept].map(([put, value]) => ({ put, value })),
      ...released.filter(({ key }) => !kept.has(key)).map(({ key }) => ({ delete: key })),
      ...homeChanges(mark, before.get(home)),
      { delete: operation },
    ]
    const result = await client.transaction({
      if: [
        { key: operation, isPresent: true },
        ...released.map(({ key, revision }): Condition => ({ key, ifRevision: revision })),
        conditionOf(home, before.get(home)),
      ],
      then,
      else: [operation, home, ...kept.keys()].map((key) => ({ range: { key } })),
    })
    if (result.succeeded) return 'done'
    const found = itemsOf(result)
    if (found.has(operation)) return AGAIN
    // Confirmed by an earlier attempt, or abandoned by others.
    const isOwn = [...kept.keys()].every((key) => {
      const item = found.get(key)
      if (item === undefined) return false
      const { a, h } = valueOf<NameValue>(item.value)
      return a === account && h === undefined
    })
    const hasHome = found.has(home)
    if (isOwn && hasHome === (by !== 'erasure')) return 'done'
    return reclaimed(mark)
  }

  /** Holds the names of a mark again, after others abandoned its operation. */
  async function reclaimed(mark: Mark): Promise<Confirmed | typeof AGAIN> {
    const byKey = new Map(mark.take.map((name) => [keys.name(name), name]))
    try {
      // Confirmed by the next attempt.
      await tryHold(mark.id, mark.account, byKey, mark.by === 'creation')
      return AGAIN
    } catch (error) {
      if (error instanceof NamesTaken) return 'lost'
      throw error
    }
  }

  function homeChanges({ id, account, by, username }: Mark, now: KeyValue | undefined): Operation[] {
    const key = keys.account(account)
    const named = isClear && username !== undefined ? { u: username } : {}
    if (by === 'erasure') return [{ delete: key }, { delete: keys.hostedAccount(core, account) }]
    if (by === 'creation') {
      const value: AccountValue = { c: core, e: 1, o: id, ...named }
      return [{ put: key, value: JSON.stringify(value) }, { put: keys.hostedAccount(core, account), value: '' }]
    }
    if (!isClear || now === undefined) return []
    return [{ put: key, value: JSON.stringify({ ...valueOf<AccountValue>(now.value), ...named }) }]
  }

  return {
    hold,
    confirm,
    abandon,
    async abandonUnfinished(isMarked) {
      const { items } = await client.range({ key: keys.operations(core), isPrefix: true, limit: 1000 })
      for (const { key } of items) {
        const id = key.slice(keys.operations(core).length)
        if (!running.has(id) && !isMarked(id)) await abandon(id)
      }
    },
  }
}

/** Returns the items that a transaction read, by key. */
export function itemsOf({ results }: Pick<TransactionResult, 'results'>): Map<string, KeyValue> {
  const ranges = results.filter((result): result is RangeResult => 'items' in result)
  return new Map(ranges.flatMap(({ items }) => items.map((item) => [item.key, item] as const)))
}

/** Returns the condition that a key is as it was read. */
export const conditionOf = (key: string, item: KeyValue | undefined): Condition =>
  item === undefined ? { key, isAbsent: true } : { key, ifRevision: item.revision }
