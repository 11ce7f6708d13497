/** Moving accounts in, for the command line. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { Secret } from '../../../store/model/secret.js'
import { parseInput } from '../../../store/model/validation.js'
import type { NodeMethod } from '../control.js'
import { forgetJob, jobOf } from '../../accountTransfer/running.js'
import { parseImportOptions, ImportOptionsInput } from '../../accountTransfer/importOptions.js'

const Asked = z.strictObject({
  folder: z.string().refine(isAbsolute, { error: 'An absolute path.' }),
  passphrase: z.string().optional(),
  ...ImportOptionsInput,
})

const Job = z.strictObject({ id: z.string(), waitMs: z.number().min(0).max(60_000).default(0) })

/** What reads archives of this machine. */
export const transferMethods: Readonly<Record<string, NodeMethod>> = {
  /** Begins to import an account from an archive on this machine; answers the id of the job. */
  async 'users.import'(node, params) {
    const { folder, passphrase = '', ...options } = parseInput(Asked, params)
    // Who imports nothing need not load it.
    const { beginImport } = await import('../../accountTransfer/jobs.js')
    return { id: beginImport(node, { folder, passphrase: new Secret(passphrase) }, await parseImportOptions(node, options)) }
  },
}

/** What is asked of an import that was begun, wherever its archive came from. */
export const importMethods: Readonly<Record<string, NodeMethod>> = {
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
