/** Imports under way, by the node that they are made on: kept until somebody has asked what came of them. */
import { Failure } from '../../store/model/failure.js'
import type { Node } from '../node.js'
import type { Imported } from './importAccount.js'

export interface Job {
  bytes: number
  of: number
  cancel(): void
  /** Resolves when it is over, never rejects. */
  over: Promise<void>
  result?: Imported
  error?: unknown
}

type Owner = Pick<Node, 'store'>

const jobsOf = new WeakMap<Node['store'], Map<string, Job>>()

/** The jobs of a node, by id. */
export function jobsOn({ store }: Owner): Map<string, Job> {
  const known = jobsOf.get(store) ?? new Map<string, Job>()
  jobsOf.set(store, known)
  return known
}

/** A job by its id. Throws Failure `unknown-resource`. */
export function jobOf(node: Owner, id: string): Job {
  const job = jobsOn(node).get(id)
  if (job === undefined) throw new Failure('unknown-resource', 'There is no such import.')
  return job
}

/** Forgets a job that is over. */
export const forgetJob = (node: Owner, id: string): void => void jobsOn(node).delete(id)

/** Ends all imports of a node that stops; nothing is left of them when this resolves. */
export async function endImports(node: Owner): Promise<void> {
  const jobs = [...jobsOn(node).values()]
  for (const job of jobs) job.cancel()
  await Promise.all(jobs.map((job) => job.over))
}
