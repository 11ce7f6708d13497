/**
 * Verifies a whole store: the chain of commits from the first on, every index against the records, and the records
 * against their CRDT changes. What the files themselves can show is files/inspect.ts's business.
 */
import { isArriving } from './arrivals.js'
import { nodeDemands, type Claims } from './check/accounts.js'
import { checkChain, checkJournals, type LinkedJournal } from './check/chain.js'
import { meetDemands, type CheckContext, type Demand } from './check/demand.js'
import { checkFiles } from './check/files.js'
import { FAMILIES, PLATFORM_FAMILIES, type AccountCheck, type ReadingOptions } from './check/families.js'
import { createFindings, type Problem } from './check/findings.js'
import { checkIdentity } from './check/peers.js'
import { checkTree } from './check/merging.js'
import { checkSeries } from './check/series.js'
import { streamIn } from './check/streams.js'
import type { ChainHead } from './commit.js'
import { each, type Database } from './database.js'
import { accountKeys, nodeKeys, PLATFORM, under } from './keys.js'
import { reservedStreams } from './model/cmc.js'
import { createTree, type Tree } from './model/tree.js'

export interface CheckOptions extends ReadingOptions {
  /** Where the chain ends, as the committer has it. */
  head: ChainHead
  /** The high-water mark; absent as long as there was no commit. */
  mark?: ChainHead
  /** Folder of the attached files; with it, their bytes are verified too. */
  files?: string
  /** How many problems to keep at most; all are counted. */
  mostProblems?: number
}

export interface CheckResult {
  ok: boolean
  /** How many things of each kind were looked at. */
  checked: Record<string, number>
  /** The first problems found. */
  problems: Problem[]
  /** How many problems there were in all. */
  found: number
}

const MOST_PROBLEMS = 1000
const PAGE = 500

/**
 * Verifies everything in the database; nobody may write meanwhile. Never writes, and rejects only when the database
 * cannot be read: what is wrong in it is a problem in the result.
 */
export async function checkStore(db: Database, options: CheckOptions): Promise<CheckResult> {
  const findings = createFindings(options.mostProblems ?? MOST_PROBLEMS)
  const context: CheckContext = { db, findings }
  const journals = await checkChain(context, options.head, options.mark)
  checkJournals(context, journals)
  const held: Claims = { unique: 0, tokens: 0 }
  for await (const account of accountsIn(context)) {
    if (db.get(nodeKeys.erasing(account)) === undefined && !isArriving(db, account)) {
      await checkAccount(context, account, journals.get(account), held, options)
    }
  }
  checkIdentity(context, options.seal)
  const claimed: Claims = { unique: 0, tokens: 0 }
  let demands: Demand[] = []
  for await (const demand of nodeDemands(context, claimed)) {
    if (demands.push(demand) < PAGE) continue
    await meetDemands(context, demands)
    demands = []
  }
  await meetDemands(context, demands)
  for (const kind of ['unique', 'tokens'] as const) {
    if (held[kind] === claimed[kind]) continue
    const name = kind === 'unique' ? 'unique values' : 'tokens'
    findings.report('the node', `leads to ${claimed[kind]} ${name} where accounts hold ${held[kind]}`)
  }
  const { checked, problems, found } = findings
  return { ok: found === 0, checked, problems, found }
}

/** The accounts that have keys, found by going from one range to the next. Reports keys outside of all ranges. */
async function* accountsIn({ db, findings }: CheckContext): AsyncGenerator<string> {
  let from = ''
  for (;;) {
    const source = db.keys({ gte: from }, { limit: 1 })
    const [key] = await source.next(1)
    await source.close()
    if (key === undefined) return
    const account = /^([0-9a-z]+)\//.exec(key)?.[1]
    if (account !== undefined) {
      yield account
      from = under(accountKeys.all(account)).lt
    } else if (key.startsWith('!')) {
      from = under('!').lt
    } else {
      findings.report(`key ${JSON.stringify(key)}`, 'belongs to no account')
      from = `${key}\0`
    }
  }
}

/** Every account has a user, and a number that is not given again. */
function checkPresence({ db, findings }: CheckContext, account: string, where: string): void {
  findings.count('accounts')
  if (db.get(accountKeys.user(account)) === undefined) findings.report(where, 'has entries and no user')
  if (!(Number.parseInt(db.get(nodeKeys.lastAccount) ?? '', 36) >= Number.parseInt(account, 36))) {
    findings.report(where, 'has a number that the node may give to another account')
  }
}

async function checkAccount(
  context: CheckContext,
  account: string,
  journal: LinkedJournal | undefined,
  held: Claims,
  options: CheckOptions,
): Promise<void> {
  const { db, findings } = context
  const isPlatform = account === PLATFORM
  const where = isPlatform ? 'the platform' : `account ${account}`
  if (!isPlatform) checkPresence(context, account, where)
  const families = isPlatform ? PLATFORM_FAMILIES : FAMILIES
  const tree = await treeOf(db, account)
  const changes = { kept: 0, reached: 0 }
  const check: AccountCheck = { ...context, account, lastEntry: journal?.last ?? 0, tree, changes, held, options }
  const prefix = accountKeys.all(account)
  const source = db.byteEntries(under(prefix))
  try {
    for (let page = await source.next(PAGE); page.length > 0; page = await source.next(PAGE)) {
      const demands: Demand[] = []
      for (const [key, bytes] of page) {
        const [family = ''] = key.slice(prefix.length).split('/', 1)
        const read = Object.hasOwn(families, family) ? families[family] : undefined
        const rest = key.slice(prefix.length + family.length + 1)
        if (read === undefined) findings.report(`${where}, key ${JSON.stringify(key)}`, 'belongs to no known family')
        else demands.push(...(read(check, { account, rest, bytes }) ?? []))
      }
      await meetDemands(context, demands)
    }
  } finally {
    await source.close()
  }
  checkTree(context, account, tree)
  await checkFiles(context, account, options.files)
  await checkSeries(context, account)
  if (changes.kept !== changes.reached) {
    findings.report(where, `holds ${changes.kept} changes in its journal, and its items lead to ${changes.reached}`)
  }
}

async function treeOf(db: Database, account: string): Promise<Tree> {
  const streams = []
  for await (const text of each(db.values(under(accountKeys.streams(account))))) {
    const stream = streamIn(text)
    if (stream !== undefined) streams.push(stream)
  }
  return createTree([...reservedStreams, ...streams])
}
