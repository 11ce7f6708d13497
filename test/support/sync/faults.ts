/** Trouble for paired nodes at random, under load: the way between them is cut and healed, either is killed and started. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLedger } from '../../crash/ledger.js'
import type { SyncNode } from './nodeProcesses.js'
import { write, type Work, type Writer } from './writers.js'

/** The way between two nodes. */
export interface Way {
  cut(): void | Promise<void>
  heal(): void | Promise<void>
}

export interface Troubles {
  cuts: number
  kills: number
}

export const newWork = (): Work => ({ ledger: createLedger(), common: new Map(), refused: [], isOver: false })

export interface Trouble {
  nodes: readonly SyncNode[]
  writers: readonly Writer[]
  work: Work
  way: Way
  /** Whole numbers below a limit. */
  next(limit: number): number
  /** How often something happens to the nodes. */
  turns: number
  /** The longest pause between two of these, in milliseconds. */
  pauseMs: number
  /** Runs in the middle of it. */
  meanwhile?(): Promise<void>
}

/** Has all writers write and trouble come; in the end all is well, and nobody writes. Answers what happened. */
export async function troubled({ nodes, writers, work, way, next, turns, pauseMs, meanwhile }: Trouble): Promise<Troubles> {
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
