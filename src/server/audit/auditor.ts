/**
 * Keeps the records of calls (data supplement 13). A call that changes something has its record in the transaction of
 * its change; the records of others gather in memory and go to the store in groups, so that reads stay fast: a crash
 * may lose those of the last second.
 */
import type { Account } from '../../store/account.js'
import { auditAccessName, auditActionName, putAuditName } from '../../store/audit.js'
import { accountKeys } from '../../store/keys.js'
import { auditRecord } from '../../store/model/auditRecord.js'
import { accessBase, AUDIT_ID_SUFFIX, auditIds } from '../../store/model/auditStreams.js'
import { Failure } from '../../store/model/failure.js'
import type { Store } from '../../store/store.js'
import type { Clock } from '../clock.js'
import type { Log } from '../log.js'
import type { CallMade } from './record.js'
import { Trail, type RecordKeeper, type RecordPlace } from './trail.js'

export interface Auditor {
  /** Whether calls are recorded on this node. */
  readonly isActive: boolean
  /** Begins the trail of a call; undefined when its method is not recorded. */
  begin(account: Account, made: CallMade): Trail | undefined
  /** Resolves when every record made so far can be read. */
  settled(account: Account): Promise<void>
  /** Calls back with each record, with its account's prefix. Answers how to stop following. */
  follow(listener: (account: string, record: string) => void): () => void
  stop(): void
}

export interface AuditorOptions {
  store: Store
  clock: Clock
  log: Log
  newId(): string
  isActive: boolean
  /** The methods to record. */
  methods: ReadonlySet<string>
}

const FLUSH_MS = 1000
/** So many records go to the store at once rather than wait. */
const MANY = 1000
/** While the store takes no writes, so many are kept in memory. */
const MOST = 10_000

/** The batch call is its inner calls, of which each has a record: by itself it only shows when it fails as a whole. */
const ENVELOPE = 'callBatch'

/** The command line makes batches of thousands of calls, when it imports: these have one record each. */
const TERMINAL = 'control'

interface Gathered {
  account: Account
  /** Record by key. */
  records: Map<string, string>
  names: Set<string>
}

export function createAuditor({ store, clock, log, newId, isActive, methods }: AuditorOptions): Auditor {
  // The count and the time make ids unique inside this run, the suffix beside those of others.
  const nextId = auditIds(newId().slice(-AUDIT_ID_SUFFIX))
  const gathered = new Map<string, Gathered>()
  const writing = new Map<Account, Promise<void>>()
  /** Accesses and methods that are known to be listed. */
  const listed = new WeakMap<Account, Set<string>>()
  const followers = new Set<(account: string, record: string) => void>()
  let waiting = 0
  let lost = 0

  function listedOf(account: Account): Set<string> {
    let names = listed.get(account)
    if (names === undefined) {
      names = new Set()
      listed.set(account, names)
    }
    return names
  }

  function tell(account: Account, { item, time }: RecordPlace, kept: string): void {
    if (followers.size === 0) return
    const record = auditRecord(item, time, kept)
    if (record !== undefined) for (const follower of followers) follower(account.prefix, record)
  }

  function put(account: Account, names: Iterable<string>, records: Iterable<[string, string]>): Promise<void> {
    return account.write((t) => {
      for (const [key, text] of records) t.put(key, text)
      for (const name of names) putAuditName(t, name)
    })
  }

  function write({ account, records, names }: Gathered): void {
    waiting -= records.size
    const before = writing.get(account)
    const written = put(account, names, records).catch((error: unknown) => {
      // A disk that is full may have room again; of an account that was deleted meanwhile nothing is kept.
      if (!(error instanceof Failure) || error.id !== 'storage-full') return
      for (const [key, text] of records) keepWaiting(account, key, text)
      for (const name of names) gathered.get(account.prefix)?.names.add(name)
    })
    const done = Promise.all([before, written]).then(() => {
      if (writing.get(account) === done) writing.delete(account)
    })
    writing.set(account, done)
  }

  function flush(): void {
    if (store.state !== 'writable') return
    for (const [prefix, group] of gathered) {
      gathered.delete(prefix)
      write(group)
    }
  }

  /** Adds to what waits to be written; false when there is no room. */
  function keepWaiting(account: Account, key: string, text: string): boolean {
    if (waiting >= MOST) {
      lost += 1
      if (lost === 1) log.error('the store takes no writes: records of calls are lost', {})
      return false
    }
    let group = gathered.get(account.prefix)
    if (group === undefined) {
      group = { account, records: new Map(), names: new Set() }
      gathered.set(account.prefix, group)
    }
    if (!group.records.has(key)) waiting += 1
    group.records.set(key, text)
    return true
  }

  const keeper: RecordKeeper = {
    place(account, access) {
      const milliseconds = Math.max(0, Math.round(clock.now() * 1000))
      const item = nextId(milliseconds)
      const time = milliseconds / 1000
      return { item, time, key: accountKeys.audit(account.prefix, accessBase(access), time, item) }
    },
    stage(t, account, { access, action }, { key }, kept) {
      t.put(key, kept)
      const names = listedOf(account)
      for (const name of [auditAccessName(accessBase(access)), auditActionName(action)]) {
        if (names.has(name)) continue
        putAuditName(t, name)
        t.onStaged(() => names.add(name))
      }
    },
    gather(account, { access, action }, place, kept) {
      if (keepWaiting(account, place.key, kept)) {
        const names = gathered.get(account.prefix)?.names
        names?.add(auditAccessName(accessBase(access))).add(auditActionName(action))
      }
      tell(account, place, kept)
      if (waiting >= MANY) flush()
    },
    tell,
  }

  const timer = setInterval(flush, FLUSH_MS)
  timer.unref()
  return {
    isActive,
    begin(account, made) {
      if (!isActive || !methods.has(made.action)) return undefined
      if (made.action !== ENVELOPE) return new Trail(keeper, account, made)
      return new Trail(keeper, account, made, made.source === TERMINAL ? 'whole batch' : 'batch')
    },
    async settled(account) {
      const group = gathered.get(account.prefix)
      if (group !== undefined && store.state === 'writable') {
        gathered.delete(account.prefix)
        write(group)
      }
      await writing.get(account)
    },
    follow(listener) {
      followers.add(listener)
      return () => followers.delete(listener)
    },
    stop() {
      clearInterval(timer)
      flush()
    },
  }
}
