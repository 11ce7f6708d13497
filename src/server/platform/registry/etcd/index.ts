/**
 * Registry of a platform of several cores, in etcd, around the registry of this core's own store: the store answers for the
 * accounts that it has, and claims their names in the transactions that change them; etcd decides who may claim.
 */
import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Log } from '../../../base/log.js'
import type { Transaction } from '../../../../store/engine/account.js'
import { listNameMarks, hasNameMark, putNameMark, removeNameMark } from '../../../../store/accounts/nameMarks.js'
import { readUser, type User } from '../../../../store/accounts/users.js'
import type { Seal } from '../../../../store/keyring/seal.js'
import type { Store } from '../../../../store/index.js'
import { platformUnavailable, NamesTaken, type LostNames, type Registry, type Transfer } from '../port.js'
import { EtcdError, type EtcdClient } from './api.js'
import { createClaims, type Confirmed, type Mark } from './claims.js'
import { compareNames } from './compareNames.js'
import { createCoreDirectory } from './directory.js'
import { createHomes } from './homes.js'
import { platformKeysOf } from './keys.js'
import { createMirror } from './mirror.js'
import { createNameLookups } from './names.js'
import { createPresence } from './presence.js'
import { createEtcdRecords } from './records.js'

/** Milliseconds between attempts to settle changes of names, and between searches for operations that nothing finishes. */
const RETRY_MS = 2000
const CLEANUP_MS = 60_000
const WAIT_MS = 3000
/** Milliseconds that repairs wait until this core is present, and the interval between looks. */
const PRESENT_MS = 10_000
const LOOK_MS = 100

interface Parts {
  client: EtcdClient
  /** Registry of the own store. */
  local: Registry
  store: Store
  platformId: string
  /** Seal with the key of the platform. */
  seal: Seal
  isClear: boolean
  log: Log
  /** Time in seconds since 1970. */
  now(): number
  /** Seconds without renewal after which a core is no longer live. */
  leaseSeconds?: number
  /** Milliseconds that the opening of a node waits for the first answers of etcd; 0 where no member answers. */
  waitMs?: number
  /** Returns whether etcd lacks the record of this core, which it creates with `repair`; by default, nothing is created. */
  restoreCore?(repair: boolean): Promise<boolean>
  /** Milliseconds between removals of what unfinished operations of this core left. */
  cleanupMs?: number
}

/** Stored form of a mark. */
interface StoredMark extends Mark {
  /** Key prefix of the account. */
  prefix: string
  /** The user before the change; absent for creations. */
  before?: User
  /** Set when another account has one of the names: the change is to be undone. */
  isLost?: true
}

export async function createEtcdRegistry(parts: Parts): Promise<Registry> {
  const { client, local, store, platformId, seal, isClear, log, now, waitMs = WAIT_MS } = parts
  const { core } = local
  const keys = platformKeysOf(platformId, seal, isClear)
  const boot = randomBytes(9).toString('base64url')
  const presence = createPresence({
    ...{ client, key: keys.liveOf(core), boot, log, now },
    ...(parts.leaseSeconds === undefined ? {} : { leaseSeconds: parts.leaseSeconds }),
  })
  const mirrors = {
    cores: createMirror(client, keys.cores, log),
    live: createMirror(client, keys.live, log),
    records: createMirror(client, keys.mirrored, log),
  }
  const names = createNameLookups(client, keys)
  const claims = createClaims({ client, keys, core, log, isClear, now, presence: presence.revision, isPresent: presence.isGood })
  const records = createEtcdRecords({ client, keys, mirror: mirrors.records, now })
  const homes = createHomes(client, keys)
  /** Marks in the store that the registry has not confirmed, by operation. */
  const unsettled = new Map<string, StoredMark>()
  /** Confirmations under way, by operation, and operations whose names another account has. */
  const confirming = new Map<string, Promise<Confirmed>>()
  const lost = new Set<string>()
  /** Accounts of marks from before the start. */
  const closed = new Map<string, number>()
  let undoLost: ((lost: LostNames) => Promise<void>) | undefined
  let settling: NodeJS.Timeout | undefined
  let isClosed = false

  const newOperation = (): string => `${Math.floor(now()).toString(36)}-${randomBytes(9).toString('base64url')}`

  /** Stages the mark of an operation in the transaction that changes the account. */
  function stageMark(t: Transaction, id: string, transfer: Transfer): void {
    const { account, by, take = [], leave = [], retire = [], resume = [] } = transfer
    const before = by === 'creation' ? undefined : readUser(t, t.account)
    const username = usernameAfter(transfer, before)
    const mark: StoredMark = {
      ...{ id, account, prefix: t.account },
      ...(by === undefined ? {} : { by }),
      ...{ take: [...take], leave: [...leave], retire: [...retire], resume: [...resume] },
      ...(username === undefined ? {} : { username }),
      ...(before === undefined || by === 'erasure' ? {} : { before }),
    }
    putNameMark(t, id, mark)
    t.onStaged(() => unsettled.set(id, mark))
  }

  /** Confirms a change. Only one confirmation runs: a second one could claim names again that a later change has released. */
  function confirm(mark: StoredMark): Promise<Confirmed> {
    if (lost.has(mark.id)) return Promise.resolve('lost')
    const running = confirming.get(mark.id)
    if (running !== undefined) return running
    const confirmed = claims
      .confirm(mark)
      .then(async (outcome) => {
        if (outcome === 'done') removeMark(mark)
        else {
          lost.add(mark.id)
          // On disk before the caller learns it: otherwise a start after a crash could confirm what was refused.
          await store.platform.write((t) => putNameMark(t, mark.id, { ...mark, isLost: true }))
        }
        return outcome
      })
      .finally(() => confirming.delete(mark.id))
    confirming.set(mark.id, confirmed)
    return confirmed
  }

  function removeMark(mark: StoredMark): void {
    for (const name of [...mark.take, ...mark.leave]) names.forget(name)
    unsettled.delete(mark.id)
    lost.delete(mark.id)
    store.note(store.platform, (t) => removeNameMark(t, mark.id))
  }

  /** Confirms or undoes a change. Undoing needs exclusive access to an account that exists. */
  async function finish(mark: StoredMark): Promise<Confirmed> {
    const outcome = await confirm(mark)
    if (outcome === 'done' || !unsettled.has(mark.id)) return outcome
    const { prefix, by, before } = mark
    log.error('a change of names is undone, because another account has one of the names', { account: mark.account })
    await undoLost?.({ prefix, ...(by === undefined ? {} : { by }), ...(before === undefined ? {} : { before }) })
    removeMark(mark)
    return outcome
  }

  /** Finishes the change of a transfer, whose caller may have exclusive access to the account: then it is undone later. */
  async function finishTransfer(mark: StoredMark): Promise<Confirmed> {
    if (mark.by === 'creation') return finish(mark)
    const outcome = await confirm(mark)
    if (outcome === 'lost') settleLater(0)
    return outcome
  }

  /** Returns the changes that are on disk and not confirmed; those of running transfers may be neither. */
  const onDisk = (): StoredMark[] => [...unsettled.values()].filter(({ id }) => hasNameMark(store.db, id))

  /**
   * Confirms earlier changes of the names of an account before the next one.
   * @throws Failure `platform-unavailable` when one is not confirmed, or has to be undone first
   */
  async function settleAccount(account: string): Promise<void> {
    for (const mark of onDisk()) {
      if (mark.account !== account || (await confirm(mark)) === 'done') continue
      settleLater(0)
      throw platformUnavailable()
    }
  }

  /** Confirms all changes that are not confirmed; repeated until none is left. */
  async function settleAll(): Promise<void> {
    for (const mark of onDisk()) {
      try {
        await finish(mark)
        reopen(mark.account)
      } catch (error) {
        if (!(error instanceof EtcdError)) log.debug('a change of names is not confirmed yet', { error: String(error) })
      }
    }
    settling = undefined
    if (unsettled.size > 0) settleLater()
  }

  function settleLater(delayMs = RETRY_MS): void {
    if (isClosed) return
    settling ??= setTimeout(() => void settleAll(), delayMs).unref()
  }

  function reopen(account: string): void {
    const marks = (closed.get(account) ?? 1) - 1
    if (marks > 0) closed.set(account, marks)
    else closed.delete(account)
  }

  async function transfer<T>(input: Transfer, work: (enter: (t: Transaction) => void) => Promise<T>): Promise<T> {
    await settleAccount(input.account)
    return local.transfer(input, async (enterLocally) => {
      const id = newOperation()
      const held = await claims.hold(id, input)
      let result: T
      try {
        result = await work((t) => {
          // After a pause of the process, others may have abandoned the operation.
          if (!held.isValid()) throw platformUnavailable()
          enterLocally(t)
          stageMark(t, id, input)
        })
      } catch (error) {
        // The change may be on disk although the work failed after it.
        const mark = unsettled.get(id)
        if (mark === undefined || !hasNameMark(store.db, id)) {
          unsettled.delete(id)
          await claims.abandon(id)
        } else await finishTransfer(mark).catch(() => settleLater())
        throw error
      }
      const mark = unsettled.get(id)
      if (mark === undefined) {
        await claims.abandon(id)
        return result
      }
      let outcome: Confirmed
      try {
        outcome = await finishTransfer(mark)
      } catch (error) {
        settleLater()
        throw error
      }
      if (outcome === 'lost') throw new NamesTaken(input.take ?? [])
      return result
    })
  }

  const cleanup = setInterval(() => {
    claims.abandonUnfinished((id) => unsettled.has(id)).catch(() => {})
  }, parts.cleanupMs ?? CLEANUP_MS).unref()

  const ready = Promise.all([mirrors.cores.ready, mirrors.live.ready, mirrors.records.ready])
  await within(waitMs, ready)

  return {
    core,
    isShared: true,
    records,
    ownRecords: local.records,
    platformSeal: seal,
    cores: createCoreDirectory({ client, keys, mirrors }),
    homes,
    isSettled: (account) => !closed.has(account),
    async lookUp(name, options = {}) {
      const own = await local.lookUp(name)
      if (options.isFresh === true) {
        const holder = await names.lookUp(name, true)
        return holder?.account === own?.account ? own : holder
      }
      if (own !== undefined) return own
      const holder = await names.lookUp(name, false)
      // The store knows the accounts of this core: an answer from memory that names another one is out of date.
      return holder?.core === core ? names.lookUp(name, true) : holder
    },
    peek(name) {
      const here = local.peek(name)
      if (here !== null && here !== undefined) return here
      const holder = names.peek(name)
      return holder?.core === core ? undefined : holder
    },
    transfer,
    hold: (held, work) =>
      local.hold(held, async () => {
        const id = newOperation()
        await claims.hold(id, { account: '', take: held })
        try {
          return await work()
        } finally {
          await claims.abandon(id)
        }
      }),
    platform: {
      id: platformId,
      isReachable: () => presence.isGood(),
      members: () => client.status(),
      get revision() {
        return Math.max(mirrors.cores.revision, mirrors.live.revision, mirrors.records.revision)
      },
      get unsettled() {
        return unsettled.size
      },
      async settle(undo) {
        undoLost = undo
        for (const found of await listNameMarks(store.db)) {
          const mark = found as StoredMark
          unsettled.set(mark.id, mark)
          if (mark.isLost === true) lost.add(mark.id)
          closed.set(mark.account, (closed.get(mark.account) ?? 0) + 1)
        }
        await within(waitMs, presence.begun)
        await settleAll()
        await claims.abandonUnfinished((id) => unsettled.has(id)).catch(() => {})
      },
      async compareNames(repair) {
        // In a new etcd, this core is present some seconds after its first answer.
        const end = performance.now() + PRESENT_MS
        while (repair && !presence.isGood() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        const restoreCore = parts.restoreCore ?? (() => Promise.resolve(false))
        return compareNames({ client, keys, store, core, isClear, presence: presence.revision, restoreCore }, repair)
      },
    },
    async sweep() {
      records.sweep()
      await local.sweep()
    },
    async close() {
      isClosed = true
      clearInterval(cleanup)
      clearTimeout(settling)
      for (const mirror of Object.values(mirrors)) mirror.stop()
      await presence.stop()
      client.close()
    },
  }
}

/** Waits for a result, but not longer than some milliseconds. */
const within = (ms: number, result: Promise<unknown>): Promise<unknown> => Promise.race([result, new Promise((resolve) => setTimeout(resolve, ms).unref())])

/** Returns the user name of an account after a transfer. */
function usernameAfter({ take = [], resume = [] }: Transfer, before: User | undefined): string | undefined {
  return resume[0] ?? take.find(({ field }) => field === 'username')?.value ?? before?.username
}
