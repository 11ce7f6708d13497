/** Moving accounts in, for the command line. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { Secret } from '../../store/model/secret.js'
import { parseInput } from '../../store/model/validation.js'
import type { NodeMethod } from '../control.js'
import { hashPassword, refuseWeakPassword } from '../guard/password.js'
import { forgetJob, jobOf } from '../transfer/running.js'

const Asked = z.strictObject({
  folder: z.string().refine(isAbsolute, { error: 'An absolute path.' }),
  passphrase: z.string().optional(),
  as: z.string().optional(),
  email: z.string().min(1).max(300).optional(),
  password: z.string().optional(),
  dryRun: z.boolean().optional(),
})

const Job = z.strictObject({ id: z.string(), waitMs: z.number().min(0).max(60_000).default(0) })

export const transferMethods: Readonly<Record<string, NodeMethod>> = {
  /** Begins to import an account from an archive on this machine; answers the id of the job. */
  async 'users.import'(node, params) {
    const { folder, passphrase = '', password, as, email, dryRun } = parseInput(Asked, params)
    // Who imports nothing need not load it.
    const { beginImport } = await import('../transfer/jobs.js')
    if (password !== undefined) refuseWeakPassword(node.config, password)
    const passwordHash = password === undefined ? undefined : await hashPassword(password)
    return { id: beginImport(node, folder, new Secret(passphrase), { as, email, passwordHash, dryRun: dryRun === true }) }
  },
  /** How far an import is; waits for its end up to `waitMs`. What came of it is told once. */
  async 'users.importState'(node, params) {
    const { id, waitMs } = parseInput(Job, params)
    const job = jobOf(node, id)
    const ending = new AbortController()
    await Promise.race([job.over, sleep(waitMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})])
    ending.abort()
    const { bytes, of, result, error } = job
    if (result === undefined && error === undefined) return { state: 'running', bytes, of }
    forgetJob(node, id)
    if (error !== undefined) throw error
    return { state: 'done', bytes, of, ...result }
  },
  /** Ends an import; nothing is left of it when this resolves. */
  async 'users.importCancel'(node, params) {
    const job = jobOf(node, parseInput(Job, params).id)
    job.cancel()
    await job.over
    return {}
  },
}
