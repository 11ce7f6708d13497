/** Maintenance jobs on a store, by name, for a running node and for a closed store. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { FORMAT } from '../../../store/engine/open.js'
import type { Result } from '../../method.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { checkTarget } from './check.js'
import { compactTarget } from './compact.js'
import type { WorkTarget, WorkProgress } from './workTarget.js'
import { figuresOf } from './stats.js'

const Asked = z.object({ user: z.string().optional(), sample: z.number().int().min(1).optional() })

type Work = (ground: WorkTarget, params: unknown, notify: (progress: WorkProgress) => void) => Promise<Result>

const works: Readonly<Record<string, Work>> = {
  'store.check': async (ground, params, notify) => ({ ...(await checkTarget(ground, parseInput(Asked, params), notify)) }),
  'store.stats': async (ground, params, notify) => ({ ...(await figuresOf(ground, parseInput(Asked, params), notify)) }),
  'store.compact': async (ground, _, notify) => ({ ...(await compactTarget(ground, notify)) }),
  'store.format': async ({ folder, format }) => ({
    folder,
    format: format.format,
    // During a migration, the previous format.
    from: format.from ?? format.format,
    newestFormat: FORMAT,
    node: format.node,
    created: format.created,
  }),
}

export const workNames: readonly string[] = Object.keys(works)

const progressOf = new WeakMap<object, WorkProgress>()

/**
 * Runs a maintenance job; jobs on one store run one at a time. Stops when `left` signals that the client disconnected.
 * @throws Failure `invalid-operation` then
 */
export function doWork(ground: WorkTarget, name: string, params: unknown, left?: AbortSignal): Promise<Result> {
  const { db } = ground
  const work = works[name]
  if (work === undefined) throw new TypeError(`no work ${name}`)
  return serialiseByKey(db, 'store work', async () => {
    const goOn = (): void => {
      if (left?.aborted === true) throw new Failure('invalid-operation', 'The client that requested this has disconnected.')
    }
    try {
      goOn()
      return await work(ground, params, (progress) => {
        goOn()
        progressOf.set(db, progress)
      })
    } finally {
      progressOf.delete(db)
    }
  })
}

/** Returns the progress of the current job on a store; empty when there is none. */
export const workProgress = ({ db }: WorkTarget): Result => ({ ...progressOf.get(db) })
