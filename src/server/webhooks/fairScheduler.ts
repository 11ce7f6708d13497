/**
 * How many calls are under way at once: so many in all, and so many of one account, so that receivers that hang hold up
 * nobody else's. Accounts take turns.
 */

export interface FairScheduler {
  /** Runs `work` when it is its turn. */
  run(account: string, work: () => Promise<void>): void
  /** Forgets what waits. */
  clear(): void
}

/** At most `most` pieces of work at once, `mostOfOne` of one account. */
export function createFairScheduler(max: number, maxOfOne: number): FairScheduler {
  /** Work that waits, by account; the accounts in the order of their turns. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  const underWay = new Map<string, number>()
  let busy = 0

  /** At most `most / mostOfOne` accounts have to be passed over: more cannot be at their limit. */
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
