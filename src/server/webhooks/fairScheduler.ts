/** Limits concurrent calls, in total and per account, so that slow receivers do not block other accounts. Accounts take turns. */

export interface FairScheduler {
  /** Runs `work` when capacity permits. */
  run(account: string, work: () => Promise<void>): void
  /** Discards waiting work. */
  clear(): void
}

/** Creates a scheduler for at most `max` concurrent jobs, `maxOfOne` of one account. */
export function createFairScheduler(max: number, maxOfOne: number): FairScheduler {
  /** Waiting work by account, with the accounts in round-robin order. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  const underWay = new Map<string, number>()
  let busy = 0

  /** Skips at most `max / maxOfOne` accounts, since no more can be at their limit. */
  function next(): [string, () => Promise<void>] | undefined {
    for (const [account, queue] of waiting) {
      if ((underWay.get(account) ?? 0) >= maxOfOne) continue
      const work = queue.shift()
      waiting.delete(account)
      if (queue.length > 0) waiting.set(account, queue)
      if (work !== undefined) return [account, work]
    }
    return undefined
  }

  function count(account: string, by: number): void {
    busy += by
    const now = (underWay.get(account) ?? 0) + by
    if (now === 0) underWay.delete(account)
    else underWay.set(account, now)
  }

  function start(): void {
    while (busy < max) {
      const found = next()
      if (found === undefined) return
      const [account, work] = found
      count(account, 1)
      const free = (): void => {
        count(account, -1)
        start()
      }
      work().then(free, (error: unknown) => {
        process.emitWarning(error instanceof Error ? error : String(error))
        free()
      })
    }
  }

  return {
    run(account, work) {
      const queue = waiting.get(account)
      if (queue === undefined) waiting.set(account, [work])
      else queue.push(work)
      start()
    },
    clear: () => waiting.clear(),
  }
}
