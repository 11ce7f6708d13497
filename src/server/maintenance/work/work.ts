/** Maintenance jobs on a store, by name, for a running node and for a closed store. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { FORMAT } from '../../../store/engine/open.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { checkTarget } from './check.js'
import { compactTarget } from './compact.js'
import type { WorkTarget, WorkProgress } from './workTarget.js'
import { figuresOf } from './stats.js'

/** Parameters of a check. */
export const CheckInput = z.strictObject({
  user: z.string().optional().describe('User name; default: the whole store.'),
  sample: z.number().int().min(1).optional().describe('Number of random records to check; default: all.'),
})

/** Parameters of statistics. */
export const StatsInput = CheckInput.pick({ user: true })

type Notify = (progress: WorkProgress) => void

const works = {
  'store.check': async (ground: WorkTarget, params: unknown, notify: Notify) => checkTarget(ground, parseInput(CheckInput, params), notify),
  'store.stats': async (ground: WorkTarget, params: unknown, notify: Notify) => figuresOf(ground, parseInput(StatsInput, params), notify),
  'store.compact': async (ground: WorkTarget, _: unknown, notify: Notify) => compactTarget(ground, notify),
  'store.format': async ({ folder, format }: WorkTarget) => ({
    folder,
    format: format.format,
    // During a migration, the previous format.
    from: format.from ?? format.format,
    newestFormat: FORMAT,
    node: format.node,
    created: format.created,
  }),
}

type Works = typeof works

/** Name of a maintenance job, which is also the id of its operator method. */
export type WorkName = keyof Works

const progressOf = new WeakMap<object, WorkProgress>()

type WorkResult<N extends WorkName> = Awaited<ReturnType<Works[N]>>

/**
 * Runs a maintenance job; jobs on one store run one at a time. Stops when `signal` is aborted because the client disconnected.
 * @throws Failure `invalid-operation` then
 */
export function doWork<N extends WorkName>(target: WorkTarget, name: N, params: unknown, signal?: AbortSignal): Promise<WorkResult<N>> {
  const { db } = target
  const work = works[name] as (ground: WorkTarget, params: unknown, notify: Notify) => Promise<WorkResult<N>>
  return serialiseByKey(db, 'store work', async (): Promise<WorkResult<N>> => {
    const goOn = (): void => {
      if (signal?.aborted === true) throw new Failure('invalid-operation', 'The client that requested this has disconnected.')
    }
    try {
      goOn()
      return await work(target, params, (progress) => {
        goOn()
        progressOf.set(db, progress)
      })
    } finally {
      progressOf.delete(db)
    }
  })
}

/** Returns the progress of the current job on a store; empty when there is none. */
export const workProgress = ({ db }: WorkTarget): Partial<WorkProgress> => ({ ...progressOf.get(db) })
