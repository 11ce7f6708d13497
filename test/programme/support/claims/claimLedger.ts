/** Ledger of operations on the names of a platform: the histories of a round, and totals of the run. */
import { performance } from 'node:perf_hooks'
import { nameKey, type Name } from '../../../../src/server/platform/registry/port.js'
import { HOLD, judgeName, type NameOperation } from './nameHistory.js'

export interface Totals {
  rounds: number
  operations: number
  acknowledgedClaims: number
  /** Acknowledged claims that took effect in an order which explains all answers. */
  claimsExplained: number
  /** Acknowledged claims whose account was not asked to release the name in the same round, and those found at its end. */
  claimsToFind: number
  claimsFound: number
  acknowledgedReleases: number
  refused: number
  unsure: number
  reads: number
  increments: number
  onceClaims: number
  twoWinners: number
  wrong: number
}

export interface ClaimLedger {
  readonly totals: Totals
  /** Descriptions of everything that is wrong. */
  readonly problems: string[]
  /** Records an operation at its start; `end` sets its outcome. */
  begin(kind: NameOperation['kind'], name: Name, account: string | null, about?: string): OpenOperation
  /** Judges the histories since the previous round, given the accounts that have the names now; these start the next round. */
  endRound(owners: ReadonlyMap<string, string>): void
}

export interface OpenOperation {
  readonly operation: NameOperation
  /** Sets the end and the outcome; without an outcome, it took effect. */
  end(changes?: Partial<NameOperation>): void
  /** Removes an operation that changed nothing and saw nothing. */
  remove(): void
}

export function createClaimLedger(): ClaimLedger {
  const totals: Totals = {
    ...{ rounds: 0, operations: 0, acknowledgedClaims: 0, claimsExplained: 0, claimsToFind: 0, claimsFound: 0, acknowledgedReleases: 0, refused: 0, unsure: 0 },
    ...{ reads: 0, increments: 0, onceClaims: 0, twoWinners: 0, wrong: 0 },
  }
  const problems: string[] = []
  const starts = new Map<string, string>()
  const former = new Map<string, Set<string>>()
  let histories = new Map<string, Set<NameOperation>>()

  /** Counts acknowledged claims; returns their number. */
  function countClaims(key: string, operations: readonly NameOperation[], owner: string | undefined): number {
    let acknowledged = 0
    for (const { kind, isSure, account } of operations) {
      if (kind !== 'claim' || account === null || account.startsWith(HOLD)) continue
      if (!isSure) {
        totals.unsure += 1
        continue
      }
      acknowledged += 1
      if (operations.some((other) => other.kind === 'release' && other.account === account)) continue
      totals.claimsToFind += 1
      if (owner === account) totals.claimsFound += 1
      else problems.push(`${key}: the acknowledged claim of ${account} is lost; the owner is ${owner ?? 'nobody'}`)
    }
    totals.acknowledgedClaims += acknowledged
    return acknowledged
  }

  return {
    totals,
    problems,
    begin(kind, name, account, about) {
      const key = nameKey(name)
      const operation: NameOperation = { kind, account, from: performance.now(), to: Infinity, isSure: false, ...(about === undefined ? {} : { about }) }
      const history = histories.get(key) ?? new Set()
      histories.set(key, history.add(operation))
      return {
        operation,
        end: (changes = {}) => void Object.assign(operation, { to: performance.now(), isSure: true, ...changes }),
        remove: () => void history.delete(operation),
      }
    },
    endRound(owners) {
      totals.rounds += 1
      const now = performance.now()
      for (const key of new Set([...histories.keys(), ...owners.keys()])) {
        const operations = [...(histories.get(key) ?? [])]
        const owner = owners.get(key)
        const final: NameOperation = { kind: 'read', account: owner ?? null, from: now, to: now, isSure: true, how: 'exact', about: 'at the end of the round' }
        const known = former.get(key) ?? new Set()
        former.set(key, known)
        const claims = countClaims(key, operations, owner)
        const wrong = judgeName({ operations: [...operations, final], start: starts.get(key) ?? null, former: known })
        if (wrong.length === 0) totals.claimsExplained += claims
        for (const problem of wrong) {
          totals.wrong += 1
          problems.push(`${key}: ${problem}`)
        }
        for (const { kind, account } of operations) {
          if (kind === 'claim' && account !== null) known.add(account)
          totals.operations += 1
          if (kind === 'read') totals.reads += 1
          if (kind === 'refused') totals.refused += 1
          if (kind === 'release' && account?.startsWith(HOLD) === false) totals.acknowledgedReleases += 1
        }
        if (owner === undefined) starts.delete(key)
        else starts.set(key, owner)
      }
      histories = new Map()
    },
  }
}
