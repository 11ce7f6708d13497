/**
 * Stores audit records of calls (docs/interface/audit.md). A record of a change is written in the same transaction; other records
 * are collected in memory and written in groups, so that reads stay fast. A crash may lose those of the last second.
 */
import type { Account } from '../../store/engine/account.js'
import { auditAccessName, auditActionName, putAuditName } from '../../store/accounts/audit.js'
import { accountKeys } from '../../store/engine/keys.js'
import { auditParts, auditRecord } from '../../store/model/auditRecord.js'
import { accessBase, AUDIT_ID_SUFFIX, auditIds } from '../../store/model/auditStreams.js'
import { Failure } from '../../store/model/failure.js'
import type { Store } from '../../store/index.js'
import { readUser } from '../../store/accounts/users.js'
import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import { redactContent, CallRecorder, type RecordedCall, type RecordKeeper, type RecordPlace } from './auditEntry.js'
import { createRefusalCounter } from './refusals.js'
import type { Syslog } from './syslog.js'

export interface Auditor {
  /** True when calls are recorded on this node. */
  readonly isActive: boolean
  /** Begins the record of a call; undefined when its method is not recorded. */
  begin(account: Account, call: RecordedCall): CallRecorder | undefined
  /** Counts a call refused for an unknown token; such calls share one record per client and minute. */
  countRefused(account: Account, call: RecordedCall, failure: Failure): void
  /**
   * Reports a call that belongs to no account, to the syslog output only. `failure` is set for a refused call.
   */
  recordPlatform(call: RecordedCall, failure?: Failure): void
  /** Forgets that an access of an account is listed as occurring. */
  forgetListed(account: Account, name: string): void
  /** Resolves when every record made so far can be read. */
  settled(account: Account): Promise<void>
  /** Calls back with each record and its account's prefix. Returns the function that unsubscribes. */
  follow(listener: (account: string, record: string) => void): () => void
  stop(): void
}

interface AuditorOptions {
  store: Store
  clock: Clock
  log: Log
  newId(): string
  isActive: boolean
  /** The methods to record. */
  methods: ReadonlySet<string>
  /** Syslog output, and the methods sent to it. */
  syslog?: { output: Syslog; methods: ReadonlySet<string> }
}

const FLUSH_MS = 1000
/** Number of pending records that triggers a write. */
const FLUSH_COUNT = 1000
/** Maximum number of records held in memory while the store rejects writes. */
const MAX_PENDING = 10_000

/** The batch call itself is recorded only when it fails as a whole; its inner calls have their own records. */
const ENVELOPE = 'callBatch'

/** Source of the command line, whose import batches of thousands of calls get one record each. */
const TERMINAL = 'control'

interface PendingRecords {
  account: Account
  /** Records by key. */
  records: Map<string, string>
  names: Set<string>
}

export function createAuditor({ store, clock, log, newId, isActive, methods, syslog }: AuditorOptions): Auditor {
  // Counter and time make ids unique within this process, the suffix between processes.
  const nextId = auditIds(newId().slice(-AUDIT_ID_SUFFIX))
  const gathered = new Map<string, PendingRecords>()
  const writing = new Map<Account, Promise<void>>()
  /** Accesses and methods known to be listed. */
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

  function notify(account: Account, { item, time }: RecordPlace, saved: string): void {
    if (followers.size === 0) return
    const record = auditRecord(item, time, saved)
    if (record !== undefined) for (const follower of followers) follower(account.prefix, record)
  }

  function put(account: Account, names: Iterable<string>, records: Iterable<[string, string]>): Promise<void> {
    return account.write((t) => {
      for (const [key, text] of records) t.put(key, text)
      for (const name of names) putAuditName(t, name)
    })
  }

  function write({ account, records, names }: PendingRecords): void {
    waiting -= records.size
    const before = writing.get(account)
    const written = put(account, names, records).catch((error: unknown) => {
      // A full disk may get room again; records of an account deleted meanwhile are dropped.
      if (!(error instanceof Failure) || error.id !== 'storage-full') return
      for (const [key, text] of records) enqueue(account, key, text)
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

  /** Queues a record for writing; returns false when the queue is full. */
  function enqueue(account: Account, key: string, text: string): boolean {
    if (waiting >= MAX_PENDING) {
      lost += 1
      if (lost === 1) log.error('audit records lost: the store rejects writes', {})
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
    stage(t, account, { access, action }, { key }, saved) {
      t.put(key, saved)
      const names = listedOf(account)
      for (const name of [auditAccessName(accessBase(access)), auditActionName(action)]) {
        if (names.has(name)) continue
        putAuditName(t, name)
        t.onStaged(() => names.add(name))
      }
    },
    queue(account, { access, action }, place, saved) {
      if (enqueue(account, place.key, saved)) {
        const names = gathered.get(account.prefix)?.names
        names?.add(auditAccessName(accessBase(access))).add(auditActionName(action))
      }
      notify(account, place, saved)
      if (waiting >= FLUSH_COUNT) flush()
    },
    notify,
  }

  /** Returns a keeper that also, or only, writes to the syslog output. */
  const notice = (inner: RecordKeeper | undefined): RecordKeeper => ({
    place: keeper.place,
    stage: (...record) => inner?.stage(...record),
    queue(account, call, place, saved) {
      inner?.queue(account, call, place, saved)
      toSyslog(place.time, saved, account)
    },
    notify(account, place, saved) {
      inner?.notify(account, place, saved)
      toSyslog(place.time, saved, account)
    },
  })

  function toSyslog(time: number, saved: string, account?: Account): void {
    const parts = auditParts(saved)
    if (parts === undefined) return
    const { access, action: method, isFailure } = parts
    const username = account === undefined ? undefined : readUser(store.db, account.prefix)?.username
    syslog?.output.send({ time, username, access, method, isFailure, content: JSON.parse(parts.content) })
  }

  /** Record keepers by method. */
  const keepers = {
    stored: keeper,
    both: notice(keeper),
    notified: notice(undefined),
  }

  function keeperOf(action: string): RecordKeeper | undefined {
    const isNotified = syslog?.methods.has(action) === true
    if (methods.has(action)) return isNotified ? keepers.both : keepers.stored
    return isNotified ? keepers.notified : undefined
  }

  const refusals = createRefusalCounter(keeper, () => clock.now())
  const timer = setInterval(() => {
    refusals.close()
    flush()
  }, FLUSH_MS)
  timer.unref()
  return {
    isActive,
    begin(account, call) {
      const saved = isActive ? keeperOf(call.action) : undefined
      if (saved === undefined) return undefined
      if (call.action !== ENVELOPE) return new CallRecorder(saved, account, call)
      return new CallRecorder(saved, account, call, call.source === TERMINAL ? 'whole batch' : 'batch')
    },
    countRefused(account, call, failure) {
      if (!isActive) return
      if (methods.has(call.action)) refusals.count(account, call, failure)
      if (syslog?.methods.has(call.action) === true) toSyslog(clock.now(), redactContent({ ...call, query: undefined }, '', failure), account)
    },
    recordPlatform(call, failure) {
      if (isActive && syslog?.methods.has(call.action) === true) toSyslog(clock.now(), redactContent(call, '', failure))
    },
    forgetListed: (account, name) => void listed.get(account)?.delete(name),
    async settled(account) {
      refusals.settle(account)
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
      refusals.close(true)
      flush()
      syslog?.output.stop()
    },
  }
}
