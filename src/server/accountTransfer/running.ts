/** Running imports by node, retained until their result was fetched. */
import { Failure } from '../../store/model/failure.js'
import type { Context } from '../call/context.js'
import type { Imported } from './importContext.js'

export interface Job {
  bytes: number
  of: number
  cancel(): void
  /** Resolves when it is over, never rejects. */
  ended: Promise<void>
  result?: Imported
  error?: unknown
}

type Owner = Pick<Context, 'store'>

const jobsOf = new WeakMap<Context['store'], Map<string, Job>>()

/** Returns the jobs of a node, by id. */
export function jobsOn({ store }: Owner): Map<string, Job> {
  const known = jobsOf.get(store) ?? new Map<string, Job>()
  jobsOf.set(store, known)
  return known
}

/** Finds a job by id. @throws Failure `unknown-resource` */
export function jobOf(node: Owner, id: string): Job {
  const job = jobsOn(node).get(id)
  if (job === undefined) throw new Failure('unknown-resource', 'Unknown import.')
  return job
}

/** Removes a finished job. */
export const forgetJob = (node: Owner, id: string): void => void jobsOn(node).delete(id)

/** Cancels all imports of a stopping node; resolves once they are cleaned up. */
export async function endImports(node: Owner): Promise<void> {
  const jobs = [...jobsOn(node).values()]
  for (const job of jobs) job.cancel()
  await Promise.all(jobs.map((job) => job.ended))
}
