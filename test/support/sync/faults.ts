/**
 * Random faults for paired nodes under load: the network between them is cut and healed, and either node is killed and started.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLedger } from '../../crash/ledger.js'
import type { SyncNode } from './nodeProcesses.js'
import { write, type Work, type Writer } from './writers.js'

/** Network between two nodes. */
export interface Way {
  cut(): void | Promise<void>
  heal(): void | Promise<void>
}

export interface FaultCounts {
  cuts: number
  kills: number
}

export const newWork = (): Work => ({ ledger: createLedger(), common: new Map(), refused: [], isOver: false })

export interface FaultPlan {
  nodes: readonly SyncNode[]
  writers: readonly Writer[]
  work: Work
  way: Way
  /** Returns a random whole number below a limit. */
  next(limit: number): number
  /** Number of faults. */
  turns: number
  /** Maximum pause between two faults, in milliseconds. */
  pauseMs: number
  /** Runs in the middle of the faults. */
  meanwhile?(): Promise<void>
}

/**
 * Runs all writers with faults; at the end everything is healed, and the writers have stopped. Returns the counts of faults.
 */
export async function runWithFaults({ nodes, writers, work, way, next, turns, pauseMs, meanwhile }: FaultPlan): Promise<FaultCounts> {
  const counts = { cuts: 0, kills: 0 }
  work.isOver = false
  const writing = Promise.all(writers.map((writer) => write(writer, work)))
  try {
    for (let turn = 0; turn < turns; turn++) {
      if (turn === Math.floor(turns / 2)) await meanwhile?.()
      await sleep(50 + next(pauseMs))
      const dice = next(100)
      if (dice < 40) {
        await way.cut()
        counts.cuts += 1
        await sleep(next(pauseMs))
        if (dice < 30) await way.heal()
      } else if (dice < 60) await way.heal()
      else {
        const node = nodes[next(nodes.length)]
        await node?.kill()
        counts.kills += 1
        await sleep(next(200))
        await node?.start()
      }
    }
    await way.heal()
    await sleep(next(pauseMs))
  } finally {
    work.isOver = true
    await writing
  }
  return counts
}
