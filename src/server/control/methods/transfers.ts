/** Operator methods for account imports. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { Secret } from '../../../store/model/secret.js'
import { parseInput } from '../../../store/model/validation.js'
import type { NodeMethod } from '../control.js'
import { forgetJob, jobOf } from '../../accountTransfer/running.js'
import { parseImportOptions, ImportOptionsInput } from '../../accountTransfer/importOptions.js'

const Asked = z.strictObject({
  folder: z.string().refine(isAbsolute, { error: 'Expected an absolute path.' }),
  passphrase: z.string().optional(),
  ...ImportOptionsInput,
})

const Job = z.strictObject({ id: z.string(), waitMs: z.number().min(0).max(60_000).default(0) })

/** Methods that read archives on this machine. */
export const transferMethods: Readonly<Record<string, NodeMethod>> = {
  /** Starts an account import from an archive on this machine; returns the id of the job. */
  async 'users.import'(node, params) {
    const { folder, passphrase = '', ...options } = parseInput(Asked, params)
    // Loaded on demand, since few nodes import accounts.
    const { beginImport } = await import('../../accountTransfer/jobs.js')
    return { id: beginImport(node, { folder, passphrase: new Secret(passphrase) }, await parseImportOptions(node, options)) }
  },
}

/** Methods for running imports, from any source. */
export const importMethods: Readonly<Record<string, NodeMethod>> = {
  /** Returns the progress of an import; waits up to `waitMs` for its end. Its result is returned once. */
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
  /** Cancels an import; resolves after everything is cleaned up. */
  async 'users.importCancel'(node, params) {
    const job = jobOf(node, parseInput(Job, params).id)
    job.cancel()
    await job.over
    return {}
  },
}
