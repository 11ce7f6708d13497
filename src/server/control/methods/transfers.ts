/** Operator methods for account imports. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { Secret } from '../../../store/model/secret.js'
import { parseImportOptions, ImportOptionsInput } from '../../accountTransfer/importOptions.js'
import { forgetJob, jobOf } from '../../accountTransfer/running.js'
import { operatorMethod } from '../operatorMethod.js'

const id = z.string().describe('Id of the import.')

const RefusalView = z.object({
  file: z.string().describe('File of the archive.'),
  line: z.number().describe('Line in the file, from 1.'),
  id: z.string().optional().describe('Id of the item.'),
  message: z.string().describe('Reason in words.'),
})

const CountsView = z.record(z.string(), z.number())

const importUser = operatorMethod({
  id: 'users.import',
  summary: 'Starts the import of an account from an archive on this machine.',
  localCommand: 'coffer users import <folder>',
  input: z.strictObject({
    folder: z.string().refine(isAbsolute, { error: 'Expected an absolute path.' }).describe('Folder of the archive.'),
    passphrase: z.string().default('').describe('Passphrase of an encrypted archive.'),
    ...ImportOptionsInput,
  }),
  output: () => z.object({ id }),
  fails: ['too-many-requests', 'invalid-parameters'],
  async run({ node }, { folder, passphrase, ...options }) {
    // Loaded on demand, since few nodes import accounts.
    const { beginImport } = await import('../../accountTransfer/jobs.js')
    return { id: beginImport(node, { folder, passphrase: new Secret(passphrase) }, await parseImportOptions(node, options)) }
  },
})

const progress = {
  bytes: z.number().describe('Bytes that were read.'),
  of: z.number().describe('Size of the archive in bytes.'),
}

const importState = operatorMethod({
  id: 'users.importState',
  summary: 'Returns the progress of an import; its result is returned once.',
  input: z.strictObject({ id, waitMs: z.number().min(0).max(60_000).default(0).describe('Milliseconds to wait for its end.') }),
  output: () => z.discriminatedUnion('state', [
    z.object({ state: z.literal('running').describe('running or done.'), ...progress }),
    z.object({
      state: z.literal('done').describe('running or done.'),
      ...progress,
      username: z.string().describe('User name of the account.'),
      asked: CountsView.describe('Counts of the archive, by kind.'),
      restored: CountsView.describe('Counts of the account, by kind; in a dry run, the expected ones.'),
      differences: z.array(z.string()).describe('Kinds of items whose counts differ.'),
      activeWebhooks: z.array(z.string()).describe('Ids of active webhooks.'),
      pausedWebhooks: z.array(z.string()).describe('Ids of webhooks that the import made inactive.'),
      refusals: z.array(RefusalView).describe('The first refused items.'),
      refused: z.number().describe('Number of refused items.'),
    }),
  ]),
  fails: ['unknown-resource', 'corrupted-data', 'invalid-credentials', 'forbidden', 'invalid-operation', 'item-already-exists'],
  async run({ node }, { id: named, waitMs }) {
    const job = jobOf(node, named)
    const ending = new AbortController()
    await Promise.race([job.ended, sleep(waitMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})])
    ending.abort()
    const { bytes, of, result, error } = job
    if (result === undefined && error === undefined) return { state: 'running' as const, bytes, of }
    forgetJob(node, named)
    if (result === undefined) throw error
    return { state: 'done' as const, bytes, of, ...result }
  },
})

const cancelImport = operatorMethod({
  id: 'users.importCancel',
  summary: 'Cancels an import; returns after everything is cleaned up.',
  input: z.strictObject({ id }),
  output: () => z.object({}),
  fails: ['unknown-resource'],
  async run({ node }, { id: named }) {
    const job = jobOf(node, named)
    job.cancel()
    await job.ended
    return {}
  },
})

export const transferMethods = [importUser, importState, cancelImport] as const
