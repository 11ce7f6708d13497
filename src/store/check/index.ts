/**
 * Verifies a whole store: the chain of commits from the first on, every index against the records, and the records against
 * their CRDT changes. leveldb/inspect.ts checks the files themselves. `checkStore` returns a `CheckResult`; findings.ts
 * has its counts and problems.
 *
 * An account is read twice at most: firstPass.ts finds out whether it has problems at all, and only then are its entries checked
 * one by one for a report. families.ts maps each family of keys to its check. A check of an entry returns the entries that it
 * expects elsewhere (`ExpectedEntry`), which crossReference.ts compares in constant memory. The checks are in files by kind of record: events,
 * streams, accesses, accessRecords, accountRecords, platform, series, files, changes and replication.
 */
import { isImporting } from '../accounts/users.js'
import { expectedNodeEntries, type Claims } from './platform.js'
import { checkChain, checkChainEnd, checkJournals, type LinkedJournal } from './chain.js'
import { checkExpectedEntries, type CheckContext, type ExpectedEntry } from './crossReference.js'
import { isSound, type HelperThread } from './firstPass.js'
import { checkFile, checkFiles, checkKnownDamage, type StillReferred } from './files.js'
import { FAMILIES, PLATFORM_FAMILIES, readEntry, type AccountCheck, type Family, type ReadingOptions } from './families.js'
import { attributed, createFindings, type Findings, type Problem } from './findings.js'
import { checkIdentity, checkTree } from './replication.js'
import { sampledKeys, type Sample } from './sample.js'
import { checkLostProfiles } from './accountRecords.js'
import { checkSeries } from './series.js'
import { streamTree } from './streams.js'
import type { ChainHead } from '../engine/commit.js'
import type { Database } from '../engine/database.js'
import { accountKeys, nodeKeys, PLATFORM, under } from '../engine/keys.js'
import type { Yielder } from '../engine/yield.js'

export interface CheckOptions extends ReadingOptions {
  /** End of the chain according to the committer. */
  head: ChainHead
  /** High-water mark; absent before the first commit. */
  mark?: ChainHead
  /** Folder of the attached files; if set, verifies their bytes too. */
  files?: string
  /** Set when the files are current but the database is a snapshot. */
  isReferred?: StillReferred
  /** Maximum number of stored problems; all are counted. */
  maxProblems?: number
  /** Prefix of the only account to check, besides the chain. */
  account?: string
  /** If set, checks only a sample of records with their dependent entries, and the end of the chain. */
  sample?: Sample
  /** Yields to other work; called often. */
  pause?: Yielder
  /** Thread that reads some families of large accounts. Nothing may write to the store meanwhile: it does not read the snapshot. */
  helper?: HelperThread
  /** Receives counts and reports during the check. */
  findings?: Findings
}

export interface CheckResult {
  ok: boolean
  /** Number of things checked, by kind. */
  checked: Record<string, number>
  /** The first problems found. */
  problems: Problem[]
  /** Total number of problems. */
  found: number
}

const MAX_PROBLEMS = 1000
const PAGE = 500

/** Number of links verified at the end of the chain. */
const END_OF_CHAIN = 1000
const NO_PAUSE: Yielder = () => undefined

/** Creates findings with the default limit, for `CheckOptions.findings`. */
export const findingsOfCheck = (): Findings => createFindings(MAX_PROBLEMS)

/**
 * Verifies everything in the database, or the part given by `options`; requires that nothing writes meanwhile, or a
 * snapshot as `db`. Never writes. Rejects only when the database cannot be read: errors in it are problems in the result.
 */
export async function checkStore(db: Database, options: CheckOptions): Promise<CheckResult> {
  const findings = options.findings ?? createFindings(options.maxProblems ?? MAX_PROBLEMS)
  const context: CheckContext = { db, findings }
  if (options.sample === undefined) await checkAll(context, options)
  else await checkSample(context, options.sample, options)
  const { checked, problems, found } = findings
  return { ok: found === 0, checked, problems, found }
}

async function checkAll(context: CheckContext, options: CheckOptions): Promise<void> {
  const { db } = context
  const { account: only, pause = NO_PAUSE } = options
  const journals = await checkChain(context, options.head, options.mark, pause)
  checkJournals(context, only === undefined ? journals : new Map([...journals].filter(([account]) => account === only)))
  const held: Claims = { unique: 0, tokens: 0 }
  for await (const account of accountsIn(context)) {
    if (only !== undefined && account !== only) continue
    if (db.get(nodeKeys.erasing(account)) === undefined && !isImporting(db, account)) {
      await checkAccount(context, account, journals.get(account), held, options)
    }
  }
  if (only === undefined) await checkNode(context, held, options)
}

/** Checks the node's own entries, and compares their number with the claims of its accounts. */
async function checkNode(context: CheckContext, found: Claims, { seal, pause = NO_PAUSE }: CheckOptions): Promise<void> {
  const { findings } = context
  checkIdentity(context, seal)
  const claimed: Claims = { unique: 0, tokens: 0 }
  let demands: ExpectedEntry[] = []
  let askers: string[] = []
  for await (const [key, demand] of expectedNodeEntries(context, claimed)) {
    const turn = pause()
    if (turn !== undefined) await turn
    askers.push(key)
    if (demands.push(demand) < PAGE) continue
    await checkExpectedEntries(context, demands, askers)
    demands = []
    askers = []
  }
  await checkExpectedEntries(context, demands, askers)
  for (const kind of ['unique', 'tokens'] as const) {
    if (found[kind] === claimed[kind]) continue
    const name = kind === 'unique' ? 'unique values' : 'tokens'
    findings.report('the node', `claims ${claimed[kind]} ${name}, but its accounts have ${found[kind]}`)
  }
}

/** Checks a sample of records with their indexes, changes, integrity and bytes, and the end of the chain. */
async function checkSample(context: CheckContext, sample: Sample, options: CheckOptions): Promise<void> {
  const { db, findings } = context
  const { pause = NO_PAUSE, account: only, files: folder } = options
  await checkChainEnd(context, options.head, options.mark, END_OF_CHAIN)
  const accounts: string[] = []
  for await (const account of accountsIn(context)) {
    if (account !== PLATFORM && (only === undefined || account === only) && !isImporting(db, account)) accounts.push(account)
  }
  if (folder !== undefined) await checkKnownDamage(context, folder, accounts, options.isReferred)
  const held: Claims = { unique: 0, tokens: 0 }
  const changes = { stored: 0, reached: 0 }
  let check: AccountCheck | undefined
  for (const key of await sampledKeys(db, accounts, sample, pause)) {
    const [account = '', family = ''] = key.split('/', 2)
    const bytes = db.getBytes(key)
    // A damaged store may list keys without entries.
    if (bytes === undefined) findings.report(`key ${JSON.stringify(key)}`, 'is listed but cannot be read')
    if (bytes === undefined) continue
    if (check?.account !== account) {
      check = { ...context, account, lastEntry: 0, tree: await streamTree(db, account), changes, claims: held, options }
    }
    findings.count('sampled records')
    const rest = key.slice(account.length + family.length + 2)
    const read = FAMILIES[family]
    await checkExpectedEntries(context, read?.(check, { account, rest, bytes }) ?? [])
    if (`${account}/${family}/` === accountKeys.fileReferences(account) && folder !== undefined) {
      const [digest = '', event = ''] = rest.split('/')
      await checkFile(context, account, { digest, event, size: Number(db.get(key)), folder }, options.isReferred)
    }
    const turn = pause()
    if (turn !== undefined) await turn
  }
}

/** Iterates over the accounts with keys, seeking from one range to the next. Reports keys outside all ranges. */
async function* accountsIn({ db, findings }: CheckContext): AsyncGenerator<string> {
  let from = ''
  for (;;) {
    const source = db.keys({ gte: from }, { limit: 1 })
    const [key] = await source.next(1)
    await source.close()
    if (key === undefined) return
    const account = /^([0-9a-z]+)\//.exec(key)?.[1]
    let next = account !== undefined ? under(accountKeys.all(account)).lt : key.startsWith('!') ? under('!').lt : from
    // A key outside all ranges, or after the end of one.
    if (next === from) {
      findings.report(`key ${JSON.stringify(key)}`, 'belongs to no account', { repair: { remove: key } })
      next = `${key}\0`
    } else if (account !== undefined) yield account
    // A key that is no valid text cannot be passed by seeking.
    if (next === from) return
    from = next
  }
}

/** Checks that an account has a user, and a number that is never assigned again. */
function checkPresence({ db, findings }: CheckContext, account: string, where: string): void {
  findings.count('accounts')
  if (db.get(accountKeys.user(account)) === undefined) findings.report(where, 'has entries but no user', { ownerless: account })
  if (!(Number.parseInt(db.get(nodeKeys.lastAccount) ?? '', 36) >= Number.parseInt(account, 36))) {
    findings.report(where, 'has a number that the node may assign to another account')
  }
}

async function checkAccount(
  context: CheckContext,
  account: string,
  journal: LinkedJournal | undefined,
  held: Claims,
  options: CheckOptions,
): Promise<void> {
  const { findings, db } = context
  const isPlatform = account === PLATFORM
  const where = isPlatform ? 'the platform' : `account ${account}`
  if (!isPlatform) checkPresence(context, account, where)
  const families = isPlatform ? PLATFORM_FAMILIES : FAMILIES
  const tree = await streamTree(db, account)
  const newCheck = (): AccountCheck => ({
    ...{ ...context, account, lastEntry: journal?.last ?? 0, tree, options },
    ...{ changes: { stored: 0, reached: 0 }, claims: { unique: 0, tokens: 0 }, profiles: new Map() },
  })
  const before = { ...findings.checked }
  const { pause = NO_PAUSE } = options
  let check = newCheck()
  if (!(await isSound(check, families, pause, isPlatform ? undefined : options.helper))) {
    resetCounts(findings, before)
    check = newCheck()
    await checkEntries(check, families, where, pause)
  }
  const { changes, claims, profiles } = check
  held.unique += claims.unique
  held.tokens += claims.tokens
  checkTree(context, account, tree)
  if (profiles !== undefined) checkLostProfiles(context, account, profiles)
  await checkFiles(context, account, options.files, options.isReferred)
  await checkSeries(context, account)
  if (changes.stored !== changes.reached) {
    findings.report(where, `has ${changes.stored} changes in its journal, but its items refer to ${changes.reached}`, { strays: account })
  }
}

/** Undoes counts of a pass over an account, since another one follows. */
function resetCounts({ checked }: Findings, before: Readonly<Record<string, number>>): void {
  for (const kind of Object.keys(checked)) if (!(kind in before)) delete checked[kind]
  Object.assign(checked, before)
}

/** Checks the entries of an account one by one, each with those that it expects, and reports the problems. */
async function checkEntries({ findings, ...check }: AccountCheck, families: Readonly<Record<string, Family>>, where: string, pause: Yielder): Promise<void> {
  const { db, account } = check
  const { findings: described, reading } = attributed(findings)
  const context: AccountCheck = { ...check, findings: described }
  const prefix = accountKeys.all(account)
  const source = db.byteEntries(under(prefix))
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      const demands: ExpectedEntry[] = []
      const askers: string[] = []
      for (const [key, bytes] of page) {
        reading(key)
        const [family = ''] = key.slice(prefix.length).split('/', 1)
        const read = Object.hasOwn(families, family) ? families[family] : undefined
        const rest = key.slice(prefix.length + family.length + 1)
        if (read === undefined) described.report(`${where}, key ${JSON.stringify(key)}`, 'has an unknown key prefix')
        else demands.push(...readEntry(read, context, { account, rest, bytes }))
        while (askers.length < demands.length) askers.push(key)
        const turn = pause()
        if (turn !== undefined) await turn
      }
      await checkExpectedEntries({ db, findings }, demands, askers)
    }
  } finally {
    await source.close()
  }
}
