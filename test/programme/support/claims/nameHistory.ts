/**
 * Checker of histories of a unique name. A name is a register: free, or owned by one account. A history is legal when some order
 * of its operations, which respects real time, explains all answers (linearizability; the search is that of Wing and Gong, with
 * a memory of visited states). Names are independent of each other, so each is searched for itself.
 */

/** An operation on one name. Times are milliseconds of one monotonic clock. */
export interface NameOperation {
  /**
   * `claim` makes a free name that of the account; `release` ends that; `read` answers who has the name; `refused` is the answer
   * that somebody has it; `attempt` changed nothing, but may have held the name for a while.
   */
  kind: 'claim' | 'release' | 'read' | 'refused' | 'attempt'
  /** The account that claims, releases or was refused; of a read, the holder in its answer, null for nobody. */
  account: string | null
  from: number
  /** End; Infinity while it may still take effect. */
  to: number
  /** Whether it took effect; false when that is unknown. */
  isSure: boolean
  /** Set when a hold of it may outlast its end: its outcome, or that of an attempt, is unknown. */
  lingers?: true
  /**
   * Of a read: `exact` ignores what is in memory; `own` answers an account of the asked core, whose store knows a change of names
   * before the registry confirms it; `cached` may be as old as the cache permits.
   */
  how?: 'exact' | 'own' | 'cached'
  /** What is printed of the operation. */
  about?: string
}

export interface NameHistory {
  operations: readonly NameOperation[]
  /** Owner at the start. */
  start: string | null
  /** Accounts that have had the name before the start. */
  former?: ReadonlySet<string>
}

/** Prefix of an owner that only holds the name: reads answer that nobody has it. */
export const HOLD = 'hold of '

/** Milliseconds for which the answer that nobody has a name is used again. */
export const ABSENT_MS = 2000
const MAX_STEPS = 2_000_000

/** Returns what is wrong with a history; an empty list if it is legal. */
export function judgeName({ operations, start, former = new Set() }: NameHistory): string[] {
  const wrong: string[] = []
  const searched: NameOperation[] = []
  for (const operation of operations) {
    const { kind, how, account, from, to } = operation
    if (kind === 'attempt') continue
    if (kind === 'refused') {
      if (!isExcused(operation, operations)) searched.push(operation)
    } else if (kind !== 'read' || how === 'exact') searched.push(operation)
    else if (account === null) searched.push(how === 'cached' ? { ...operation, from: from - ABSENT_MS } : operation)
    else if (how === 'own' ? !isOfOwnStore(operation, operations, start) : !hasHad(account, to, operations, start, former)) {
      wrong.push(`a holder that never was: ${textOf(operation)}`)
    }
  }
  const { isLegal, steps, explained } = search(searched, start)
  if (steps > MAX_STEPS) wrong.push(`undecided after ${MAX_STEPS} steps`)
  else if (!isLegal) wrong.push(`no order explains the answers; the longest order explains ${explained} of them\n${tableOf(searched, start)}`)
  return wrong
}

/** Whether the hold of another operation may have caused a refusal. */
function isExcused(refused: NameOperation, operations: readonly NameOperation[]): boolean {
  return operations.some(
    (other) =>
      (other.kind === 'claim' || other.kind === 'refused' || other.kind === 'attempt') && other.account !== refused.account &&
      other.from <= refused.to && (other.to >= refused.from || other.lingers === true),
  )
}

/** Whether the store of a core may answer its own account: from the start of a claim until the release is acknowledged. */
function isOfOwnStore(read: NameOperation, operations: readonly NameOperation[], start: string | null): boolean {
  const own = operations.filter(({ account }) => account === read.account)
  const claims = own.filter(({ kind, from, to }) => (kind === 'claim' && from <= read.to) || (kind === 'refused' && from <= read.to && to >= read.from))
  if (start === read.account) claims.push({ kind: 'claim', account: start, from: -Infinity, to: -Infinity, isSure: true })
  return claims.some((claim) => !own.some(({ kind, isSure, from, to }) => kind === 'release' && isSure && from >= claim.to && to < read.from))
}

/** Whether an account may have had the name at some time before `until`. */
function hasHad(account: string, until: number, operations: readonly NameOperation[], start: string | null, former: ReadonlySet<string>): boolean {
  return start === account || former.has(account) || operations.some((one) => one.kind === 'claim' && one.account === account && one.from <= until)
}

/** Returns the owner after an operation; undefined when the operation is not legal. */
export function ownerAfter({ kind, account }: NameOperation, owner: string | null): string | null | undefined {
  if (kind === 'claim') return owner === null || owner === account ? account : undefined
  if (kind === 'release') return owner === account ? null : undefined
  if (kind === 'read') return (owner?.startsWith(HOLD) === true ? null : owner) === account ? owner : undefined
  return owner === null ? undefined : owner
}

/** Place of the search: operations before `first` are done, and those of `more`. */
interface Place {
  first: number
  more: readonly number[]
  used: readonly number[]
  owner: string | null
}

function search(operations: readonly NameOperation[], start: string | null): { isLegal: boolean; steps: number; explained: number } {
  const sure = operations.filter(({ isSure }) => isSure).sort((a, b) => a.from - b.from)
  const unsure = operations.filter(({ isSure }) => !isSure)
  if (unsure.some(({ to }) => to !== Infinity)) throw new Error('an operation of unknown outcome has an end')
  const visited = new Set<string>()
  const open: Place[] = [{ first: 0, more: [], used: [], owner: start }]
  let explained = 0
  let steps = 0
  for (let place = open.pop(); place !== undefined && steps <= MAX_STEPS; place = open.pop()) {
    const { first, more, used, owner } = place
    if (first === sure.length) return { isLegal: true, steps, explained: sure.length }
    explained = Math.max(explained, first + more.length)
    // The next operation has begun before any other one has ended.
    const end = firstEnd(sure, place)
    const ready: number[] = []
    for (let index = first; index < sure.length && (sure[index]?.from ?? Infinity) <= end; index++) if (!more.includes(index)) ready.push(index)
    for (const index of ready.reverse()) {
      const next = sure[index]
      if (next === undefined) continue
      for (const before of ways(next, owner, unsure, used, end)) {
        steps += 1
        const later = advanced(first, more, index)
        const place: Place = {
          ...later,
          used: before.length === 0 ? used : [...used, ...before].sort((a, b) => a - b),
          owner: before.reduce((now, at) => ownerOf(unsure[at], now), owner),
        }
        place.owner = ownerOf(next, place.owner)
        const key = `${place.first}/${place.more.join()}/${place.used.join()}/${place.owner}`
        if (visited.has(key)) continue
        visited.add(key)
        open.push(place)
      }
    }
  }
  return { isLegal: false, steps, explained }
}

function ownerOf(operation: NameOperation | undefined, owner: string | null): string | null {
  const after = operation === undefined ? undefined : ownerAfter(operation, owner)
  if (after === undefined) throw new Error('an operation is not legal')
  return after
}

function firstEnd(sure: readonly NameOperation[], { first, more }: Place): number {
  let end = Infinity
  for (let index = first; index < sure.length; index++) {
    const operation = sure[index]
    if (operation === undefined || operation.from > end) break
    if (!more.includes(index)) end = Math.min(end, operation.to)
  }
  return end
}

function advanced(first: number, more: readonly number[], index: number): Pick<Place, 'first' | 'more'> {
  const done = new Set([...more, index])
  let next = first
  while (done.delete(next)) next += 1
  return { first: next, more: [...done].sort((a, b) => a - b) }
}

/**
 * Returns the sequences of unsure operations after which the next operation is legal. An unsure operation has no end, so it
 * suffices to let it take effect just before an operation that needs it: at most a release and a claim.
 */
function* ways(next: NameOperation, owner: string | null, unsure: readonly NameOperation[], used: readonly number[], end: number): Generator<readonly number[]> {
  if (ownerAfter(next, owner) !== undefined) yield []
  const usable = unsure.flatMap((operation, index) => (operation.from <= end && !used.includes(index) ? [{ operation, index }] : []))
  for (const { operation, index } of usable) {
    const then = ownerAfter(operation, owner)
    if (then === undefined || then === owner) continue
    if (ownerAfter(next, then) !== undefined) yield [index]
    if (then !== null) continue
    for (const second of usable) {
      if (second.operation.kind !== 'claim' || second.index === index) continue
      if (ownerAfter(next, second.operation.account) !== undefined) yield [index, second.index]
    }
  }
}

const textOf = ({ kind, account, from, to, isSure, how, about }: NameOperation): string =>
  `${from.toFixed(1)}–${to.toFixed(1)} ${kind} ${how ?? ''} ${account ?? 'nobody'}${isSure ? '' : ' (unsure)'} ${about ?? ''}`

function tableOf(operations: readonly NameOperation[], start: string | null): string {
  const lines = [...operations].sort((a, b) => a.from - b.from).map(textOf)
  return [`start: ${start ?? 'nobody'}`, ...lines].join('\n')
}
